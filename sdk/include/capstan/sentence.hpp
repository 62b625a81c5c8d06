/// Parts of explanations, so that all plugins use the same wording.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <capstan/namespace.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// Foreign text in a message: in quotes, cut if it is long, without control characters.
inline std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 80;
    std::string out = "\"";
    for (const char c : text.substr(0, longest))
        out += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
    return out + (text.size() > longest ? "...\"" : "\"");
}

/// "1 node", "3 nodes".
inline std::string counted(std::int64_t n, std::string_view noun) {
    return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

/// A fraction as a percentage: 0.125 is "12.5%", 0.2 is "20%".
inline std::string percent(double share) {
    const double tenths = std::round(share * 1000);
    // A double of this size may have no exact tenths. NaN and infinity are printed here, too.
    if (!(std::abs(tenths) < 1e15)) {
        char out[400];
        std::snprintf(out, sizeof out, "%.0f%%", tenths / 10);
        return out;
    }
    const auto count = static_cast<std::int64_t>(tenths);
    const std::int64_t size = count < 0 ? -count : count;
    std::array<char, 24> out{};
    char* end = out.data();
    if (count < 0) *end++ = '-';
    end = std::to_chars(end, out.data() + out.size(), size / 10).ptr;
    if (size % 10 != 0) {
        *end++ = '.';
        *end++ = static_cast<char>('0' + size % 10);
    }
    *end++ = '%';
    return {out.data(), end};
}

/// Lists a few names, or the first ones of many:
///     listed(ids, [](const auto& id) { return id.value(); })  ->  "a, b, c, d, e and 12 more"
template <class List, class NameOf>
std::string listed(const List& list, NameOf name_of, std::size_t most = 5) {
    std::string out;
    std::size_t n = 0;
    for (const auto& item : list) {
        if (++n <= most) out += (n == 1 ? "" : ", ") + std::string(name_of(item));
    }
    return n <= most ? out : out + " and " + std::to_string(n - most) + " more";
}

CAPSTAN_NAMESPACE_END
