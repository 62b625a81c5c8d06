#include "io/printable.hpp"

#include <cstdint>

#include <capstan/ascii.hpp>
#include <capstan/utf8.hpp>

namespace capstan::io {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

std::string escaped(char control) {
    if (control == '\n') return "\\n";
    if (control == '\r') return "\\r";
    if (control == '\t') return "\\t";
    return "\\x" + hex_text({&control, 1});
}

/// C1 controls (U+0080 to U+009F) control a terminal as the ASCII control characters do.
bool is_c1_control(std::string_view character) noexcept {
    return character.size() == 2 && character[0] == '\xc2' &&
           static_cast<unsigned char>(character[1]) < 0xa0;
}

void append_character(std::string& out, std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1 && (first < 0x20 || first == 0x7f)) {
        out += escaped(character[0]);
    } else if (is_c1_control(character)) {
        out += escaped(character[1]);
    } else {
        out += character;
    }
}

/// Calls `take` with each character; with U+FFFD for each byte that is not UTF-8.
template <class F>
void each_character(std::string_view text, F take) {
    while (!text.empty()) {
        const std::size_t bytes = utf8_length(text);
        take(bytes == 0 ? replacement : text.substr(0, bytes));
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
    const std::string_view shown = beginning_of(text, limit);
    std::string out;
    out.reserve(shown.size());
    each_character(shown, [&](std::string_view character) { append_character(out, character); });
    if (shown.size() < text.size()) out += "...";
    return out;
}

std::string repaired(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    each_character(text, [&](std::string_view character) { out += character; });
    return out;
}

std::string json_quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += "\\u00" + hex_text({&c, 1});
        } else {
            out += c;
        }
    }
    return out + '"';
}

}  // namespace capstan::io
