/// What resources can be told.
#pragma once

#include <cstdint>

#include <capstan/settings.hpp>

namespace capstan::similarity {

/// A share from 0 to 1, kept as a whole number of billionths: 0.015 as a double is a little off,
/// and a pair of machines that differ by exactly 1.5% must not fall on the wrong side for it.
class Tolerance {
public:
    constexpr Tolerance() = default;
    static Tolerance of(double share);
    constexpr std::int64_t billionths() const noexcept { return billionths_; }
    constexpr double share() const noexcept { return static_cast<double>(billionths_) / 1e9; }

private:
    std::int64_t billionths_ = 0;
};

struct ResourcesConfig {
    Tolerance capacity_memory = Tolerance::of(0.015);
    Tolerance allocatable = Tolerance::of(0.05);
    Tolerance free = Tolerance::of(0.05);
};

Schema resources_schema();
ResourcesConfig read_resources(const Settings& settings);
void check_resources(const Settings& settings);

}  // namespace capstan::similarity
