#include <capstan/testing/fake_http.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using capstan::testing::parse_cassette;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Cassette, HoldsRequestsWithTheirReplies) {
    const auto got = parse_cassette(
        "# recorded by hand\n"
        "\n"
        "> GET https://api.example/groups\n"
        "< 200\n"
        "< Content-Type: application/json\n"
        "< X-Next: 2\n"
        "<< X-Sum: 7\n"
        "\n"
        "{\n"
        "  \"groups\": []\n"
        "}\n"
        "> POST https://api.example/groups/a?by=2\r\n"
        "< 409\r\n");
    ASSERT_TRUE(got) << got.error();
    ASSERT_EQ(got->size(), 2u);
    EXPECT_EQ(got->front().method, "GET");
    EXPECT_EQ(got->front().url, "https://api.example/groups");
    EXPECT_EQ(got->front().reply->status, 200);
    EXPECT_THAT(got->front().reply->headers,
                ElementsAre(Pair("content-type", "application/json"), Pair("x-next", "2")));
    EXPECT_THAT(got->front().reply->trailers, ElementsAre(Pair("x-sum", "7")));
    EXPECT_EQ(got->front().reply->body, "{\n  \"groups\": []\n}");
    EXPECT_EQ(got->back().method, "POST");
    EXPECT_EQ(got->back().reply->status, 409);
    EXPECT_EQ(got->back().reply->body, "");
}

TEST(Cassette, MayBeEmpty) {
    EXPECT_THAT(parse_cassette("").value(), IsEmpty());
    EXPECT_THAT(parse_cassette("# nothing yet\n").value(), IsEmpty());
}

TEST(Cassette, NamesTheLineItCannotRead) {
    EXPECT_EQ(parse_cassette("hello\n").error().message,
              "cassette, line 1: expected \"> METHOD URL\", found \"hello\"");
    EXPECT_THAT(parse_cassette("# a\n> GET\n").error().message, HasSubstr("line 2"));
    EXPECT_THAT(parse_cassette("> GET https://a\n< ok\n").error().message,
                HasSubstr("line 2: a reply begins"));
    EXPECT_THAT(parse_cassette("> GET https://a\n").error().message, HasSubstr("a reply begins"));
    EXPECT_THAT(parse_cassette("> GET https://a\n< 200\n< nonsense\n").error().message,
                HasSubstr("line 3: a header"));
    EXPECT_THAT(parse_cassette("> GET https://a\n< 200\n<< nonsense\n").error().message,
                HasSubstr("line 3: a header is \"<< NAME: VALUE\""));
}

}  // namespace
