#include "config/text.hpp"

#include <gtest/gtest.h>

namespace capstan::config {
namespace {

const std::vector<std::string> words{"region", "regions", "tags", "max_calls"};

TEST(Suggestion, NamesTheClosestWord) {
    EXPECT_EQ(suggestion("regoin", words), "; did you mean 'region'?");
    EXPECT_EQ(suggestion("max_cals", words), "; did you mean 'max_calls'?");
}

TEST(Suggestion, CountsSwappedNeighboursAsOneEdit) {
    EXPECT_EQ(find_similar("atgs", words), "tags");
}

TEST(Suggestion, PrefersTheFirstOfEquallyCloseWords) {
    EXPECT_EQ(find_similar("tagz", {"tagx", "tagy"}), "tagx");
    EXPECT_EQ(find_similar("tagz", {"tagy", "tagx"}), "tagy");
}

TEST(Suggestion, IsEmptyIfNothingIsClose) {
    EXPECT_EQ(suggestion("credentials", words), "");
    EXPECT_EQ(suggestion(std::string(100'000, 'r'), words), "");
    EXPECT_EQ(suggestion("x", {}), "");
}

TEST(TomlKey, IsQuotedOnlyIfNecessary) {
    EXPECT_EQ(toml_key("scan_interval"), "scan_interval");
    EXPECT_EQ(toml_key("k8s.io/a"), "\"k8s.io/a\"");
    EXPECT_EQ(toml_key(""), "\"\"");
    EXPECT_EQ(join_path("plugin.aws", "k8s.io/a"), "plugin.aws.\"k8s.io/a\"");
}

TEST(TomlString, IsEscaped) {
    EXPECT_EQ(toml_string("a\"b\\c\nd\x01ü"), "\"a\\\"b\\\\c\\nd\\u0001ü\"");
}

TEST(Shortened, EndsAtACharacterBoundary) {
    EXPECT_EQ(shortened("äöü", 3), "äöü");
    EXPECT_EQ(shortened("äöü", 2), "äö...");
    EXPECT_EQ(shortened(std::string(5000, 'x'), 3), "xxx...");
}

}  // namespace
}  // namespace capstan::config
