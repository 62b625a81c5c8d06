#include <capstan/testing/recording.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/run_task.hpp>

namespace {

using capstan::Error;
using capstan::ErrorCode;
using capstan::HttpRequest;
using capstan::Task;
using capstan::testing::Exchange;
using capstan::testing::FakeHost;
using capstan::testing::parse_recording;
using capstan::testing::play;
using capstan::testing::reply;
using capstan::testing::run;
using capstan::testing::to_recording;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(HttpRecording, ContainsRequestsAndReplies) {
    const auto got = parse_recording(
        "# recorded by hand\n"
        "\n"
        "> GET https://api.example/groups\n"
        "< 200\n"
        "< Content-Type: application/json\n"
        "< X-Next: 2\n"
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
    EXPECT_EQ(got->front().reply->body, "{\n  \"groups\": []\n}");
    EXPECT_EQ(got->back().method, "POST");
    EXPECT_EQ(got->back().reply->status, 409);
    EXPECT_EQ(got->back().reply->body, "");
}

TEST(HttpRecording, CanBeEmpty) {
    EXPECT_THAT(parse_recording("").value(), IsEmpty());
    EXPECT_THAT(parse_recording("# nothing yet\n").value(), IsEmpty());
}

TEST(HttpRecording, NamesTheInvalidLine) {
    EXPECT_EQ(parse_recording("hello\n").error().message,
              "recording, line 1: expected \"> METHOD URL\", found \"hello\"");
    EXPECT_THAT(parse_recording("# a\n> GET\n").error().message, HasSubstr("line 2"));
    EXPECT_THAT(parse_recording("> GET https://a\n< ok\n").error().message,
                HasSubstr("line 2: expected a response"));
    EXPECT_THAT(parse_recording("> GET https://a\n").error().message,
                HasSubstr("expected a response"));
    EXPECT_THAT(parse_recording("> GET https://a\n< 200\n< nonsense\n").error().message,
                HasSubstr("line 3: expected a header"));
}

TEST(HttpRecording, NamesTheLineOfAnInvalidEscapeOrCode) {
    EXPECT_THAT(parse_recording("> GET https://a\n>| \\q\n< 200\n").error().message,
                HasSubstr("line 2: invalid escape"));
    EXPECT_THAT(parse_recording("> GET https://a\n< 200\n<| \\x4\n").error().message,
                HasSubstr("line 3: invalid escape"));
    EXPECT_THAT(parse_recording("> GET https://a\n! broken pipe\n").error().message,
                HasSubstr("line 2: expected a lost response"));
    EXPECT_THAT(parse_recording("nonsense", "acme.http").error().message,
                HasSubstr("acme.http, line 1"));
}

std::vector<Exchange> sample_conversation() {
    return {{.method = "GET", .url = "https://a/1", .reply = reply(200, "one\n\n> two\n")},
            {.method = "GET", .url = "https://a/2", .reply = reply(204)},
            {.method = "POST",
             .url = "https://a/3",
             .request_body = "a=1\nb=\\2\n",
             .reply = reply(200, std::string("\0\x01\r\n\xff", 5), {{"grpc-status", "0"}})},
            {.method = "PUT",
             .url = "https://a/4",
             .error = Error{ErrorCode::unavailable, "the connection was lost"}},
            {.method = "GET", .url = "https://a/5", .reply = reply(200, "\n\ntwo lines above\n")}};
}

TEST(HttpRecording, ReadsBackWhatItWrote) {
    const auto read = parse_recording(to_recording(sample_conversation()));
    ASSERT_TRUE(read) << read.error();
    const auto wanted = sample_conversation();
    ASSERT_EQ(read->size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ((*read)[i].method, wanted[i].method);
        EXPECT_EQ((*read)[i].url, wanted[i].url);
        EXPECT_EQ((*read)[i].request_body, wanted[i].request_body);
        EXPECT_EQ((*read)[i].error, wanted[i].error);
        ASSERT_EQ((*read)[i].reply.has_value(), wanted[i].reply.has_value());
        if (!wanted[i].reply) continue;
        EXPECT_EQ((*read)[i].reply->status, wanted[i].reply->status);
        EXPECT_EQ((*read)[i].reply->headers, wanted[i].reply->headers);
        EXPECT_EQ((*read)[i].reply->body, wanted[i].reply->body) << i;
    }
}

TEST(HttpRecording, ContainsNoSecret) {
    struct Case {
        const char *written, *shown;
    };
    const Case bodies[] = {
        {R"({"access_token" : "abc\"d", "expires": 9})",
         R"({"access_token" : "***", "expires": 9})"},
        {R"({"token": null, "tokens": "many"})", R"({"token": null, "tokens": "many"})"},
        {"grant=x&client_secret=s3&scope=y", "grant=x&client_secret=***&scope=y"},
        {"<SecretAccessKey>k</SecretAccessKey>", "<SecretAccessKey>***</SecretAccessKey>"},
        {"said hush/hush twice", "said *** twice"},
        {"percent hush%2Fhush", "percent ***"},
        {"", ""}};
    for (const Case& c : bodies) {
        const std::string text = to_recording(
            {{.method = "POST",
              .url = "https://a/?X-Amz-Signature=12&q=hush%2Fhush",
              .request_body = c.written,
              .reply = reply(200, c.written, {{"set-cookie", "id=1"}, {"x-id", "hush/hush"}})}},
            {"hush/hush"});
        const auto read = parse_recording(text);
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(read->front().url, "https://a/?X-Amz-Signature=***&q=***");
        EXPECT_EQ(read->front().request_body, c.shown);
        EXPECT_EQ(read->front().reply->body, c.shown);
        EXPECT_THAT(read->front().reply->headers,
                    ElementsAre(Pair("set-cookie", "***"), Pair("x-id", "***")));
    }
}

