#include "commands/table.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace capstan::commands {
namespace {

std::string printed(const std::vector<std::vector<std::string>>& rows,
                    std::string_view indent = "") {
    std::ostringstream out;
    print_table(out, rows, indent);
    return out.str();
}

TEST(Table, MakesColumnsAsWideAsTheirWidestCell) {
    EXPECT_EQ(printed({{"NAME", "N"}, {"x", "12"}, {"longer", ""}}),
              "NAME    N\nx       12\nlonger\n");
}

TEST(Table, CountsCharactersNotBytes) {
    EXPECT_EQ(printed({{"äö", "1"}, {"abc", "2"}}), "äö   1\nabc  2\n");
}

TEST(Table, PrintsNothingWithoutRows) { EXPECT_EQ(printed({}), ""); }

TEST(Table, IndentsEveryLine) { EXPECT_EQ(printed({{"a"}, {"b"}}, "  "), "  a\n  b\n"); }

}  // namespace
}  // namespace capstan::commands
