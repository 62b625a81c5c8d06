/// Kubernetes' rules for names of objects, for keys of labels, annotations and taints, and for
/// label values.
///
///     CAPSTAN_CHECK(check_label_key(key));  // "-a": does not begin with a letter or digit
///     if (!is_label_value(tag)) continue;
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <capstan/ascii.hpp>
#include <capstan/result.hpp>
#include <capstan/sentence.hpp>

CAPSTAN_NAMESPACE_BEGIN

namespace detail {

constexpr bool is_small_or_digit(char c) noexcept { return is_ascii_lower(c) || is_ascii_digit(c); }

/// Why `text` is not valid as the name in a key or as a non-empty value; NULL: it is valid.
constexpr const char* find_name_fault(std::string_view text) noexcept {
    if (text.empty()) return "is empty";
    if (text.size() > 63) return "is longer than 63 characters";
    const bool suits = std::all_of(text.begin(), text.end(), [](char c) {
        return is_ascii_alnum(c) || c == '-' || c == '_' || c == '.';
    });
    if (!suits) return "has characters other than letters, digits, '-', '_' and '.'";
    if (!is_ascii_alnum(text.front())) return "does not begin with a letter or digit";
    return is_ascii_alnum(text.back()) ? nullptr : "does not end with a letter or digit";
}

}  // namespace detail

/// An RFC 1123 label, such as the name of a namespace: up to 63 lower-case letters, digits and '-',
/// which is neither first nor last.
constexpr bool is_dns_label(std::string_view text) noexcept {
    return !text.empty() && text.size() <= 63 && text.front() != '-' && text.back() != '-' &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return detail::is_small_or_digit(c) || c == '-'; });
}

/// An RFC 1123 subdomain, such as the name of most objects: parts separated by dots, each of
/// lower-case letters, digits and '-', which is neither first nor last; at most 253 characters.
constexpr bool is_dns_subdomain(std::string_view text) noexcept {
    if (text.size() > 253) return false;
    for (;;) {
        const std::string_view part = text.substr(0, text.find('.'));
        const bool is_part = !part.empty() && part.front() != '-' && part.back() != '-' &&
                             std::all_of(part.begin(), part.end(), [](char c) {
                                 return detail::is_small_or_digit(c) || c == '-';
                             });
        if (!is_part) return false;
        if (part.size() == text.size()) return true;
        text.remove_prefix(part.size() + 1);
    }
}

/// "NAME" or "PREFIX/NAME", of a label, an annotation or a taint. `invalid_argument`: the message
/// has the key.
inline Result<void> check_label_key(std::string_view key) {
    const std::size_t slash = key.find('/');
    const bool has_prefix = slash != std::string_view::npos;
    const auto refuse = [key](const std::string& why) {
        return fail(ErrorCode::invalid_argument, "label key " + in_quotes(key) + ": " + why);
    };
    if (has_prefix && !is_dns_subdomain(key.substr(0, slash)))
        return refuse("the prefix is not a DNS name in lower case");
    if (const char* fault = detail::find_name_fault(has_prefix ? key.substr(slash + 1) : key))
        return refuse(std::string(has_prefix ? "the name after '/' " : "") + fault);
    return {};
}

/// May be empty.
inline Result<void> check_label_value(std::string_view value) {
    const char* fault = value.empty() ? nullptr : detail::find_name_fault(value);
    if (fault == nullptr) return {};
    return fail(ErrorCode::invalid_argument, "label value " + in_quotes(value) + ": " + fault);
}

constexpr bool is_label_key(std::string_view key) noexcept {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) return detail::find_name_fault(key) == nullptr;
    return is_dns_subdomain(key.substr(0, slash)) &&
           detail::find_name_fault(key.substr(slash + 1)) == nullptr;
}
constexpr bool is_label_value(std::string_view value) noexcept {
    return value.empty() || detail::find_name_fault(value) == nullptr;
}

CAPSTAN_NAMESPACE_END
