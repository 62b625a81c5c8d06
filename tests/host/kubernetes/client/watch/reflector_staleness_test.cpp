// A server that is silent or unreachable: when a reflector counts as stale, and what ends its
// back-off.
#include <gtest/gtest.h>

#include "followed_kind.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

TEST(ReflectorStaleness, BeginsAfter75SecondsWithoutABookmark) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.push(bookmark(20));
    nodes.loop.advance(60s);
    nodes.push(bookmark(21));
    nodes.loop.advance(74s);
    EXPECT_EQ(nodes.api.asked().size(), 2u);
    nodes.loop.advance(1s);
    EXPECT_EQ(nodes.open_query(), "watch resourceVersion=21") << "without a delay";
    EXPECT_TRUE(nodes.api.asked()[1].is_cancelled);
    EXPECT_EQ(nodes.reflector.age(), Duration(75s)) << "since the last bookmark";
    nodes.push(bookmark(22));
    EXPECT_EQ(nodes.reflector.age(), Duration(0));
}

TEST(ReflectorRecovery, ExpectsBookmarksAfterInitialEvents) {
    FollowedKind nodes(true);
    nodes.push(initial_end(10));
    nodes.loop.advance(74s);
    EXPECT_EQ(nodes.api.asked().size(), 1u);
    nodes.loop.advance(1s);
    EXPECT_EQ(nodes.open_query(), "watch resourceVersion=10");
    EXPECT_TRUE(nodes.api.asked()[0].is_cancelled);
}

TEST(ReflectorRecovery, ReopensAWatchAfterTwoMinutesWithoutBookmarks) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.api.accept(nodes.open().id);
    nodes.loop.advance(2min);
    EXPECT_EQ(nodes.api.asked().size(), 2u);
    EXPECT_EQ(nodes.reflector.age(), Duration(0)) << "the watch is open";
    nodes.loop.advance(10s);
    EXPECT_EQ(nodes.open_query(), "watch resourceVersion=10");
    EXPECT_TRUE(nodes.api.asked()[1].is_cancelled);
    EXPECT_TRUE(nodes.errors.empty()) << "there may be no events";
    EXPECT_LT(nodes.reflector.age(), Duration(10s));
    nodes.api.accept(nodes.open().id);
    EXPECT_EQ(nodes.reflector.age(), Duration(0));
}

TEST(ReflectorRecovery, RelistsIfAWatchIsSilentAfterEarlierBookmarks) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.push(bookmark(20));
    nodes.loop.advance(75s);
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(nodes.open_query(), "watch resourceVersion=20");
        nodes.api.accept(nodes.open().id);
        nodes.loop.advance(74s);
        EXPECT_EQ(nodes.reflector.age(), Duration(0));
        nodes.loop.advance(1s);
        EXPECT_EQ(nodes.reflector.age(), Duration(75s)) << "a head alone is not enough";
        EXPECT_FALSE(nodes.reflector.is_in_touch(5s));
        ASSERT_EQ(nodes.open_query(), "list resourceVersion=20");
        nodes.api.answer({.body = page(20, {node_text("a", 3)})});
        EXPECT_EQ(nodes.reflector.age(), Duration(0));
    }
    EXPECT_EQ(nodes.errors.size(), 1u) << "reported once while nothing arrives";
    nodes.push(bookmark(21));
    EXPECT_FALSE(nodes.reflector.status().trouble);
    nodes.loop.advance(75s);
    EXPECT_EQ(nodes.open_query(), "watch resourceVersion=21") << "this watch sent a bookmark";
    EXPECT_EQ(nodes.errors.size(), 2u);
}

TEST(ReflectorRecovery, EndsASilentListAfterAMinute) {
    FollowedKind nodes(false);
    nodes.push(page(10, {node_text("a", 3)}).substr(0, 60));
    nodes.loop.advance(50s);
    nodes.push(page(10, {node_text("a", 3)}).substr(60, 10));
    nodes.loop.advance(59s);
    EXPECT_EQ(nodes.api.asked().size(), 1u);
    nodes.loop.advance(5s);
    EXPECT_EQ(nodes.api.asked().size(), 2u);
    EXPECT_EQ(nodes.open_query(), "list resourceVersion=0 limit=2");
}

TEST(ReflectorStaleness, EndsWithTheHeadOfAWatch) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.loop.advance(3s);
    EXPECT_EQ(nodes.reflector.age(), Duration(3s));
    nodes.api.accept(nodes.open().id);
    EXPECT_EQ(nodes.reflector.age(), Duration(0));
    nodes.api.end(nodes.open().id);
    nodes.loop.advance(4s);
    EXPECT_EQ(nodes.reflector.age(), Duration(4s)) << "since the regular end of the last watch";
}

