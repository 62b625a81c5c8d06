#include "kubernetes/client/watch/reflector.hpp"

#include <gtest/gtest.h>

#include <set>

#include "followed_kind.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

TEST(Reflector, ListsFromTheCacheAndWatchesFromThatVersion) {
    FollowedKind nodes(false);
    EXPECT_EQ(nodes.open_query(), "list resourceVersion=0 limit=2");
    EXPECT_FALSE(nodes.reflector.has_synced());
    nodes.api.answer({.body = page(10, {node_text("a", 3), node_text("b", 4)})});
    EXPECT_EQ(nodes.store.take(), "[+a+b]");
    EXPECT_TRUE(nodes.reflector.has_synced());
    EXPECT_EQ(nodes.open_query(), "watch resourceVersion=10");
    EXPECT_TRUE(nodes.open().line().find("allowWatchBookmarks=true") != std::string::npos);
}

TEST(Reflector, ReadsAllPagesBeforeReplacing) {
    FollowedKind nodes(false);
    nodes.api.answer({.body = page(10, {node_text("a", 3), node_text("b", 4)}, "p2")});
    EXPECT_EQ(nodes.open_query(), "list continue=p2 limit=2");
    EXPECT_EQ(nodes.store.take(), "[+a+b");
    EXPECT_FALSE(nodes.reflector.has_synced());
    nodes.api.answer({.body = page(10, {node_text("c", 5)})});
    EXPECT_EQ(nodes.store.take(), "+c]");
    EXPECT_EQ(nodes.open_query(), "watch resourceVersion=10");
}

TEST(Reflector, AcceptsAnEmptyList) {
    FollowedKind nodes(false);
    nodes.api.answer({.body = page(10, {})});
    EXPECT_EQ(nodes.store.take(), "[]");
    EXPECT_TRUE(nodes.reflector.has_synced());
}

TEST(Reflector, ForwardsEventsAndResumesAfterTheLast) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.push(line("ADDED", node_text("b", 11)) + line("MODIFIED", node_text("a", 12)));
    nodes.push(line("DELETED", node_text("b", 13)));
    EXPECT_EQ(nodes.store.take(), "+b+a-b");
    nodes.api.end(nodes.open().id);
    EXPECT_EQ(nodes.open_query(), "watch resourceVersion=13");
    EXPECT_TRUE(nodes.errors.empty());
}

TEST(Reflector, ResumesAfterABookmark) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.push(bookmark(90));
    nodes.loop.advance(2s);
    nodes.api.end(nodes.open().id);
    EXPECT_EQ(nodes.store.take(), "");
    EXPECT_EQ(nodes.open_query(), "watch resourceVersion=90");
}

TEST(Reflector, RequestsInitialEventsAndContinuesTheStream) {
    FollowedKind nodes(true);
    EXPECT_EQ(nodes.open_query(), "watch list");
    nodes.push(line("ADDED", node_text("a", 30)) + line("ADDED", node_text("b", 4)));
    EXPECT_EQ(nodes.store.take(), "[+a+b");
    EXPECT_FALSE(nodes.reflector.has_synced());
    nodes.push(initial_end(40) + line("DELETED", node_text("a", 41)));
    EXPECT_EQ(nodes.store.take(), "]-a");
    EXPECT_EQ(nodes.api.asked().size(), 1u);
    nodes.loop.advance(2s);
    nodes.api.end(nodes.open().id);
    EXPECT_EQ(nodes.open_query(), "watch resourceVersion=41");
}

TEST(Reflector, IgnoresTheVersionOfIncompleteInitialEvents) {
    FollowedKind nodes(true);
    nodes.push(line("ADDED", node_text("a", 30)));
    nodes.api.fail({ErrorCode::unavailable, "connection lost"});
    nodes.wait_for_request();
    EXPECT_EQ(nodes.open_query(), "watch list");
    nodes.push(line("ADDED", node_text("b", 31)) + initial_end(40));
    EXPECT_EQ(nodes.store.take(), "[+a[+b]") << "restarts";
}

