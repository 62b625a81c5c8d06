#include "config/overrides.hpp"

#include <gtest/gtest.h>

#include "config/diagnostics.hpp"

namespace capstan::config {
namespace {

TomlValue parsed_config(const char* text) {
    Diagnostics diagnostics({"capstan.toml", text});
    return parse_toml(diagnostics).value();
}

/// The errors, as text.
std::string apply_overrides(TomlValue& root, const std::vector<std::string>& set) {
    Diagnostics found({"capstan.toml", ""});
    override_values(root, set, found);
    return found.text();
}

TEST(Overrides, ReplaceValuesOfTheFile) {
    TomlValue root = parsed_config("[scale_up]\nbackoff = \"exponential\"\n");
    const std::vector<std::string> set = {"scale_up.backoff=until_joined"};
    ASSERT_EQ(apply_overrides(root, set), "");
    EXPECT_EQ(root.find("scale_up")->find("backoff")->text, "until_joined");
}

TEST(Overrides, CreateMissingTables) {
    TomlValue root = parsed_config("");
    const std::vector<std::string> set = {"a.b.c=3", "a.b.d=[\"x\"]", "a.\"k.8/s\"=true"};
    ASSERT_EQ(apply_overrides(root, set), "");
    const TomlValue& b = *root.find("a")->find("b");
    EXPECT_EQ(b.find("c")->integer, 3);
    EXPECT_EQ(b.find("d")->children.at(0).text, "x");
    EXPECT_TRUE(root.find("a")->find("k.8/s")->boolean);
}

TEST(Overrides, UseTheLastOfEqualKeys) {
    TomlValue root = parsed_config("");
    const std::vector<std::string> set = {"seed=1", "seed=2"};
    ASSERT_EQ(apply_overrides(root, set), "");
    EXPECT_EQ(root.find("seed")->integer, 2);
    EXPECT_EQ(root.children.size(), 1u);
}

TEST(Overrides, NeedNoQuotesForWordsAndDurations) {
    TomlValue root = parsed_config("");
    const std::vector<std::string> set = {"a=10m", "b=", "c=x=y"};
    ASSERT_EQ(apply_overrides(root, set), "");
    EXPECT_EQ(root.find("a")->text, "10m");
    EXPECT_EQ(root.find("b")->text, "");
    EXPECT_EQ(root.find("c")->text, "x=y");
}

TEST(Overrides, MustBeAssignments) {
    for (const std::string text : {"", "a", "=1", "a..b=1", ".a=1", "\"a=1"}) {
        TomlValue root = parsed_config("");
        EXPECT_EQ(
            apply_overrides(root, {text}),
            "--set " + text + ": expected KEY=VALUE, such as scale_up.backoff=until_joined\n");
    }
}

TEST(Overrides, DoNotReplaceAValueByATable) {
    TomlValue root = parsed_config("seed = 1");
    EXPECT_EQ(apply_overrides(root, {"b=1", "seed.of=2"}),
              "--set seed.of=2: \"seed\" is not a table\n");
}

}  // namespace
}  // namespace capstan::config
