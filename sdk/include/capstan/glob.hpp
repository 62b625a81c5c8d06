/// Shell patterns for names, for settings that select machine types and the like.
#pragma once

#include <cstddef>
#include <string_view>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Whether `glob` matches all of `text`: '*' matches any text, '?' any single character.
///     matches_glob("n2-standard-4", "n2-*")  ->  true
constexpr bool matches_glob(std::string_view text, std::string_view glob) noexcept {
    std::size_t t = 0, g = 0, star = std::string_view::npos, after_star = 0;
    while (t < text.size()) {
        if (g < glob.size() && glob[g] == '*') {
            star = g++;
            after_star = t;
        } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
            ++g, ++t;
        } else if (star != std::string_view::npos) {
            g = star + 1;
            t = ++after_star;
        } else {
            return false;
        }
    }
    while (g < glob.size() && glob[g] == '*') ++g;
    return g == glob.size();
}

CAPSTAN_NAMESPACE_END
