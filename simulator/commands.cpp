#include "simulator/commands.hpp"

namespace capstan::simulator {

bool matches_pattern(std::string_view text, std::string_view pattern) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) return text == pattern;
    if (!text.starts_with(pattern.substr(0, star))) return false;
    const std::string_view rest = pattern.substr(star + 1);
    // The star stands for one word at most.
    for (std::size_t at = star;; ++at) {
        if (matches_pattern(text.substr(at), rest)) return true;
        if (at == text.size() || text[at] == ' ') return false;
    }
}

bool begins_with_words(std::string_view command, std::string_view words) {
    for (std::size_t end = command.find(' '); end != std::string_view::npos;
         end = command.find(' ', end + 1)) {
        if (matches_pattern(command.substr(0, end), words)) return true;
    }
    return matches_pattern(command, words);
}

}  // namespace capstan::simulator
