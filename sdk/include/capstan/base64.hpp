/// Bytes as text by RFC 4648.
///
///     base64_encode(digest)                                   ->  "3q2+7w=="
///     base64_encode(claims, Base64::url_unpadded)             ->  "3q2-7w"        (JWT)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/result.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// The alphabet ("+/" or "-_"), and whether '=' pads the text to a multiple of four characters.
enum class Base64 : std::uint8_t { standard, standard_unpadded, url, url_unpadded };

namespace detail {

constexpr bool is_url_safe(Base64 form) noexcept {
    return form == Base64::url || form == Base64::url_unpadded;
}
constexpr bool is_padded(Base64 form) noexcept {
    return form == Base64::standard || form == Base64::url;
}

/// The value of a character, 0 to 63; -1: it is not in the alphabet.
constexpr int base64_value(char c, bool is_url) noexcept {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == (is_url ? '-' : '+')) return 62;
    return c == (is_url ? '_' : '/') ? 63 : -1;
}

}  // namespace detail

inline std::string base64_encode(std::string_view bytes, Base64 form = Base64::standard) {
    const std::string_view alphabet =
        detail::is_url_safe(form)
            ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t three = 0;
        for (std::size_t i = at; i < at + 3; ++i)
            three = three << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
        for (std::size_t i = 0; i < 4; ++i) {
            if (at + i <= bytes.size()) {
                out += alphabet[three >> (18 - 6 * i) & 63];
            } else if (detail::is_padded(form)) {
                out += '=';
            }
        }
    }
    return out;
}

namespace detail {

inline Result<std::string> decode_base64(std::string_view text, Base64 form, bool takes_last_bits) {
    const auto refuse = [](std::string why) {
        return fail(ErrorCode::invalid_argument, "invalid base64: " + std::move(why));
    };
    std::string_view digits = text;
    if (detail::is_padded(form)) {
        if (text.size() % 4 != 0) return refuse("the length is not a multiple of four");
        for (int i = 0; i < 2 && digits.ends_with('='); ++i) digits.remove_suffix(1);
    }
    if (digits.size() % 4 == 1) return refuse("a character is missing at the end");
    std::string out;
    out.reserve(digits.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const int value = detail::base64_value(digits[i], detail::is_url_safe(form));
        if (value < 0) return refuse("invalid character at byte " + std::to_string(i));
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        if (i % 4 != 0) out += static_cast<char>(bits >> (6 - 2 * (i % 4)) & 0xff);
    }
    // The unused bits of the last character: four when one byte is left over, two when two are.
    const std::uint32_t left = digits.size() % 4 == 2   ? bits & 15
                               : digits.size() % 4 == 3 ? bits & 3
                                                        : 0;
    if (left != 0 && !takes_last_bits) return refuse("unused bits are not zero");
    return out;
}

}  // namespace detail

/// Decodes text of exactly the given form. `invalid_argument`: a character outside the alphabet
/// (line breaks, too), wrong padding, or unused bits that are not 0. The message does not show the
/// text, which may be a secret.
inline Result<std::string> base64_decode(std::string_view text, Base64 form = Base64::standard) {
    return detail::decode_base64(text, form, false);
}

/// Decodes the standard form as Go does, and so Kubernetes: line breaks are ignored, and unused
/// bits of the last character are dropped. Otherwise as base64_decode.
inline Result<std::string> base64_decode_lenient(std::string text) {
    std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
    return detail::decode_base64(text, Base64::standard, true);
}

CAPSTAN_NAMESPACE_END
