/// UTF-8, which all text that crosses has to be: whether bytes are that, making them so, and taking
/// text apart by its characters.
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

/// Characters of UTF-8, as code points.
constexpr std::size_t count_characters(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return !detail::continues_character(c); }));
}

/// The longest beginning of at most `limit` bytes that ends with a whole character. What is no
/// UTF-8 there is cut where it stands.
constexpr std::string_view beginning_of(std::string_view text, std::size_t limit) noexcept {
    if (text.size() <= limit) return text;
    std::size_t end = limit;
    // A character has three continuing bytes at most.
    for (int back = 0; back < 3 && end > 0 && detail::continues_character(text[end]); ++back) --end;
    return text.substr(0, detail::continues_character(text[end]) ? limit : end);
}

CAPSTAN_NAMESPACE_END
