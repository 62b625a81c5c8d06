/// Points in time and durations. Pure code receives the time as an argument.
#pragma once

#include <chrono>
#include <cstdint>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

using Duration = std::chrono::nanoseconds;
/// Wall time, nanoseconds since 1970 UTC.
using Time = std::chrono::time_point<std::chrono::system_clock, Duration>;

constexpr Time time_from_unix_ns(std::int64_t ns) noexcept { return Time(Duration(ns)); }
constexpr std::int64_t unix_ns(Time t) noexcept { return t.time_since_epoch().count(); }

CAPSTAN_NAMESPACE_END
