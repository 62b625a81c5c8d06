/// Where the marks of an axis stand, and what they say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/time.hpp>

namespace capstan::simulation {

struct TimeTick {
    Duration at{0};
    std::string text{};
    bool operator==(const TimeTick&) const = default;
};
/// From zero up to `span`, at most `most` (at least 2) of them, in steps that a clock has.
///     25m, 6  ->  0s, 5m, 10m, 15m, 20m, 25m
std::vector<TimeTick> time_ticks(Duration span, int most);

/// From zero to the first that is not below `largest`, in steps of 1, 2 or 5 times a power of ten;
/// about `most` (at least 1) steps.
///     7, 3  ->  0, 5, 10
std::vector<std::int64_t> count_ticks(int largest, int most);

}  // namespace capstan::simulation
