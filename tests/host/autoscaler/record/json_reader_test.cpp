#include "autoscaler/record/json_reader.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace capstan::autoscaler {
namespace {

std::string message_of(const std::string& text) {
    const auto document = record::parse_json(text, "standard input");
    return document ? "is JSON" : document.error().message;
}

TEST(JsonReader, ReportsThePositionOfAnError) {
    EXPECT_EQ(message_of("{\n  \"a\": 1,\n  \"b\" 2\n}"),
              "standard input:3:7: not JSON: syntax error\n"
              "      \"b\" 2\n"
              "          ^");
    EXPECT_EQ(message_of("{\"a\": [1, 2"),
              "standard input:1:12: not JSON: ends too early\n    {\"a\": [1, 2\n               ^");
    EXPECT_EQ(message_of("{}\n{}"),
              "standard input:2:1: not JSON: extra text after the end\n    {}\n    ^");
}

TEST(JsonReader, CountsCharactersAndHidesControlCharacters) {
    EXPECT_EQ(message_of("{\"\u00e9\u00e9\tx\": x}"),
              "standard input:1:5: not JSON: syntax error\n"
              "    {\"\u00e9\u00e9 x\": x}\n"
              "        ^");
    EXPECT_EQ(message_of("\x1b[31m").find('\x1b'), std::string::npos);
}

TEST(JsonReader, ShortensALongLineAroundTheError) {
    const std::string message =
        message_of("[" + std::string(100000, ' ') + "x" + std::string(100000, ' ') + "]");
    EXPECT_LT(message.size(), 400u);
    EXPECT_NE(message.find(":1:100002:"), std::string::npos) << message;
}

TEST(JsonReader, RefusesEmptyAndTooDeepText) {
    EXPECT_EQ(message_of(" \n"), "standard input: is empty, expected a JSON object");
    const std::string deep = message_of(std::string(record::json_depth_max + 1, '['));
    EXPECT_NE(deep.find("deeper than 128 levels"), std::string::npos) << deep;
    EXPECT_EQ(message_of(std::string(record::json_depth_max, '[') +
                         std::string(record::json_depth_max, ']')),
              "is JSON");
}

TEST(JsonReader, StopsReadingAtTheLimit) {
    std::istringstream in("123456");
    EXPECT_EQ(record::read_all(in, 6), "123456");
    std::istringstream longer("1234567");
    const auto refused = record::read_all(longer, 6);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "longer than 6");
}

TEST(JsonReader, SuggestsASimilarKey) {
    const auto document = record::parse_json(R"({"pds": [], "zzz": 1})", "x");
    kubernetes::JsonProblems problems(*document);
    record::refuse_unknown(problems.root(), {"pods", "options"});
    EXPECT_EQ(record::problems_text(problems, "x"),
              "x: /pds: is unknown; did you mean 'pods'?\nx: /zzz: is unknown\n");
}

}  // namespace
}  // namespace capstan::autoscaler