TEST(ReflectorStaleness, BeginsFiveSecondsAfterARegularEndOfAWatch) {
    FollowedKind nodes(false);
    nodes.sync();
    EXPECT_FALSE(nodes.reflector.is_in_touch(5s)) << "events after the list are missing";
    nodes.api.accept(nodes.open().id);
    EXPECT_TRUE(nodes.reflector.is_in_touch(5s));
    nodes.loop.advance(10s);
    nodes.api.end(nodes.open().id);
    nodes.loop.advance(5s);
    EXPECT_TRUE(nodes.reflector.is_in_touch(5s));
    nodes.loop.advance(1s);
    EXPECT_FALSE(nodes.reflector.is_in_touch(5s));
}

TEST(ReflectorStaleness, BeginsAtOnceIfAWatchExpires) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.push(bookmark(11));
    EXPECT_TRUE(nodes.reflector.is_in_touch(5s));
    nodes.push(error_line(410, "Expired"));
    EXPECT_FALSE(nodes.reflector.is_in_touch(5s));
    nodes.wait_for_request();
    nodes.api.answer({.body = page(20, {node_text("b", 3)})});
    nodes.api.accept(nodes.open().id);
    EXPECT_TRUE(nodes.reflector.is_in_touch(5s));
}

TEST(ReflectorStaleness, BeginsAtOnceWithARequestedRelist) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.api.accept(nodes.open().id);
    nodes.loop.advance(10s);
    nodes.api.end(nodes.open().id);
    nodes.api.accept(nodes.open().id);
    EXPECT_TRUE(nodes.reflector.is_in_touch(5s));
    nodes.reflector.relist();
    EXPECT_FALSE(nodes.reflector.is_in_touch(5s));
}

TEST(ReflectorRecovery, RelistsOnRequestOnlyIfTheWatchIsOpen) {
    FollowedKind nodes(false);
    EXPECT_FALSE(nodes.reflector.relist()) << "already being listed";
    EXPECT_EQ(nodes.api.asked().size(), 1u);
    nodes.sync();
    EXPECT_FALSE(nodes.reflector.relist()) << "the watch is not open yet";
    nodes.api.accept(nodes.open().id);
    EXPECT_TRUE(nodes.reflector.relist());
    EXPECT_EQ(nodes.open_query(), "list limit=2");
}

TEST(ReflectorRecovery, KeepsTheRetryDelayOfTheServerOnARequestedRelist) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.api.answer({.status = 429, .retry_after = 20s});
    EXPECT_FALSE(nodes.reflector.relist());
    EXPECT_EQ(nodes.wait_for_request(), Duration(20s));
    EXPECT_EQ(nodes.open_query(), "watch resourceVersion=10") << "which sends the missing events";
}

TEST(ReflectorStaleness, ContinuesIfTheVersionHasExpired) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.api.fail({ErrorCode::unavailable, "connection lost"});
    nodes.loop.advance(20s);
    const Duration lost = nodes.reflector.age();
    nodes.push(error_line(410, "Expired"));
    EXPECT_GE(nodes.reflector.age(), lost);
}

/// A watch from version 10 that was lost, and is open again.
struct ReopenedWatch : FollowedKind {
    ReopenedWatch() : FollowedKind(false) {
        sync();
        api.accept(open().id);
        api.fail({ErrorCode::unavailable, "connection lost"});
        wait_for_request();
        api.accept(open().id);
    }
    /// The server's reply about its present version.
    void answer_check(const Answer& answer) { api.answer("GET /api/v1/nodes?limit=1", answer); }
};

TEST(ReflectorRecovery, NoticesAtOnceThatTheServerWasRestored) {
    ReopenedWatch nodes;
    nodes.answer_check({.body = page(4, {})});
    EXPECT_EQ(nodes.api.open_count(), 0u) << "the watch would stay silent";
    EXPECT_LE(nodes.wait_for_request(), 800ms);
    EXPECT_EQ(nodes.open_query(), "list limit=2");
}

TEST(ReflectorRecovery, KeepsAReopenedWatchIfTheServerHasItsVersion) {
    for (const Answer& answer : {Answer{.body = page(10, {})}, Answer{.body = page(11, {})},
                                 Answer{.status = 503}, Answer{.body = "<html>"}}) {
        ReopenedWatch nodes;
        nodes.push(line("MODIFIED", node_text("a", 12)));
        nodes.answer_check(answer);
        EXPECT_EQ(nodes.api.open_count(), 1u);
        EXPECT_EQ(nodes.open_query(), "watch resourceVersion=10");
    }
}

TEST(ReflectorRecovery, ChecksTheServersVersionOnlyAfterAnEarlyEnd) {
    for (const auto& [length, is_checked] : std::map<Duration, bool>{{2s, true}, {10min, false}}) {
        FollowedKind nodes(false);
        nodes.sync();
        for (Duration passed = 0s; passed < length; passed += 1s) {
            nodes.push(bookmark(10));
            nodes.loop.advance(1s);
        }
        nodes.api.answer({});
        nodes.api.accept(nodes.open().id);
        EXPECT_EQ(nodes.api.open_count(), is_checked ? 2u : 1u);
    }
}

