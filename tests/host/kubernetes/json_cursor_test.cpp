#include "kubernetes/json_cursor.hpp"

#include <functional>

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace capstan::kubernetes {
namespace {

std::vector<JsonProblem> problems_of(const std::string& text,
                                     const std::function<void(const JsonCursor&)>& read) {
    const boost::json::value document = boost::json::parse(text);
    JsonProblems problems(document);
    read(problems.root());
    return problems.kept();
}

TEST(JsonCursor, ReadsPresentAndMissingMembers) {
    EXPECT_TRUE(
        problems_of(R"({"a":{"b":"c"},"n":3,"x":null,"t":true})", [](const JsonCursor& root) {
            EXPECT_EQ(root["a"]["b"].text(), "c");
            EXPECT_EQ(root["n"].integer(0, 5), 3);
            EXPECT_EQ(root["n"].number(), 3.0);
            EXPECT_EQ(root["t"].boolean(), true);
            EXPECT_TRUE(root["x"].is_absent());
            EXPECT_FALSE(root["x"]["deeper"]["still"].text());
            EXPECT_TRUE(root["nowhere"].items().empty());
            EXPECT_TRUE(root["nowhere"].members().empty());
        }).empty());
}

TEST(JsonCursor, ReportsTheEscapedJsonPointer) {
    const auto read = [](const JsonCursor& root) { root["a/b"].items()[1]["m~n"].text(); };
    EXPECT_EQ(problems_of(R"({"a/b":[{},{"m~n":[]}]})", read),
              (std::vector<JsonProblem>{{"/a~1b/1/m~0n", "expects text, found an array"}}));
}

TEST(JsonCursor, ReportsAMissingMember) {
    const auto read = [](const JsonCursor& root) { root["group"].required("id"); };
    EXPECT_EQ(problems_of(R"({"group":{}})", read),
              (std::vector<JsonProblem>{{"/group/id", "is missing"}}));
}

TEST(JsonCursor, ReportsANonObjectOnce) {
    const auto read = [](const JsonCursor& root) {
        root["a"].required("b");
        root["a"]["c"].text();
    };
    EXPECT_EQ(problems_of(R"({"a":"text"})", read),
              (std::vector<JsonProblem>{{"/a", "expects an object, found text (\"text\")"}}));
    EXPECT_EQ(problems_of("null", read),
              (std::vector<JsonProblem>{{"", "expects an object, found null"}}));
}

TEST(JsonCursor, AcceptsUnsignedNumbersOf64Bits) {
    const auto read = [](const JsonCursor& root) {
        EXPECT_EQ(root.items()[0].natural(), 18446744073709551615u);
        EXPECT_EQ(root.items()[1].natural(), 3u);
        EXPECT_FALSE(root.items()[2].natural());
        EXPECT_FALSE(root["nowhere"].natural());
    };
    EXPECT_EQ(problems_of("[18446744073709551615, 3.0, -3]", read).size(), 2u);
}

TEST(JsonCursor, AcceptsIntegersInAnyNotation) {
    const auto read = [](const JsonCursor& root) {
        for (const JsonCursor& item : root.items()) item.integer(0, 10);
    };
    EXPECT_TRUE(problems_of("[0, 10, 3.0, 1e1]", read).empty());
    EXPECT_EQ(problems_of("[11, -1, 2.5, 1e99, 18446744073709551615]", read).size(), 5u);
}

TEST(JsonCursor, ReadsNumbersAsQuantities) {
    EXPECT_TRUE(problems_of(R"({"a":0.1,"b":4,"c":1e3,"d":"1.5Gi"})", [](const JsonCursor& root) {
                    EXPECT_EQ(root["a"].quantity(), Quantity::milli(100));
                    EXPECT_EQ(root["b"].quantity(), Quantity::units(4));
                    EXPECT_EQ(root["c"].quantity(), Quantity::units(1000));
                    EXPECT_EQ(root["d"].quantity(), Quantity::units(1536 << 20));
                }).empty());
}

TEST(JsonProblems, KeepsTheFirstAndCountsTheRest) {
    const boost::json::value document = boost::json::parse("[1,2,3,4,5]");
    JsonProblems problems(document, 2);
    for (const JsonCursor& item : problems.root().items()) item.text();
    EXPECT_EQ(problems.kept().size(), 2u);
    EXPECT_EQ(problems.left_out(), 3u);
}

}  // namespace
}  // namespace capstan::kubernetes
