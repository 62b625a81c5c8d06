/// What Kubernetes lets labels, annotations, taints and objects be called, and what labels may say.
///
///     CAPSTAN_CHECK(check_label_key(key));  // "-a": begins with no letter or digit
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

/// What keeps `text` from being the name of a key, or a value that says something; NULL: nothing.
constexpr const char* find_name_fault(std::string_view text) noexcept {
    if (text.empty()) return "is empty";
    if (text.size() > 63) return "is longer than 63 characters";
    const bool suits = std::all_of(text.begin(), text.end(), [](char c) {
        return is_ascii_alnum(c) || c == '-' || c == '_' || c == '.';
    });
    if (!suits) return "has more than letters, digits, '-', '_' and '.'";
    if (!is_ascii_alnum(text.front())) return "begins with no letter or digit";
    return is_ascii_alnum(text.back()) ? nullptr : "ends with no letter or digit";
}

}  // namespace detail

/// RFC 1123's label, as namespaces are called: up to 63 small letters, digits and '-', which stands
/// neither first nor last.
constexpr bool is_dns_label(std::string_view text) noexcept {
    return !text.empty() && text.size() <= 63 && text.front() != '-' && text.back() != '-' &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return detail::is_small_or_digit(c) || c == '-'; });
}

/// Parts with dots between them, as most objects are called: each of small letters, digits and '-',
/// which stands neither first nor last, 253 characters in all.
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

/// "NAME" or "PREFIX/NAME", of a label, an annotation or a taint. `invalid_argument`: a sentence
/// with the key.
inline Result<void> check_label_key(std::string_view key) {
    const std::size_t slash = key.find('/');
    const bool has_prefix = slash != std::string_view::npos;
    const auto refuse = [key](const std::string& why) {
        return fail(ErrorCode::invalid_argument, "label key " + in_quotes(key) + ": " + why);
    };
    if (has_prefix && !is_dns_subdomain(key.substr(0, slash)))
        return refuse("what stands before the '/' is no DNS name in small letters");
    if (const char* fault = detail::find_name_fault(has_prefix ? key.substr(slash + 1) : key))
        return refuse(std::string(has_prefix ? "what stands behind the '/' " : "") + fault);
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
