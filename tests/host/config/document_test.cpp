#include "config/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/diagnostics.hpp"
#include "config/text.hpp"

namespace capstan::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TomlValue parsed(const std::string& text) {
    Diagnostics d({"t.toml", text});
    const auto root = parse_toml(d);
    EXPECT_EQ(d.text(), "");
    return root.value_or(TomlValue{});
}

std::string parse_refusal(const std::string& text) {
    Diagnostics d({"t.toml", text});
    EXPECT_FALSE(parse_toml(d));
    return d.text();
}

std::vector<std::string> table_keys(const TomlValue& table) {
    std::vector<std::string> out;
    for (const TomlValue& member : table.children) out.push_back(member.key);
    return out;
}

TEST(TomlDocument, KeepsTheOrderOfTheFile) {
    const TomlValue root = parsed(
        "z = 1\na = 2\n[m.z]\n[m.b]\nx = 1\n[c]\nk = { q = 1, b = 2, n = 3 }\nd.z = 1\nd.a = 2\n");
    EXPECT_THAT(table_keys(root), ElementsAre("z", "a", "m", "c"));
    EXPECT_THAT(table_keys(*root.find("m")), ElementsAre("z", "b"));
    EXPECT_THAT(table_keys(*root.find("c")->find("k")), ElementsAre("q", "b", "n"));
    EXPECT_THAT(table_keys(*root.find("c")->find("d")), ElementsAre("z", "a"));
}

TEST(TomlDocument, KnowsThePositionsOfKeysAndValues) {
    const TomlValue root =
        parsed("[plugin.aws]\nsettings.tags.\"k8s.io/a\" = [\n  \"ü\", { x = true } ]\n");
    const TomlValue& tags = *root.find("plugin")->find("aws")->find("settings")->find("tags");
    const TomlValue& member = tags.children.at(0);
    EXPECT_EQ(member.key, "k8s.io/a");
    EXPECT_EQ(member.key_place, (Place{2, 15, 10}));
    EXPECT_EQ(member.children.at(0).place, (Place{3, 3, 3}));
    EXPECT_EQ(member.children.at(1).children.at(0).key_place, (Place{3, 10, 1}));
    EXPECT_EQ(member.children.at(1).children.at(0).place, (Place{3, 14, 4}));
}

TEST(TomlDocument, KeepsPositionsWhenCopied) {
    const TomlValue copy = TomlValue(parsed("a = 1\nb = { c = 2 }\n"));
    EXPECT_EQ(copy.find("b")->find("c")->place, (Place{2, 11, 1}));
}

TEST(TomlDocument, KeepsArraysOfTablesInOrder) {
    const TomlValue root = parsed("[[g]]\nid = \"b\"\n[[g]]\nid = \"a\"\n");
    EXPECT_EQ(root.find("g")->children.at(0).find("id")->text, "b");
    EXPECT_EQ(root.find("g")->children.at(1).find("id")->text, "a");
}

TEST(TomlDocument, ReportsASyntaxErrorWithItsPosition) {
    EXPECT_EQ(parse_refusal("a = 1\nb = tru\n"),
              "t.toml:2:8: Error while parsing boolean: expected 'true', saw 'tru?'\n    b = tru\n "
              "          ^\n");
}

TEST(TomlDocument, ReportsADuplicateKey) {
    EXPECT_THAT(parse_refusal("a = 1\na = 2\n"),
                HasSubstr("t.toml:2:5: Error while parsing key-value "
                          "pair: cannot redefine existing integer 'a'"));
    EXPECT_THAT(parse_refusal("[a]\n[a]\n"),
                HasSubstr("t.toml:2:1: Error while parsing table header: cannot redefine"));
}

TEST(TomlDocument, SurvivesBinaryFiles) {
    EXPECT_NE(parse_refusal(std::string("\x7f"
                                        "ELF\x02\x01\x01\0\0\0",
                                        10)),
              "");
    EXPECT_NE(parse_refusal(std::string(100'000, '\0')), "");
    EXPECT_NE(parse_refusal(std::string(100'000, '\xff')), "");
    EXPECT_NE(parse_refusal("a = \"\xff\"\n"), "");
}

std::string repeated(const std::string& part, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += part;
    return out;
}

TEST(TomlDocument, RefusesDeepNestingBeforeParsing) {
    const std::string message = "nested more than 32 levels deep";
    EXPECT_THAT(parse_refusal(repeated("a.", 500'000) + "a = 1"),
                HasSubstr("t.toml:1:64: " + message));
    EXPECT_THAT(parse_refusal("[" + repeated("a.", 500'000) + "a]"), HasSubstr(message));
    EXPECT_THAT(parse_refusal("a = " + repeated("[", 1'000'000)), HasSubstr(message));
    EXPECT_THAT(parse_refusal("a = " + repeated("{a=", 300'000)), HasSubstr(message));
    EXPECT_THAT(
        parse_refusal("x = { s = \"\"\"v\"\"\"\", " + repeated("'b'.", 200'000) + "b = 1 }"),
        HasSubstr(message));
    EXPECT_THAT(parse_refusal("a = 'x'\n\"q\"." + repeated("\"b\" . ", 100'000) + "b = 1"),
                HasSubstr("t.toml:2:"));
}

TEST(TomlDocument, AllowsDotsInStringsCommentsAndManyLines) {
    const std::string dots(1000, '.');
    const TomlValue strings =
        parsed("a = \"" + dots + "[[[\" # " + dots + "\nb = '''\n" + dots +
               "'''\nc = \"\"\"\\\"\"\" " + dots + "\"\"\"\n" + "d = '\\'\n\"" + dots + "\" = 1\n");
    EXPECT_EQ(strings.children.size(), 5u);
    const TomlValue lines = parsed("a = [" + repeated("1.5, [1, {x = 2}],\n", 10'000) + "]\n");
    EXPECT_EQ(lines.find("a")->children.size(), 20'000u);
}

TEST(TomlDocument, ParsesTheDeepestAllowedNesting) {
    const std::string key = repeated("a.", max_nesting - 1) + "a";
    const TomlValue root = parsed("a = " + repeated("{" + key + " = ", max_nesting) + "1" +
                                  repeated("}", max_nesting));
    EXPECT_EQ(root.find("a")->children.size(), 1u);
}

TEST(TomlValueText, IsExactlyOneValue) {
    EXPECT_EQ(parse_toml_value("\"5m\"")->text, "5m");
    EXPECT_EQ(parse_toml_value("[1, 2]")->children.size(), 2u);
    EXPECT_FALSE(parse_toml_value(""));
    EXPECT_FALSE(parse_toml_value("1\nother = 2"));
    EXPECT_FALSE(parse_toml_value("1 2"));
    EXPECT_FALSE(parse_toml_value("[1"));
}

}  // namespace
}  // namespace capstan::config
