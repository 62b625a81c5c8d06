/// Rows and columns for people: left-aligned, two spaces apart, no trailing blanks.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace capstan::commands {

/// The first row is the heading. Widths count characters (UTF-8), not bytes.
void print_table(std::ostream& out, const std::vector<std::vector<std::string>>& rows,
                 std::string_view indent = "");

}  // namespace capstan::commands
