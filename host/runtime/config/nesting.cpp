#include "runtime/config/nesting.hpp"

#include <algorithm>
#include <cstddef>

namespace capstan::runtime {
namespace {

/// Past the string that starts at `at`. An unclosed one ends where the parser would give up, or
/// later: what it swallows is never parsed. A multi-line string may end in one or two quotes of its
/// own: """a"""" is a".
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

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

Place place_at(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto characters = std::ranges::count_if(before.substr(line_start),
                                                  [](char c) { return !is_continuation(c); });
    return {static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1),
            static_cast<std::uint32_t>(characters + 1), 1};
}

struct Depth {
    int dots = 0;
    int brackets = 0;

    void see(char c) {
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
            depth.see(text[at]);
            if (depth.too_deep()) return place_at(text, at);
            ++at;
        }
    }
    return std::nullopt;
}

}  // namespace capstan::runtime
