#include "kubernetes/client/access/kubeconfig_yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

namespace capstan::kubernetes::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string yaml_error(const std::string& text) {
    const auto value = parse_yaml("config", text);
    return value ? "none" : value.error().message;
}

TEST(KubeconfigYaml, KnowsTheLineOfEachValue) {
    const auto root = parse_yaml("config", "a: 1\n\nb:\n  - x\n  - c: 'y'\n");
    ASSERT_TRUE(root);
    EXPECT_EQ(root->find("a")->text, "1");
    EXPECT_EQ(root->find("a")->line, 1u);
    const YamlValue& item = root->find("b")->children[1];
    EXPECT_EQ(item.find("c")->line, 5u);
    EXPECT_FALSE(item.find("c")->is_plain);
    EXPECT_EQ(item.find("d"), nullptr);
}

TEST(KubeconfigYaml, ReadsJsonAndEmptyFiles) {
    EXPECT_EQ(
        parse_yaml("config", R"({"a": {"b": ["c"]}})")->find("a")->find("b")->children[0].text,
        "c");
    for (const char* text : {"", "\n", "# nothing\n", "---\n", "--- ~\n"})
        EXPECT_EQ(parse_yaml("config", text)->kind, YamlValue::Kind::null) << text;
    EXPECT_TRUE(parse_yaml("config", "---\na: b\n---\n"));
}

TEST(KubeconfigYaml, ReportsTheLineOfAnError) {
    const std::pair<std::string, std::string> cases[] = {
        {"a: [1\nb: 2\n", "config:2: not YAML: end of sequence flow not found"},
        {"a: 1\n\tb: 2\n", "config:2: not YAML: illegal tab when looking for indentation"},
        {"a: *b\n", "config:1: not YAML: the referenced anchor is not defined"},
        {"a: 1\nb: 2\na: 3\n", "config:3: duplicate key"},
        {"? [a]\n: b\n", "config:1: a key is not text"},
        {"a: &x [*x]\n", "config:1: an alias refers to itself"},
        {"a: 1\n---\nb: 2\n", "config:3: a second document begins; use a separate file for it"},
        {std::string("a: 1\nb: \0\n", 10), "config:2: not text: contains a control character"},
        {"a: b\x04"
         "c: d\n",
         "config:1: not text: contains a control character"},
        {"\xff\xfe"
         "a\n",
         "config:1: not text: contains bytes that are not UTF-8"}};
    for (const auto& [text, error] : cases) EXPECT_EQ(yaml_error(text), error) << text;
}

TEST(KubeconfigYaml, NeverShowsContent) {
    for (const char* text : {"token: \"hunter2\\q\"\n", "token: \"\\Uhunter2x\"\n",
                             "hunter2: 1\nhunter2: 2\n", "token: hunter2: b\n", "a: \"hunter2\n",
                             "a: 'hunter2\nb: c\n\n", "!<hunter2 a\n", "a: *hunter2\n"}) {
        EXPECT_THAT(yaml_error(text), HasSubstr("config:")) << text;
        EXPECT_THAT(yaml_error(text), Not(HasSubstr("hunter"))) << text;
    }
}

TEST(KubeconfigYaml, LimitsTheExpansionOfAliases) {
    std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
        for (int k = 1; k < 10; ++k) laughs += ", " + before;
        laughs += "]\n";
    }
    EXPECT_THAT(yaml_error(laughs), HasSubstr("too large after expanding aliases"));
    EXPECT_EQ(parse_yaml("config", "a: &x [1, 2]\nb: *x\n")->find("b")->children.size(), 2u);
}

TEST(KubeconfigYaml, LimitsDepthAndSize) {
    EXPECT_THAT(yaml_error(std::string(100, '[')), HasSubstr("config:"));
    EXPECT_THAT(yaml_error(std::string(1 << 17, '[')), HasSubstr("config:"));
    EXPECT_THAT(yaml_error(std::string(1 << 17, '{')), HasSubstr("config:"));
    std::string many = "a:\n";
    for (int i = 0; i < 100'000; ++i) many += "- b\n";
    EXPECT_THAT(yaml_error(many), HasSubstr("too large"));
    EXPECT_THAT(yaml_error(std::string((16u << 20) + 1, 'x')), HasSubstr("too large"));
}

TEST(KubeconfigYaml, IsConvertedToJson) {
    const auto root =
        parse_yaml("config", "a: 1\nb: '1'\nc: true\nd: ~\ne: [x, 1.5, -2]\nf: {g: 1_000}\n");
    EXPECT_EQ(boost::json::serialize(json_of(*root)),
              R"({"a":1,"b":"1","c":true,"d":null,"e":["x",1.5E0,-2],"f":{"g":"1_000"}})");
}

}  // namespace
}  // namespace capstan::kubernetes::client
