#include "commands/table.hpp"

#include <algorithm>

namespace capstan::commands {
namespace {

/// In characters; colours take no place.
std::size_t width_of(std::string_view cell) {
    std::size_t out = 0;
    bool is_style = false;
    for (const char c : cell) {
        if (c == '\x1b') is_style = true;
        const bool begins_character = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        if (!is_style && begins_character) ++out;
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