struct Refusal {
    const char* what;
    Answer answer;      ///< response to the request
    std::string event;  ///< or an event in its stream
};

TEST(Reflector, FallsBackToAListIfInitialEventsAreRejected) {
    for (const Refusal& refusal : {
             Refusal{"invalid", {.status = 422, .body = status_body("Invalid")}, ""},
             Refusal{"bad request", {.status = 400, .body = status_body("BadRequest")}, ""},
             Refusal{"not acceptable", {.status = 406}, ""},
             Refusal{"internal", {.status = 500, .body = status_body("InternalError")}, ""},
             Refusal{"internal in the stream", {}, error_line(500, "InternalError")},
             Refusal{"internal without a reason", {}, error_line(500, "")},
             Refusal{"no JSON", {}, "<html>"},
             Refusal{"bookmark of an ordinary watch", {}, bookmark(9)},
             Refusal{"ends without the bookmark", {.body = line("ADDED", node_text("a", 3))}, ""},
         }) {
        SCOPED_TRACE(refusal.what);
        FollowedKind nodes(true);
        refusal.event.empty() ? nodes.api.answer(refusal.answer) : nodes.push(refusal.event);
        EXPECT_EQ(nodes.open_query(), "list resourceVersion=0 limit=2") << "at once";
        EXPECT_TRUE(nodes.errors.empty());
        nodes.sync();
        nodes.push(error_line(410, "Expired"));
        nodes.wait_for_request();
        EXPECT_EQ(nodes.open_query(), "list resourceVersion=10") << "and never requests them again";
    }
}

TEST(Reflector, FallsBackToAListIfInitialEventsDoNotArrive) {
    FollowedKind nodes(true);
    nodes.loop.advance(31s);
    EXPECT_EQ(nodes.open_query(), "list resourceVersion=0 limit=2");
    EXPECT_TRUE(nodes.api.asked()[0].is_cancelled);
}

TEST(Reflector, FallsBackToAListIfInitialEventsDoNotEnd) {
    FollowedKind nodes(true);
    for (int second = 0; second <= 60; second += 20) {
        EXPECT_EQ(nodes.open_query(), "watch list");
        nodes.push(line("ADDED", node_text("a", second)));
        nodes.loop.advance(20s);
    }
    nodes.push(line("ADDED", node_text("b", 70)));
    EXPECT_EQ(nodes.open_query(), "list resourceVersion=0 limit=2");
    EXPECT_TRUE(nodes.errors.empty());
}

TEST(Reflector, ChoosesARandomTimeoutOfFiveToTenMinutes) {
    FollowedKind nodes(false);
    nodes.sync();
    std::set<std::string> seen;
    for (int i = 0; i < 20; ++i) {
        for (const auto& [key, value] : nodes.open().request.query) {
            if (key != "timeoutSeconds") continue;
            seen.insert(value);
            EXPECT_GE(std::stoi(value), 300);
            EXPECT_LE(std::stoi(value), 600);
        }
        nodes.loop.advance(2s);
        nodes.api.end(nodes.open().id);
    }
    EXPECT_GT(seen.size(), 10u);
}

TEST(Reflector, CancelsRequestsAtItsEnd) {
    auto nodes = std::make_unique<FollowedKind>(false);
    nodes->sync();
    boost::asio::io_context io;
    io::ManualLoop loop(io, std::make_shared<io::ManualClock>());
    ScriptedApi api(loop);
    RecordedStore store;
    {
        Reflector reflector(api, loop, store, {.what = watch_target(resources::nodes)});
        reflector.start();
    }
    EXPECT_EQ(api.open_count(), 0u);
    EXPECT_FALSE(loop.next_due());
    loop.settle();  // the cancelled request's answer has no effect
    EXPECT_EQ(store.take(), "");
}

}  // namespace
}  // namespace capstan::kubernetes::client
