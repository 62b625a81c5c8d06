#include <capstan/testing/setting_value.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using capstan::testing::list;
using capstan::testing::parse_toml_value;
using capstan::testing::table;
using capstan::testing::Value;
using ::testing::HasSubstr;

TEST(TomlValue, ReadsEveryTypeOfDefault) {
    EXPECT_EQ(parse_toml_value("\"5m\"").value(), Value("5m"));
    EXPECT_EQ(parse_toml_value("'C:\\n'").value(), Value("C:\\n"));
    EXPECT_EQ(parse_toml_value(" 42 ").value(), Value(42));
    EXPECT_EQ(parse_toml_value("-1_000").value(), Value(-1000));
    EXPECT_EQ(parse_toml_value("+3").value(), Value(3));
    EXPECT_EQ(parse_toml_value("0.05").value(), Value(0.05));
    EXPECT_EQ(parse_toml_value("1e-3").value(), Value(0.001));
    EXPECT_EQ(parse_toml_value("true").value(), Value(true));
    EXPECT_EQ(parse_toml_value("false").value(), Value(false));
    EXPECT_EQ(parse_toml_value("[]").value(), Value(Value::List()));
    EXPECT_EQ(parse_toml_value("{}").value(), Value(Value::Table()));
}

TEST(TomlValue, ReadsNestedListsAndTables) {
    EXPECT_EQ(parse_toml_value("[\"a\", [1, 2,],\n 'b' ]").value(), list("a", list(1, 2), "b"));
    EXPECT_EQ(parse_toml_value("{ cpu = 1.5, \"k8s.io/zone\" = { ok = true } }").value(),
              table({{"cpu", 1.5}, {"k8s.io/zone", table({{"ok", true}})}}));
}

TEST(TomlValue, ReadsEscapes) {
    EXPECT_EQ(parse_toml_value(R"("a\tb\"\\\u00e9\U0001F600")").value(),
              Value("a\tb\"\\\u00e9\U0001F600"));
}

TEST(TomlValue, RejectsInvalidText) {
    for (const char* bad : {"",        "abc",         "1.2.3",     "\"open", "'open",
                            "[1",      "[1 2]",       "{a}",       "{a=1",   "1 2",
                            "\"\\q\"", "\"\\ud800\"", "\"\\u12\"", "--1",    "1979-05-27",
                            ".5",      "5.",          "007",       "1__0",   "99999999999999999999",
                            "{a=1,}",  "{a=1, a=2}",  "'a\nb'"}) {
        EXPECT_FALSE(parse_toml_value(bad)) << bad;
    }
    EXPECT_THAT(parse_toml_value("[1 2]").error().message,
                HasSubstr("expected ',' or ']' at character 4"));
    EXPECT_FALSE(parse_toml_value(std::string(1000, '[')));
}

}  // namespace
