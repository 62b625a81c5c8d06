#include "config/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>

#include <capstan/ascii.hpp>
#include <capstan/utf8.hpp>

namespace capstan::config {
namespace {

unsigned byte(char c) { return static_cast<unsigned char>(c); }

/// C0, DEL and C1: the characters that control a terminal.
bool is_control(std::string_view character) {
    const unsigned lead = byte(character[0]);
    return lead < 0x20 || lead == 0x7f || (lead == 0xc2 && byte(character[1]) < 0xa0);
}

bool is_bare(char c) { return is_ascii_alnum(c) || c == '_' || c == '-'; }

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
        const std::size_t length = utf8_length(text);
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

namespace {

bool is_defaulted(const TomlValue&) { return false; }
bool is_defaulted(const SettingValue& value) { return value.defaulted; }

template <class Value>
std::string array_text(const Value& value) {
    std::string out;
    for (const Value& item : value.children) out += (out.empty() ? "" : ", ") + to_toml(item);
    return "[" + out + "]";
}

template <class Value>
std::string table_text(const Value& value) {
    std::string out;
    for (const Value& member : value.children) {
        if (is_defaulted(member)) continue;
        out += (out.empty() ? "" : ", ") + toml_key(member.key) + " = " + to_toml(member);
    }
    return out.empty() ? "{}" : "{ " + out + " }";
}

}  // namespace

std::string toml_number(double number) {
    char out[64];
    const auto end = std::to_chars(out, out + sizeof out, number).ptr;
    const std::string text(out, end);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string to_toml(const TomlValue& value) {
    switch (value.kind) {
        case TomlValue::Kind::string: return toml_string(value.text);
        case TomlValue::Kind::integer: return std::to_string(value.integer);
        case TomlValue::Kind::floating: return toml_number(value.number);
        case TomlValue::Kind::boolean: return value.boolean ? "true" : "false";
        case TomlValue::Kind::date: return value.text;
        case TomlValue::Kind::array: return array_text(value);
        case TomlValue::Kind::table: return table_text(value);
    }
    return "\"\"";
}

std::string to_toml(const SettingValue& value) {
    if (value.shape == SettingValue::Shape::list) return array_text(value);
    if (value.shape == SettingValue::Shape::table)
        return value.text.empty() ? table_text(value) : toml_string(value.text);
    switch (value.type) {
        case SettingType::integer: return std::to_string(value.integer);
        case SettingType::number: return toml_number(value.number);
        case SettingType::boolean: return value.boolean ? "true" : "false";
        case SettingType::secret: return "{ secret = " + toml_string(value.text) + " }";
        default: return toml_string(value.text);
    }
}

namespace {

/// The position behind the string that starts at `at`. An unclosed string ends where the parser
/// stops with an error, or later, so nothing that is skipped would be parsed. A multi-line string
/// may end with one or two quotes as content: """a"""" is a".
std::size_t skip_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const bool escapes = quote == '"';
    const bool multi_line = text.substr(at, 3) == std::string_view(quote == '"' ? "\"\"\"" : "'''");
    const std::string_view end = text.substr(at, multi_line ? 3 : 1);
    for (std::size_t i = at + end.size(); i < text.size(); ++i) {
        if (escapes && text[i] == '\\') {
            ++i;
        } else if (!multi_line && text[i] == '\n') {
            return i;
        } else if (text.substr(i, end.size()) == end) {
            std::size_t past = i + end.size();
            for (int own = 0; multi_line && own < 2 && past < text.size() && text[past] == quote;
                 ++own)
                ++past;
            return past;
        }
    }
    return text.size();
}

Place place_at(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    const std::size_t characters = count_characters(before.substr(line_start));
    return {static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1),
            static_cast<std::uint32_t>(characters + 1), 1};
}

struct Depth {
    int dots = 0;
    int brackets = 0;

    void add(char c) {
        switch (c) {
            case '.': ++dots; break;
            case '[':
            case '{':
                ++brackets;
                dots = 0;
                break;
            case ']':
            case '}':
                brackets = std::max(0, brackets - 1);
                dots = 0;
                break;
            case '=':
            case ',':
            case '\n': dots = 0; break;
            default: break;
        }
    }
    bool too_deep() const { return dots >= max_nesting || brackets > max_nesting; }
};

}  // namespace

std::optional<Place> find_deep_nesting(std::string_view text) {
    Depth depth;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"' || text[at] == '\'') {
            at = skip_string(text, at);
        } else if (text[at] == '#') {
            at = std::min(text.find('\n', at), text.size());
        } else {
            depth.add(text[at]);
            if (depth.too_deep()) return place_at(text, at);
            ++at;
        }
    }
    return std::nullopt;
}

}  // namespace capstan::config
