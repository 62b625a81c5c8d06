#include <capstan/url.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using capstan::ErrorCode;
using capstan::percent_decode;
using capstan::percent_encode;
using capstan::percent_encode_unless;
using capstan::UrlBuilder;
using ::testing::HasSubstr;

TEST(UrlText, EncodesAllButUnreservedCharacters) {
    EXPECT_EQ(percent_encode("AZaz09-._~"), "AZaz09-._~");
    EXPECT_EQ(percent_encode("a b/c?d=e&f+g%h"), "a%20b%2Fc%3Fd%3De%26f%2Bg%25h");
    EXPECT_EQ(percent_encode("\xc3\xa4"), "%C3%A4");
    EXPECT_EQ(percent_encode_unless("a/b c", [](char c) { return c == '/' || c == 'a'; }),
              "a/%62%20%63");
    EXPECT_EQ(percent_encode(std::string_view("\0\xff", 2)), "%00%FF");
    EXPECT_EQ(percent_encode("!*'()@:;,$[]"), "%21%2A%27%28%29%40%3A%3B%2C%24%5B%5D");
}

TEST(UrlText, DecodesWhatItEncoded) {
    std::string all;
    for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
    EXPECT_EQ(percent_decode(percent_encode(all)), all);
    EXPECT_EQ(percent_decode("a+b%2fc"), "a+b/c");
}

TEST(UrlText, RejectsInvalidEscapes) {
    for (const char* const text : {"%", "a%2", "%zz", "%2g", "%%20"}) {
        const auto decoded = percent_decode(text);
        ASSERT_FALSE(decoded) << text;
        EXPECT_EQ(decoded.error().code, ErrorCode::invalid_argument);
        EXPECT_THAT(decoded.error().message, HasSubstr(text));
        EXPECT_FALSE(capstan::parse_query(text)) << text;
    }
}

TEST(UrlText, ReadsAndWritesQueries) {
    const capstan::QueryParameters parameters{{"a", "1"}, {"b c", "x&y=z"}, {"a", ""}};
    const std::string text = capstan::format_query(parameters);
    EXPECT_EQ(text, "a=1&b%20c=x%26y%3Dz&a=");
    EXPECT_EQ(capstan::parse_query(text), parameters);
    EXPECT_EQ(capstan::parse_query("q=a+b&&flag&x=1=2"),
              (capstan::QueryParameters{{"q", "a b"}, {"flag", ""}, {"x", "1=2"}}));
    EXPECT_EQ(capstan::parse_query(""), capstan::QueryParameters());
    EXPECT_EQ(capstan::format_query({}), "");
}

TEST(UrlText, IsBuiltFromItsParts) {
    EXPECT_EQ(UrlBuilder("https://api.example/").segment("v1").segment("web a/b").text(),
              "https://api.example/v1/web%20a%2Fb");
    EXPECT_EQ(UrlBuilder("https://api.example").query("a", "1").query("b", "2 3").text(),
              "https://api.example?a=1&b=2%203");
    EXPECT_EQ(UrlBuilder("https://api.example/x?v=2").query("a", "1").text(),
              "https://api.example/x?v=2&a=1");
    UrlBuilder url("https://api.example");
    if (true) url.query("page", "7");
    EXPECT_EQ(url.text(), "https://api.example?page=7");
}

TEST(UrlText, RejectsSegmentsThatLeadToAnotherPath) {
    for (const char* const name : {"", ".", ".."}) {
        EXPECT_THROW(UrlBuilder("https://api.example/v1").segment(name), capstan::Failure) << name;
    }
    EXPECT_EQ(UrlBuilder("https://api.example").segment("..a").text(), "https://api.example/..a");
}

TEST(UrlText, IsShownWithoutItsQuery) {
    EXPECT_EQ(capstan::without_query("https://a/b?token=x"), "https://a/b");
    EXPECT_EQ(capstan::without_query("https://a/b#c"), "https://a/b");
    EXPECT_EQ(capstan::without_query("https://a/b"), "https://a/b");
}

}  // namespace
