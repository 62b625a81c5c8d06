#include "io/printable.hpp"

#include <cstdint>

namespace capstan::io {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

bool is_continuation(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// How many bytes the lead byte promises; 0: it is none.
std::size_t promised_bytes(unsigned char lead) noexcept {
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead < 0xe0) return 2;
    if (lead >= 0xe0 && lead < 0xf0) return 3;
    if (lead >= 0xf0 && lead < 0xf5) return 4;
    return 0;
}

/// Whether the second byte makes an overlong form, a surrogate or a code point past the last one.
bool is_out_of_range(unsigned char lead, unsigned char second) noexcept {
    return (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) ||
           (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90);
}

/// Bytes of the character that begins `text`; 0: no valid one does.
std::size_t character_bytes(std::string_view text) noexcept {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t bytes = promised_bytes(lead);
    if (bytes == 0 || bytes > text.size()) return 0;
    for (std::size_t i = 1; i < bytes; ++i) {
        if (!is_continuation(text[i])) return 0;
    }
    if (bytes > 2 && is_out_of_range(lead, static_cast<unsigned char>(text[1]))) return 0;
    return bytes;
}

std::string escaped(unsigned char control) {
    if (control == '\n') return "\\n";
    if (control == '\r') return "\\r";
    if (control == '\t') return "\\t";
    constexpr std::string_view digits = "0123456789abcdef";
    return {'\\', 'x', digits[control >> 4], digits[control & 15]};
}

/// C1 controls (U+0080 to U+009F) move a terminal's cursor as the old ones do.
bool is_c1_control(std::string_view character) noexcept {
    return character.size() == 2 && character[0] == '\xc2' &&
           static_cast<unsigned char>(character[1]) < 0xa0;
}

void append_character(std::string& out, std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1 && (first < 0x20 || first == 0x7f)) {
        out += escaped(first);
    } else if (is_c1_control(character)) {
        out += escaped(static_cast<unsigned char>(character[1]));
    } else {
        out += character;
    }
}

/// Gives `take` one character after the other, the replacement for what is none.
template <class F>
void each_character(std::string_view text, F take) {
    while (!text.empty()) {
        const std::size_t bytes = character_bytes(text);
        take(bytes == 0 ? replacement : text.substr(0, bytes));
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
}

}  // namespace

std::string_view cut(std::string_view text, std::size_t limit) noexcept {
    if (text.size() <= limit) return text;
    std::size_t end = limit;
    // A valid character has at most three continuation bytes; anything else is cut where it stands.
    for (int back = 0; back < 3 && end > 0 && is_continuation(text[end]); ++back) --end;
    return text.substr(0, is_continuation(text[end]) ? limit : end);
}

std::string printable(std::string_view text, std::size_t limit) {
    const std::string_view shown = cut(text, limit);
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
            out += "\\u00";
            out += "01"[static_cast<unsigned char>(c) >> 4];
            out += "0123456789abcdef"[c & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

}  // namespace capstan::io
