#include "runtime/config/label_key.hpp"

#include <algorithm>

namespace capstan::runtime {
namespace {

bool is_small_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_letter_or_digit(char c) { return is_small_or_digit(c) || (c >= 'A' && c <= 'Z'); }

bool is_name_part(std::string_view text) {
    return !text.empty() && text.size() <= 63 && is_letter_or_digit(text.front()) &&
           is_letter_or_digit(text.back()) && std::ranges::all_of(text, [](char c) {
               return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
           });
}

bool is_domain_part(std::string_view text) {
    return !text.empty() && is_small_or_digit(text.front()) && is_small_or_digit(text.back()) &&
           std::ranges::all_of(text, [](char c) { return is_small_or_digit(c) || c == '-'; });
}

bool is_domain(std::string_view text) {
    if (text.size() > 253) return false;
    for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
        if (!is_domain_part(text.substr(0, dot))) return false;
        text.remove_prefix(dot + 1);
    }
    return is_domain_part(text);
}

}  // namespace

bool is_label_key(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return is_name_part(text);
    return is_domain(text.substr(0, slash)) && is_name_part(text.substr(slash + 1));
}

}  // namespace capstan::runtime
