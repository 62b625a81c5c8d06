#include "runtime/config/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>

namespace capstan::runtime {
namespace {

unsigned byte(char c) { return static_cast<unsigned char>(c); }

/// Bytes of the character that starts at text[0]; 0 when it is not well-formed UTF-8.
std::size_t character_length(std::string_view text) {
    const unsigned lead = byte(text[0]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    if (length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(text[i]) & 0xc0) != 0x80) return 0;
    }
    return length;
}

/// C0, DEL and C1: what a terminal acts on instead of showing.
bool is_control(std::string_view character) {
    const unsigned lead = byte(character[0]);
    return lead < 0x20 || lead == 0x7f || (lead == 0xc2 && byte(character[1]) < 0xa0);
}

bool is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/// Optimal string alignment distance: Damerau-Levenshtein in which no part is edited twice.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

std::string_view short_escape(char c) {
    switch (c) {
        case '"': return "\\\"";
        case '\\': return "\\\\";
        case '\n': return "\\n";
        case '\t': return "\\t";
        case '\r': return "\\r";
        default: return "";
    }
}

}  // namespace

std::vector<std::string> printable_characters(std::string_view text) {
    std::vector<std::string> out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
        if (character == "\t") {
            out.emplace_back(" ");
        } else {
            out.emplace_back(length == 0 || is_control(character) ? "?" : character);
        }
        text.remove_prefix(character.size());
    }
    return out;
}

std::string printable(std::string_view text) {
    std::string out;
    for (const std::string& character : printable_characters(text)) out += character;
    return out;
}

std::string shortened(std::string_view text, std::size_t characters) {
    // Four bytes make the longest character, so the rest need not be looked at.
    const std::vector<std::string> all = printable_characters(text.substr(0, (characters + 1) * 4));
    std::string out;
    for (std::size_t i = 0; i < std::min(all.size(), characters); ++i) out += all[i];
    return all.size() > characters ? out + "..." : out;
}

std::string toml_key(std::string_view key) {
    const bool bare = !key.empty() && std::ranges::all_of(key, is_bare);
    return bare ? std::string(key) : toml_string(key);
}

std::string toml_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (const std::string_view escape = short_escape(c); !escape.empty()) {
            out += escape;
        } else if (byte(c) < 0x20 || byte(c) == 0x7f) {
            std::array<char, 8> code{};
            std::snprintf(code.data(), code.size(), "\\u%04x", byte(c));
            out += code.data();
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string join_path(std::string_view path, std::string_view key) {
    return path.empty() ? toml_key(key) : std::string(path) + "." + toml_key(key);
}

std::string find_similar(std::string_view wrong, const std::vector<std::string>& words) {
    constexpr std::size_t longest =
        64;  // the table of distances is quadratic, and keys come from anywhere
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(1, wrong.size() / 3) + 1;
    if (wrong.size() > longest) return best;
    for (const std::string& word : words) {
        if (word.size() > longest) continue;
        const std::size_t distance = edit_distance(wrong, word);
        if (distance >= best_distance) continue;
        best_distance = distance;
        best = word;
    }
    return best;
}

std::string suggestion(std::string_view wrong, const std::vector<std::string>& words) {
    const std::string similar = find_similar(wrong, words);
    return similar.empty() ? "" : "; did you mean '" + similar + "'?";
}

std::string joined_names(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
    return out;
}

}  // namespace capstan::runtime
