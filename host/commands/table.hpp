/// Colours and tables on a terminal.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::commands {

enum class ColorChoice { automatic, always, never };

/// `automatic` means colours on a terminal that is not "dumb", unless NO_COLOR is set and not empty
/// (no-color.org).
bool uses_color(ColorChoice choice, bool is_terminal);

/// `text`; if `is_on`, in the colour or weight that the function is named after.
std::string red(std::string_view text, bool is_on);
std::string yellow(std::string_view text, bool is_on);
std::string green(std::string_view text, bool is_on);
std::string bold(std::string_view text, bool is_on);

// Rows and columns for people: left-aligned, two spaces apart, no trailing blanks.

/// The first row is the heading. Widths count characters (UTF-8), not bytes.
void print_table(std::ostream& out, const std::vector<std::vector<std::string>>& rows,
                 std::string_view indent = "");

}  // namespace capstan::commands
