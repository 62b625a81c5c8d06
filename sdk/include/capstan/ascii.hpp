/// Letters and digits of ASCII, whatever the locale, and bytes as hexadecimal digits.
///
///     lower_case("Content-Type")        // "content-type"
///     hex_text("\x1f\xab")              // "1fab"
///     hex_text(std::uint64_t{31})       // "000000000000001f"
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

constexpr bool is_ascii_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_digit(char c) noexcept { return c >= '0' && c <= '9'; }
/// A letter or a digit.
constexpr bool is_ascii_alnum(char c) noexcept {
    return is_ascii_lower(c) || is_ascii_upper(c) || is_ascii_digit(c);
}
/// The lower-case form of a letter; any other character unchanged.
constexpr char ascii_lower(char c) noexcept {
    return is_ascii_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
/// The upper-case form of a letter; any other character unchanged.
constexpr char ascii_upper(char c) noexcept {
    return is_ascii_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

inline std::string lower_case(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), ascii_lower);
    return out;
}

/// Two lower-case digits for each byte.
inline std::string hex_text(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}
/// Sixteen digits, most significant first.
inline std::string hex_text(std::uint64_t number) {
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
    return hex_text(bytes);
}

CAPSTAN_NAMESPACE_END