Task<std::string> body_of_recorded(capstan::Host host, HttpRequest request) {
    co_return (co_await capstan::send(host, std::move(request))).body;
}

/// Replays a recording to requests; returns the body, or the code of the error.
class Played {
public:
    explicit Played(std::string_view recording) {
        host_.http().handle(play(parse_recording(recording).value()));
    }
    std::string ask(const char* method, const std::string& url, std::string body = {}) {
        HttpRequest request(method, url);
        request.with_body(std::move(body));
        const auto got = run(host_, body_of_recorded(host_.host(), std::move(request)));
        return got ? *got : std::string(name_of(got.error().code));
    }

private:
    FakeHost host_;
};

TEST(HttpRecording, IsReplayedInOrderRepeatingTheLastReply) {
    Played played(
        "> GET https://a/\n< 200\n\none\n> GET https://a/\n< 200\n\ntwo\n"
        "> GET https://a/b\n! throttled slow down\n");
    EXPECT_EQ(played.ask("GET", "https://a/"), "one");
    EXPECT_EQ(played.ask("GET", "https://a/"), "two");
    EXPECT_EQ(played.ask("GET", "https://a/"), "two");
    EXPECT_EQ(played.ask("GET", "https://a/b"), "throttled");
    EXPECT_EQ(played.ask("GET", "https://a/c"), "unavailable");
    EXPECT_EQ(played.ask("PUT", "https://a/"), "unavailable");
}

TEST(HttpRecording, IsReplayedByTheBodyOfARequest) {
    Played played(
        "> POST https://a/\n>| Action=List\n< 200\n\nlist\n"
        "> POST https://a/\n>| Action=Make&Token=***\n< 200\n\nmade\n"
        "> POST https://a/\n< 200\n\nanything\n");
    EXPECT_EQ(played.ask("POST", "https://a/", "Action=Make&Token=77"), "made");
    EXPECT_EQ(played.ask("POST", "https://a/", "Action=List"), "list");
    EXPECT_EQ(played.ask("POST", "https://a/", "Action=Stop"), "anything");
}

TEST(HttpRecording, MatchesAnyTextForThreeStars) {
    Played played(
        "> GET https://a/?t=***&p=1\n< 200\n\nfirst\n> GET https://a/***/end\n< 200\n\nend\n"
        "> GET https://b/***\n< 200\n\nany\n");
    EXPECT_EQ(played.ask("GET", "https://a/?t=secret&p=1"), "first");
    EXPECT_EQ(played.ask("GET", "https://a/?t=&p=1"), "first");
    EXPECT_EQ(played.ask("GET", "https://a/?t=secret&p=2"), "unavailable");
    EXPECT_EQ(played.ask("GET", "https://a/x/end"), "end");
    EXPECT_EQ(played.ask("GET", "https://a/x/end/"), "unavailable");
    EXPECT_EQ(played.ask("GET", "https://b/"), "any");
}

}  // namespace
