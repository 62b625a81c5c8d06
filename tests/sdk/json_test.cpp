#include <capstan/json.hpp>

#include <cstdint>
#include <limits>
#include <optional>
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

TEST(Json, ReportsWhereItIsInvalid) {
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

TEST(Json, ReportsTheInvalidMemberAndItsText) {
    const struct {
        const char* text;
        const char* message;
    } cases[] = {
        {R"({"items":[{"name":"a"},{"name":x}]})",
         R"(invalid JSON: expected a value, at byte 31 in items[1].name, before "x}]}")"},
        {"[1,[2,", "invalid JSON: expected a value, at byte 6 in [1][1], at the end"},
        {"{\"a\" 1}", "invalid JSON: expected ':', at byte 5 in a, before \"1}\""},
        {"nul", "invalid JSON: expected a value, at byte 0, before \"nul\""},
    };
    for (const auto& c : cases) EXPECT_EQ(round(c.text), c.message);
    std::string deep;
    for (int i = 0; i < 20; ++i) deep += "{\"a" + std::to_string(i) + "\":";
    EXPECT_THAT(round(deep), HasSubstr(" in ....a12.a13.a14.a15.a16.a17.a18.a19, at the end"));
}

TEST(Json, ReadsIntegersWithoutLoss) {
    const struct {
        const char* text;
        std::optional<std::int64_t> integer;
        std::optional<std::uint64_t> unsigned_integer;
    } cases[] = {
        {"0", 0, 0u},
        {"-0", 0, 0u},
        {"4.0", 4, 4u},
        {"-4.00", -4, std::nullopt},
        {"4e3", 4000, 4000u},
        {"1.5e1", 15, 15u},
        {"1.5E+1", 15, 15u},
        {"1500e-2", 15, 15u},
        {"1.5", std::nullopt, std::nullopt},
        {"15e-2", std::nullopt, std::nullopt},
        {"9223372036854775807", INT64_MAX, 9223372036854775807u},
        {"9223372036854775808", std::nullopt, 9223372036854775808u},
        {"-9223372036854775808", INT64_MIN, std::nullopt},
        {"-9223372036854775809", std::nullopt, std::nullopt},
        {"18446744073709551615", std::nullopt, UINT64_MAX},
        {"18446744073709551616", std::nullopt, std::nullopt},
        {"1e19", std::nullopt, 10'000'000'000'000'000'000u},
        {"1e99999999999999999999", std::nullopt, std::nullopt},
        {"0e99999999999999999999", 0, 0u},
        {"1e-99999999999999999999", std::nullopt, std::nullopt},
    };
    for (const auto& c : cases) {
        const Json value = *parse_json(c.text);
        EXPECT_EQ(value.integer(), c.integer) << c.text;
        EXPECT_EQ(value.unsigned_integer(), c.unsigned_integer) << c.text;
    }
    for (const char* const digits : {"", "-", "abc", "12abc", "1e", "1ex"})
        EXPECT_EQ(Json::number(digits).integer(), std::nullopt) << digits;
}

TEST(Json, ReadsNumbersAsTheNearestDouble) {
    EXPECT_EQ(parse_json("0.25")->number(), 0.25);
    EXPECT_EQ(parse_json("-1e3")->number(), -1000);
    EXPECT_EQ(parse_json("1e400")->number(), std::nullopt);
    EXPECT_EQ(parse_json("1e-400")->number(), 0);
    EXPECT_EQ(parse_json("\"1\"")->number(), std::nullopt);
    EXPECT_EQ(parse_json("true")->number(), std::nullopt);
}

TEST(Json, WritesNumbersThatReadBackTheSame) {
    EXPECT_EQ(to_string(Json(0.1)), "0.1");
    EXPECT_EQ(to_string(Json(18446744073709551615u)), "18446744073709551615");
    EXPECT_EQ(to_string(Json(std::numeric_limits<double>::infinity())), "null");
    for (const double value : {1e300, -2.5e-7, 1.0 / 3, 4.0})
        EXPECT_EQ(parse_json(to_string(Json(value)))->number(), value);
}

TEST(Json, FindsOnlyExistingMembers) {
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

TEST(Json, CanBeChangedInPlace) {
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
