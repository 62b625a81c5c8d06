#include <capstan/sentence.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace capstan {
namespace {

TEST(Sentence, CountsOneAndMany) {
    EXPECT_EQ(counted(0, "node"), "0 nodes");
    EXPECT_EQ(counted(1, "node"), "1 node");
    EXPECT_EQ(counted(-1, "node"), "-1 nodes");
    EXPECT_EQ(counted(2, "node"), "2 nodes");
}

TEST(Sentence, WritesSharesAsPercentWithAtMostOneDecimal) {
    EXPECT_EQ(percent(0), "0%");
    EXPECT_EQ(percent(-0.0), "0%");
    EXPECT_EQ(percent(0.2), "20%");
    EXPECT_EQ(percent(0.125), "12.5%");
    EXPECT_EQ(percent(1.0 / 3), "33.3%");
    EXPECT_EQ(percent(0.0004), "0%");
    EXPECT_EQ(percent(12), "1200%");
    EXPECT_EQ(percent(-0.0049), "-0.5%");
    EXPECT_EQ(percent(-0.0004), "0%");
    EXPECT_EQ(percent(-1.5), "-150%");
    EXPECT_EQ(percent(1e13), "1000000000000000%");
    EXPECT_EQ(percent(std::numeric_limits<double>::infinity()), "inf%");
    EXPECT_EQ(percent(-1e300).size(), 1 + 303 + 1);
}

TEST(Sentence, NamesAFewAndCountsTheRest) {
    const auto number = [](int n) { return std::to_string(n); };
    EXPECT_EQ(listed(std::vector<int>{}, number), "");
    EXPECT_EQ(listed(std::vector{1, 2}, number), "1, 2");
    EXPECT_EQ(listed(std::vector{1, 2, 3, 4, 5}, number), "1, 2, 3, 4, 5");
    EXPECT_EQ(listed(std::vector{1, 2, 3, 4, 5, 6, 7}, number), "1, 2, 3, 4, 5 and 2 more");
}

TEST(Sentence, QuotesTextOnOneLine) {
    EXPECT_EQ(in_quotes("a\nb"), "\"a?b\"");
    EXPECT_EQ(in_quotes(std::string(100, 'x')), "\"" + std::string(80, 'x') + "...\"");
}

}  // namespace
}  // namespace capstan
