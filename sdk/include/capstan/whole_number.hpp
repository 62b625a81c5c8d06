/// Whole numbers that people write where Kubernetes has text: in labels, tags and keys.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// A decimal int64 as Go reads it, and so Kubernetes: a sign of either kind, digits, nothing else.
///     "7", "+7", "007"  ->  7        "", " 7", "7.0", "0x7", "9223372036854775808"  ->  nothing
inline std::optional<std::int64_t> find_whole_number(std::string_view written) noexcept {
    if (written.size() > 1 && written[0] == '+' && written[1] != '-') written.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(written.data(), written.data() + written.size(), value);
    const bool whole = error == std::errc() && end == written.data() + written.size();
    return whole ? std::optional(value) : std::nullopt;
}

CAPSTAN_NAMESPACE_END
