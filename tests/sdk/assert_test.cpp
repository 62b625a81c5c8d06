#include <capstan/assert.hpp>

#include <gtest/gtest.h>

namespace capstan {
namespace {

TEST(AssertDeathTest, PrintsTheConditionAndItsPlace) {
    const int nodes = 3;
    EXPECT_DEATH(CAPSTAN_ASSERT(nodes <= 2, "a group grows beyond its maximum"),
                 "assert_test.cpp:[0-9]+: assertion failed: a group grows beyond its maximum "
                 "\\(nodes <= 2\\)");
}

TEST(Assert, EvaluatesItsConditionOnce) {
    int evaluated = 0;
    CAPSTAN_ASSERT(++evaluated == 1, "it is evaluated more than once");
    EXPECT_EQ(evaluated, 1);
}

}  // namespace
}  // namespace capstan
