#include <capstan/json.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using capstan::ErrorCode;
using capstan::Json;
using capstan::parse_json;
using capstan::Result;
using ::testing::HasSubstr;

std::string round(std::string_view text) {
    const Result<Json> value = parse_json(text);
    return value ? to_string(*value) : value.error().message;
}

TEST(Json, IsWrittenAsItWasRead) {
    for (const char* const text :
         {"null", "true", "false", "0", "-12", "1.50", "6.02e+23", "123456789012345678901234567890",
          R"("")", R"("a b")", R"([])", R"({})", R"([1,[2,{"a":[]}]])",
          R"({"b":1,"a":{"c":"d"},"b2":null})"}) {
        EXPECT_EQ(round(text), text);
    }
    EXPECT_EQ(round(" { \"a\" :\t[ 1 ,\n2 ] } "), R"({"a":[1,2]})");
}

TEST(Json, ReadsEscapes) {
    const Result<Json> text = parse_json(R"("\"\\\/\b\f\n\r\t\u0041\u00e4\u20ac\ud83d\ude00")");
    ASSERT_TRUE(text) << text.error();
    EXPECT_EQ(text->text(), "\"\\/\b\f\n\r\tA\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    EXPECT_EQ(to_string(Json("a\"\\\n\x01")), R"("a\"\\\n\u0001")");
}

TEST(Json, SaysWhereItIsNone) {
    for (const char* const text :
         {"",          "{",           "[1,",         "[1 2]",  "{\"a\"}", "{\"a\":}", "{a:1}",
          "nul",       "+1",          "1.",          "1e",     "-",       "\"",       "\"\\x\"",
          "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\n\"", "1 1",     "{},"}) {
        const Result<Json> value = parse_json(text);
        ASSERT_FALSE(value) << text;
        EXPECT_EQ(value.error().code, ErrorCode::invalid_argument);
        EXPECT_THAT(value.error().message, HasSubstr("at byte")) << text;
    }
    EXPECT_THAT(round(std::string(100'000, '[')), HasSubstr("nested too deeply"));
}

TEST(Json, FindsWhatIsThereAndNothingElse) {
    const Json object = *parse_json(R"({"a":{"b":"c","n":7,"t":true,"f":1.5},"l":[1]})");
    EXPECT_EQ(object.text_at({"a", "b"}), "c");
    EXPECT_EQ(object.text_at({"a", "n"}), "");
    EXPECT_EQ(object.text_at({"a", "b", "c"}), "");
    EXPECT_EQ(object.text_at({"x", "b"}), "");
    EXPECT_EQ(object.find({"a", "n"})->integer(), 7);
    EXPECT_EQ(object.find({"a", "f"})->integer(), std::nullopt);
    EXPECT_EQ(object.find({"a", "b"})->integer(), std::nullopt);
    EXPECT_TRUE(object.find({"a", "t"})->boolean());
    EXPECT_EQ(object.find("l")->items().size(), 1u);
    EXPECT_EQ(object.find({"x"}), nullptr);
}

TEST(Json, IsChangedInPlace) {
    Json object;
    object.at("metadata").at("labels").set("a", "b").set("c", 1);
    object.at("list").append(true);
    EXPECT_EQ(to_string(object), R"({"metadata":{"labels":{"a":"b","c":1}},"list":[true]})");
    object.at("metadata").at("labels").erase("a");
    object.set("list", Json());
    EXPECT_EQ(to_string(object), R"({"metadata":{"labels":{"c":1}},"list":null})");
    const Json copy = object;
    object.at("metadata") = "gone";
    EXPECT_NE(copy, object);
}

}  // namespace
