#include <capstan/selector_text.hpp>

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using capstan::format_selector;
using capstan::Labels;
using capstan::LabelSelector;
using capstan::Operator;
using capstan::parse_requirements;
using capstan::parse_selector;
using capstan::Requirement;
using capstan::Result;
using ::testing::HasSubstr;

TEST(SelectorText, IsReadAndWrittenInKubernetesForm) {
    const std::pair<const char*, const char*> cases[] = {
        {"", ""},
        {"  ", ""},
        {"a=b", "a=b"},
        {"a==b", "a=b"},
        {" a = b , c ", "a=b,c"},
        {"a=", "a="},
        {"a!=b", "a notin (b)"},
        {"a in (c,b,b)", "a in (b,c)"},
        {"a notin ( b , c )", "a notin (b,c)"},
        {"a in (b)", "a=b"},
        {"a in ()", "a="},
        {"!a", "!a"},
        {"b,a", "a,b"},
        {"x.example/a=b,c in (d,e),!f", "c in (d,e),!f,x.example/a=b"},
    };
    for (const auto& [text, written] : cases) {
        const Result<LabelSelector> selector = parse_selector(text);
        ASSERT_TRUE(selector) << text << ": " << selector.error();
        EXPECT_EQ(format_selector(*selector), written) << text;
        EXPECT_EQ(format_selector(*parse_selector(written)), written);
    }
}

TEST(SelectorText, MatchesWhatItDescribes) {
    const LabelSelector selector = *parse_selector("a=b,c in (d,e),!f");
    EXPECT_TRUE(matches(selector, Labels{{"a", "b"}, {"c", "e"}}));
    EXPECT_FALSE(matches(selector, Labels{{"a", "b"}, {"c", "x"}}));
    EXPECT_FALSE(matches(selector, Labels{{"a", "b"}, {"c", "d"}, {"f", ""}}));
    EXPECT_TRUE(matches(*parse_selector(""), Labels{{"a", "b"}}));
}

TEST(SelectorText, ComparesNumbers) {
    const auto read = parse_requirements("rank>3, age < 10,a");
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, (std::vector<Requirement>{{"rank", Operator::gt, {"3"}},
                                               {"age", Operator::lt, {"10"}},
                                               {"a", Operator::exists, {}}}));
    for (const char* text : {"a>", "a>b", "a<1.5", "a>-1", ">1", "a>=1"})
        EXPECT_FALSE(parse_requirements(text)) << text;
}

TEST(SelectorText, ReportsTheInvalidPart) {
    const std::pair<const char*, const char*> cases[] = {
        {"a=b,,c", "\"\" is not a valid part of a selector"},
        {"=b", "\"=b\" is not a valid part of a selector"},
        {"!", "\"!\" is not a valid part of a selector"},
        {"a in b", "\"a in b\" is not a valid part of a selector"},
        {"a in (b", "\"a in (b\" is not a valid part of a selector"},
        {"a b", "\"a b\" is not a valid part of a selector"},
        {"a>1", "\"a>1\" is not a valid part of a selector"},
        {"-a=b", "label key \"-a\""},
        {"a=b c", "label value \"b c\""},
        {"a in (b,c/d)", "label value \"c/d\""},
    };
    for (const auto& [text, message] : cases) {
        const Result<LabelSelector> selector = parse_selector(text);
        ASSERT_FALSE(selector) << text;
        EXPECT_THAT(selector.error().message, HasSubstr(message)) << text;
    }
}

}  // namespace
