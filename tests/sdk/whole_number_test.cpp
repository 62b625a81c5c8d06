#include <capstan/whole_number.hpp>

#include <gtest/gtest.h>

namespace capstan {
namespace {

TEST(WholeNumber, IsParsedAsGoDoes) {
    EXPECT_EQ(find_whole_number("7"), 7);
    EXPECT_EQ(find_whole_number("+7"), 7);
    EXPECT_EQ(find_whole_number("-7"), -7);
    EXPECT_EQ(find_whole_number("007"), 7);
    EXPECT_EQ(find_whole_number("9223372036854775807"), INT64_MAX);
    EXPECT_EQ(find_whole_number("-9223372036854775808"), INT64_MIN);
}

TEST(WholeNumber, RejectsAnythingElse) {
    for (const char* text : {"", " 7", "7 ", "seven", "7.0", "7e3", "0x10", "1_000", "+", "-",
                             "+-7", "--7", "9223372036854775808", "-9223372036854775809"}) {
        EXPECT_EQ(find_whole_number(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace capstan
