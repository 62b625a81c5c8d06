#include "commands/color.hpp"

#include <cstdlib>

namespace capstan::commands {
namespace {

std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

/// By its number in ECMA-48.
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

}  // namespace capstan::commands
