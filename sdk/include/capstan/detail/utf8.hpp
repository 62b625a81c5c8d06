/// UTF-8 validation. Internal to the SDK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

/// Number of bytes of the character at the front of `bytes`; 0 if it is invalid: cut short,
/// overlong, a surrogate, or above U+10FFFF.
constexpr std::size_t utf8_length(std::string_view bytes) noexcept {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned char lead = at(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || bytes.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xc0) != 0x80) return 0;
    }
    const bool overlong = (lead == 0xe0 && at(1) < 0xa0) || (lead == 0xf0 && at(1) < 0x90);
    const bool outside = (lead == 0xed && at(1) > 0x9f) || (lead == 0xf4 && at(1) > 0x8f);
    return overlong || outside ? 0 : length;
}

constexpr bool is_utf8(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const std::size_t length = utf8_length(bytes);
        if (length == 0) return false;
        bytes.remove_prefix(length);
    }
    return true;
}

/// At most `longest` bytes of whole characters, with '?' for each invalid byte.
inline std::string clean_utf8(std::string_view bytes, std::size_t longest) {
    std::string out;
    while (!bytes.empty()) {
        const std::size_t length = utf8_length(bytes);
        const std::string_view next = length == 0 ? std::string_view("?") : bytes.substr(0, length);
        if (out.size() + next.size() > longest) break;
        out += next;
        bytes.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

/// Appends the character of a code point, which must not be a surrogate.
inline void append_utf8(std::string& out, std::uint32_t point) {
    const auto tail = [&](int shift) {
        return static_cast<char>(0x80 | ((point >> shift) & 0x3f));
    };
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += {static_cast<char>(0xc0 | (point >> 6)), tail(0)};
    } else if (point < 0x10000) {
        out += {static_cast<char>(0xe0 | (point >> 12)), tail(6), tail(0)};
    } else {
        out += {static_cast<char>(0xf0 | (point >> 18)), tail(12), tail(6), tail(0)};
    }
}

}  // namespace detail
CAPSTAN_NAMESPACE_END
