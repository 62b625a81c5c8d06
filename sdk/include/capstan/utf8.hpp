/// UTF-8, the encoding of all text in the ABI: validation, cleaning, and splitting at characters.
///
///     node.labels[key] = clean_utf8(tag, 63);
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <capstan/detail/utf8.hpp>

CAPSTAN_NAMESPACE_BEGIN

using detail::clean_utf8;
using detail::is_utf8;
using detail::utf8_length;

namespace detail {
constexpr bool continues_character(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}
}  // namespace detail

/// The number of code points.
constexpr std::size_t count_characters(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return !detail::continues_character(c); }));
}

/// The longest prefix of at most `limit` bytes that ends with a whole character. Invalid UTF-8 is
/// cut at the limit.
constexpr std::string_view beginning_of(std::string_view text, std::size_t limit) noexcept {
    if (text.size() <= limit) return text;
    std::size_t end = limit;
    // A character has at most three continuation bytes.
    for (int back = 0; back < 3 && end > 0 && detail::continues_character(text[end]); ++back) --end;
    return text.substr(0, detail::continues_character(text[end]) ? limit : end);
}

CAPSTAN_NAMESPACE_END
