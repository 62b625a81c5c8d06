#include <capstan/glob.hpp>

#include <gtest/gtest.h>

namespace {

TEST(Globs, MatchWholeNames) {
    struct Case {
        const char *text, *glob;
        bool expected;
    };
    for (const Case& c : {Case{"m5.large", "m5.*", true},
                          {"m5.large", "m5.large", true},
                          {"m5.large", "m?.*e", true},
                          {"m5.large", "*", true},
                          {"m5.large", "**large", true},
                          {"n2-standard-4", "n2-*-4", true},
                          {"n2d-standard-4", "n2-*", false},
                          {"m5a.large", "m5.*", false},
                          {"m5.large", "m5", false},
                          {"m5.large", "m5.large?", false},
                          {"m5.large", "", false},
                          {"", "", true},
                          {"", "*", true},
                          {"", "?", false},
                          {"m5.large.large", "*.large", true}})
        EXPECT_EQ(capstan::matches_glob(c.text, c.glob), c.expected) << c.text << " " << c.glob;
}

}  // namespace
