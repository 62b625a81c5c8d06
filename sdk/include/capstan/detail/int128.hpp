/// 128-bit sums and products of int64, so that they can saturate. Internal to the SDK.
#pragma once

#include <cstdint>
#include <limits>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

__extension__ typedef __int128 Int128;

/// The nearest int64.
constexpr std::int64_t saturated(Int128 n) noexcept {
    constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
    constexpr auto highest = std::numeric_limits<std::int64_t>::max();
    return n > highest ? highest : n < lowest ? lowest : static_cast<std::int64_t>(n);
}

/// `n` in steps of `step`, rounded away from zero, within int64.
constexpr std::int64_t steps_of(Int128 n, std::int64_t step) noexcept {
    return saturated(n / step + (n % step > 0 ? 1 : n % step < 0 ? -1 : 0));
}

}  // namespace detail
CAPSTAN_NAMESPACE_END
