#include "commands/table.hpp"

#include <algorithm>
#include <cstdlib>

#include <capstan/utf8.hpp>

namespace capstan::commands {
namespace {

std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

/// `number` is the style's parameter of SGR in ECMA-48.
std::string in_style(int number, std::string_view text, bool is_on) {
    if (!is_on) return std::string(text);
    return "\x1b[" + std::to_string(number) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace

bool uses_color(ColorChoice choice, bool is_terminal) {
    if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
    return is_terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::string red(std::string_view text, bool is_on) { return in_style(31, text, is_on); }
std::string yellow(std::string_view text, bool is_on) { return in_style(33, text, is_on); }
std::string green(std::string_view text, bool is_on) { return in_style(32, text, is_on); }
std::string bold(std::string_view text, bool is_on) { return in_style(1, text, is_on); }

namespace {

/// The width in characters; escape sequences of colours count as zero.
std::size_t width_of(std::string_view cell) {
    std::size_t out = 0;
    bool is_style = false;
    for (const char c : cell) {
        if (c == '\x1b') is_style = true;
        if (!is_style) out += count_characters({&c, 1});
        if (c == 'm') is_style = false;
    }
    return out;
}

}  // namespace

void print_table(std::ostream& out, const std::vector<std::vector<std::string>>& rows,
                 std::string_view indent) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i]));
    }
    for (const auto& row : rows) {
        std::string line(indent);
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i] + std::string(widths[i] - width_of(row[i]) + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
}

}  // namespace capstan::commands
