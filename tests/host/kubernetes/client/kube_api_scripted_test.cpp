#include "scripted_api.hpp"

#include <gtest/gtest.h>

#include <string>

namespace capstan::kubernetes::client {
namespace {

struct ScriptedApiTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    ScriptedApi api{loop};
    std::string seen;
    Api::Done note(std::string name) {
        return [this, name = std::move(name)](Result<ApiReply> reply) {
            seen += name + (reply ? "=" + reply->body : "!" + reply.error().provider_code) + " ";
        };
    }
};

TEST_F(ScriptedApiTest, AnswersInAnyOrder) {
    api.send({.path = "/a"}, note("a"));
    api.send({.path = "/b", .query = {{"limit", "5"}, {"watch", "true"}}}, note("b"));
    EXPECT_EQ(api.first("GET /b").line(), "GET /b?limit=5&watch=true");
    api.answer("GET /b", {.body = "2"});
    api.answer(refusal(409, "Conflict", "changed"));
    EXPECT_EQ(seen, "b=2 a!Conflict ");
    EXPECT_EQ(api.open_count(), 0u);
}

TEST_F(ScriptedApiTest, StreamsPartsAndCancelsOnce) {
    const auto part = [this](std::string_view text) { seen += std::string(text) + " "; };
    const auto id = api.stream({.path = "/w"}, part, note("w"));
    api.push(id, "one");
    api.push(id, "two");
    api.end(id);
    const auto second = api.stream({.path = "/w"}, part, note("x"));
    api.cancel(second);
    api.cancel(second);
    EXPECT_EQ(seen, "one two w= ");
    loop.settle();
    EXPECT_EQ(seen, "one two w= x! ");
    EXPECT_TRUE(api.last().is_cancelled);
}

TEST_F(ScriptedApiTest, AnswersAutomaticallyByRules) {
    api.automatic = [](const ScriptedApi::Asked& asked) -> std::optional<Answer> {
        if (asked.request.path != "/a") return std::nullopt;
        return Answer{.body = "1"};
    };
    api.send({.path = "/a"}, note("a"));
    api.send({.path = "/b"}, note("b"));
    EXPECT_EQ(seen, "");
    loop.settle();
    EXPECT_EQ(seen, "a=1 ");
}

}  // namespace
}  // namespace capstan::kubernetes::client
