#include "simulator/trace/trace.hpp"

#include <gtest/gtest.h>

namespace capstan::simulator::trace {
namespace {

std::string csv_error(std::string_view text) {
    const auto table = CsvTable::parse("t.csv", text);
    return table ? "" : table.error().message;
}

TEST(TraceCsv, ReadsValuesByColumnName) {
    const auto table = CsvTable::parse("t.csv", "name,cpu\na,1\nb,2\n");
    ASSERT_TRUE(table);
    ASSERT_EQ(table->size(), 2u);
    EXPECT_EQ(table->row(1).text("name"), "b");
    EXPECT_EQ(table->row(1).natural("cpu"), 2);
    EXPECT_EQ(table->row(1).place(), "t.csv:3");
    EXPECT_FALSE(table->has("memory"));
}

TEST(TraceCsv, AcceptsQuotesEmptyLinesAndWindowsLineEnds) {
    const auto table = CsvTable::parse("t.csv", "a,b\r\n\r\n\"x,\"\"y\"\"\",\r\n\"1\n2\",3\r\n4,5");
    ASSERT_TRUE(table);
    ASSERT_EQ(table->size(), 3u);
    EXPECT_EQ(table->row(0).text("a"), "x,\"y\"");
    EXPECT_EQ(table->row(0).text("b"), "");
    EXPECT_EQ(table->row(1).text("a"), "1\n2");
    EXPECT_EQ(table->row(2).place(), "t.csv:6");
}

TEST(TraceCsv, ReportsTheLineOfAnError) {
    EXPECT_EQ(csv_error("a,b\n1,2\n3\n"), "t.csv:3: has 1 value, but the header has 2 columns");
    EXPECT_EQ(csv_error("a,b\n1,2,3\n"), "t.csv:2: has 3 values, but the header has 2 columns");
    EXPECT_EQ(csv_error("a,b\n\"1,2\n"), "t.csv:2: unterminated quote");
}

TEST(TraceCsv, RejectsInvalidNumbers) {
    const auto table = CsvTable::parse("t.csv", "n\nx\n-1\n1.5\n\n");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->row(0).natural("n").error().message,
              "t.csv:2: n: expects a whole number of 0 or more, found \"x\"");
    EXPECT_FALSE(table->row(1).natural("n"));
    EXPECT_FALSE(table->row(2).natural("n"));
}

TEST(TraceCsv, AcceptsAnEmptyFile) {
    const auto table = CsvTable::parse("t.csv", "");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->size(), 0u);
    EXPECT_FALSE(table->has(""));
}

}  // namespace
}  // namespace capstan::simulator::trace
