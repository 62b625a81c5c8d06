/// The settings of resources as values, and their schema.
#pragma once

#include <cstdint>

#include <capstan/settings.hpp>

namespace capstan::similarity {

/// A share from 0 to 1, stored as a whole number of billionths. The double 0.015 is not exactly
/// 1.5%, and two machines that differ by exactly 1.5% must count as within the tolerance.
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
