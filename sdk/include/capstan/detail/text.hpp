/// Helpers shared by the SDK's parsers. Internal to the SDK.
#pragma once

#include <cstddef>
#include <string_view>

#include <capstan/ascii.hpp>
#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

constexpr bool is_digit(char c) noexcept { return is_ascii_digit(c); }

/// Removes the digits at the front of `rest` and returns them.
constexpr std::string_view take_digits(std::string_view& rest) noexcept {
    std::size_t length = 0;
    while (length < rest.size() && is_digit(rest[length])) ++length;
    const std::string_view digits = rest.substr(0, length);
    rest.remove_prefix(length);
    return digits;
}

}  // namespace detail
CAPSTAN_NAMESPACE_END
