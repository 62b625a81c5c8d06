#include "kubernetes/client/open_calls.hpp"

#include <gtest/gtest.h>

#include <string>

#include "scripted_api.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

struct OpenCallsTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>()};
    ScriptedApi api{loop};
    std::string seen;
    std::optional<OpenCalls> calls{std::in_place, api, loop};

    void open_all() {
        calls->send({.path = "/a"}, [this](const auto&) { seen += "reply "; });
        calls->after(1s, [this] { seen += "timer "; });
        calls->after(0s, [this] { seen += "soon "; });
    }
};

TEST_F(OpenCallsTest, CallsCallbacksInOrder) {
    open_all();
    EXPECT_EQ(seen, "");
    loop.settle();
    api.answer({});
    loop.advance(1s);
    EXPECT_EQ(seen, "soon reply timer ");
}

TEST_F(OpenCallsTest, CancelsCallsWhenDestroyed) {
    open_all();
    calls.reset();
    EXPECT_TRUE(api.last().is_cancelled);
    loop.advance(1h);
    EXPECT_EQ(seen, "");
}

TEST_F(OpenCallsTest, AcceptsCallsAfterCancelAll) {
    open_all();
    calls->cancel_all();
    open_all();
    api.answer({});
    loop.advance(1h);
    EXPECT_EQ(seen, "reply soon timer ");
}

TEST_F(OpenCallsTest, MayBeDestroyedInACallback) {
    calls->send({.path = "/a"}, [this](const auto&) { calls.reset(); });
    calls->after(1s, [this] { seen += "timer "; });
    api.answer({});
    loop.advance(1h);
    EXPECT_EQ(seen, "");
}

}  // namespace
}  // namespace capstan::kubernetes::client