TEST(ReflectorRecovery, RetriesSoonWhenTheServerAnswersAnotherRequest) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.refuse_connections(6);
    nodes.api.fail({ErrorCode::unavailable, "connection refused"});
    nodes.api.success_notifier().notify();
    EXPECT_LE(nodes.wait_for_request(), 1s);
    EXPECT_EQ(nodes.open_query(), "watch resourceVersion=10");
}

TEST(ReflectorRecovery, BacksOffIfOnlyOtherRequestsSucceed) {
    FollowedKind nodes(false);
    nodes.sync();
    const Duration start = nodes.loop.monotonic();
    for (int i = 0; i < 20; ++i) {
        nodes.api.answer({.status = 503});
        nodes.api.success_notifier().notify();
        nodes.wait_for_request();
    }
    EXPECT_GT(nodes.loop.monotonic() - start, 2min);
}

TEST(ReflectorRecovery, RetriesSoonAfterEachRestartOfTheServer) {
    FollowedKind nodes(false);
    nodes.sync();
    for (int restart = 0; restart < 4; ++restart) {
        for (int i = 0; i < 4; ++i) {
            nodes.api.fail({ErrorCode::unavailable, "connection refused"});
            nodes.api.success_notifier().notify();
            EXPECT_LE(nodes.wait_for_request(), 1s) << restart;
        }
        nodes.api.accept(nodes.open().id);
        nodes.loop.advance(10s);
    }
}

TEST(ReflectorRecovery, RetriesSoonAfterRegularEndsOfWatches) {
    FollowedKind nodes(false);
    nodes.sync();
    for (int i = 0; i < 10; ++i) {
        nodes.api.fail({ErrorCode::unavailable, "connection refused"});
        nodes.api.success_notifier().notify();
        EXPECT_LE(nodes.wait_for_request(), 1s) << i;
        nodes.api.accept(nodes.open().id);
        nodes.loop.advance(10s);
        nodes.api.end(nodes.open().id);
    }
}

TEST(ReflectorRecovery, BacksOffIfEachWatchFailsWhenOpened) {
    FollowedKind nodes(false);
    nodes.sync();
    const Duration start = nodes.loop.monotonic();
    for (int i = 0; i < 20; ++i) {
        nodes.api.accept(nodes.open().id);
        nodes.api.fail({ErrorCode::unavailable, "connection lost"});
        nodes.api.success_notifier().notify();
        nodes.wait_for_request();
    }
    EXPECT_GT(nodes.loop.monotonic() - start, 2min);
}

TEST(ReflectorRecovery, KeepsTheBackOffIfTheServerRefusesRequests) {
    for (const Answer& answer : {Answer{.status = 429}, Answer{.status = 503, .retry_after = 5s},
                                 Answer{.status = 403, .body = status_body("Forbidden")}}) {
        FollowedKind nodes(false);
        nodes.sync();
        for (int i = 0; i < 5; ++i) {
            nodes.api.answer(answer);
            nodes.wait_for_request();
        }
        nodes.api.answer(answer);
        nodes.api.success_notifier().notify();
        EXPECT_GT(nodes.wait_for_request(), 2s) << answer.status;
    }
}

TEST(ReflectorRecovery, RetriesSoonIfForbiddenRightAfterAnOutage) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.refuse_connections(5);
    nodes.api.answer({.status = 403, .body = status_body("Forbidden")});
    nodes.api.success_notifier().notify();
    EXPECT_LE(nodes.wait_for_request(), 1s);
}

TEST(ReflectorStaleness, CountsFromTheLossOfTheWatch) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.api.accept(nodes.open().id);
    nodes.loop.advance(100s);
    EXPECT_EQ(nodes.reflector.age(), Duration(0));
    nodes.api.fail({ErrorCode::unavailable, "connection lost"});
    EXPECT_TRUE(nodes.reflector.status().trouble);
    nodes.wait_for_request();
    const Duration lost = nodes.reflector.age();
    EXPECT_LE(lost, Duration(1600ms));
    nodes.api.fail({ErrorCode::unavailable, "connection refused"});
    nodes.wait_for_request();
    EXPECT_GT(nodes.reflector.age(), lost) << "an attempt does not count";
    nodes.push(line("MODIFIED", node_text("a", 11)));
    EXPECT_EQ(nodes.reflector.age(), Duration(0));
    EXPECT_FALSE(nodes.reflector.status().trouble);
}

TEST(ReflectorRecovery, ReportsAnErrorAgainAfterRecovery) {
    FollowedKind nodes(false);
    nodes.sync();
    for (int i = 1; i <= 3; ++i) {
        nodes.api.fail({ErrorCode::unavailable, "connection lost"});
        nodes.wait_for_request();
        nodes.api.fail({ErrorCode::unavailable, "connection refused"});
        nodes.wait_for_request();
        nodes.push(line("MODIFIED", node_text("a", 11)));
        EXPECT_EQ(nodes.errors.size(), static_cast<std::size_t>(i));
    }
}

}  // namespace
}  // namespace capstan::kubernetes::client
