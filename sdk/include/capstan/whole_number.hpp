/// Whole numbers in text values, such as labels, tags and keys.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// A decimal int64 in the format of Go and Kubernetes: an optional sign and digits.
///     "7", "+7", "007"  ->  7        "", " 7", "7.0", "0x7", "9223372036854775808"  ->  absent
inline std::optional<std::int64_t> find_whole_number(std::string_view written) noexcept {
    if (written.size() > 1 && written[0] == '+' && written[1] != '-') written.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(written.data(), written.data() + written.size(), value);
    const bool whole = error == std::errc() && end == written.data() + written.size();
    return whole ? std::optional(value) : std::nullopt;
}

CAPSTAN_NAMESPACE_END
