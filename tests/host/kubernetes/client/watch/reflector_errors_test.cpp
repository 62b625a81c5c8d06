// Which request a reflector sends after each error, and when.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "followed_kind.hpp"

namespace capstan::kubernetes::client {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

struct Condition {
    const char* what;
    Answer answer;        ///< response to the watch
    std::string event{};  ///< or an event in it
    const char* next;
    bool is_immediate = false;  ///< without a back-off
};

TEST(ReflectorErrors, DetermineTheNextRequestAndItsDelay) {
    const char* same = "watch resourceVersion=10";
    const char* relist = "list resourceVersion=10";
    const char* newest = "list limit=2";
    for (const Condition& condition : {
             Condition{"gone", {.status = 410, .body = status_body("Gone")}, "", relist, true},
             Condition{
                 "expired", {.status = 410, .body = status_body("Expired")}, "", relist, true},
             Condition{"expired in the stream", {}, error_line(410, "Expired"), relist, true},
             Condition{"gone in the stream", {}, error_line(410, "Gone"), relist, true},
             Condition{"too many requests", {.status = 429}, "", same},
             Condition{"too many in the stream", {}, error_line(429, "TooManyRequests"), same},
             Condition{"failing", {.status = 500, .body = status_body("InternalError")}, "", same},
             Condition{"failing in the stream", {}, error_line(500, "InternalError"), same},
             Condition{"overloaded", {.status = 503}, "", same},
             Condition{"timeout", {.status = 504, .body = status_body("Timeout")}, "", same},
             Condition{
                 "version too large",
                 {.status = 504,
                  .body = status_body("Timeout", "Too large resource version: 10, current: 4")},
                 "",
                 newest,
                 true},
             Condition{
                 "bad request", {.status = 400, .body = status_body("BadRequest")}, "", newest},
             Condition{
                 "no credentials", {.status = 401, .body = status_body("Unauthorized")}, "", same},
             Condition{"forbidden", {.status = 403, .body = status_body("Forbidden")}, "", same},
             Condition{
                 "unknown kind", {.status = 404, .body = status_body("NotFound")}, "", relist},
             Condition{"no JSON", {}, "<html>", relist},
             Condition{"no event", {}, "{}\n", relist},
             Condition{"ends at once", {}, "", same},
         }) {
        SCOPED_TRACE(condition.what);
        FollowedKind nodes(false);
        nodes.sync();
        condition.event.empty() ? nodes.api.answer(condition.answer) : nodes.push(condition.event);
        EXPECT_EQ(nodes.api.open_count(), 0u) << "waits";
        EXPECT_EQ(nodes.errors.size(), condition.is_immediate ? 0u : 1u);
        const Duration waited = nodes.wait_for_request();
        EXPECT_GE(waited, condition.is_immediate ? 0ms : 800ms);
        EXPECT_LE(waited, condition.is_immediate ? 800ms : 1600ms);
        EXPECT_EQ(nodes.open_query(), condition.next);
        EXPECT_EQ(nodes.store.take(), "") << "no object is lost";
    }
}

TEST(ReflectorErrors, ResumeTheWatchAfterALostConnection) {
    for (const ErrorCode code :
         {ErrorCode::unavailable, ErrorCode::deadline, ErrorCode::cancelled}) {
        FollowedKind nodes(false);
        nodes.sync();
        nodes.api.fail({code, "connection refused"});
        nodes.wait_for_request();
        EXPECT_EQ(nodes.open_query(), "watch resourceVersion=10");
    }
}

TEST(ReflectorErrors, IncreaseTheBackOffUntilTwoMinutesWithoutErrors) {
    FollowedKind nodes(false);
    nodes.sync();
    Duration min_delay = 800ms;
    for (int i = 0; i < 8; ++i) {
        nodes.api.fail({ErrorCode::unavailable, "connection refused"});
        const Duration waited = nodes.wait_for_request();
        EXPECT_GE(waited, min_delay);
        EXPECT_LE(waited, 2 * min_delay);
        min_delay = std::min<Duration>(2 * min_delay, 10s);
    }
    nodes.loop.advance(2min);
    nodes.api.fail({ErrorCode::unavailable, "connection refused"});
    EXPECT_LE(nodes.wait_for_request(), 1600ms);
}

TEST(ReflectorErrors, RelistSoonIfAWatchExpiresAfterALongOutage) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.refuse_connections(8);
    nodes.push(error_line(410, "Expired"));
    EXPECT_LE(nodes.wait_for_request(), 800ms);
    EXPECT_EQ(nodes.open_query(), "list resourceVersion=10");
    nodes.api.answer({.status = 410, .body = status_body("Expired")});
    EXPECT_LE(nodes.wait_for_request(), 800ms);
    EXPECT_EQ(nodes.open_query(), "list limit=2");
}

TEST(ReflectorErrors, RelistLessOftenIfAWatchExpiresRepeatedly) {
    FollowedKind nodes(false);
    nodes.sync();
    const Duration start = nodes.loop.monotonic();
    for (int i = 0; i < 8; ++i) {
        nodes.push(line("MODIFIED", node_text("a", 11)) + error_line(410, "Expired"));
        nodes.wait_for_request();
        nodes.api.answer({.body = page(20, {node_text("a", 12)})});
    }
    EXPECT_GT(nodes.loop.monotonic() - start, 25s);
    EXPECT_FALSE(nodes.errors.empty()) << "reported";
}

TEST(ReflectorErrors, RelistLessOftenIfAWatchExpiresAndFailsAlternately) {
    FollowedKind nodes(false);
    nodes.sync();
    const Duration start = nodes.loop.monotonic();
    Duration failed = start - 25s;
    int requests = 0;
    for (; nodes.loop.monotonic() - start < 5min; ++requests) {
        // One of two API servers fails every 25 s, so every response of the other follows soon
        // after an outage.
        const bool fails = nodes.loop.monotonic() - failed >= 25s;
        if (fails) failed = nodes.loop.monotonic();
        nodes.api.answer(fails ? Answer{.status = 503}
                               : Answer{.status = 410, .body = status_body("Expired")});
        nodes.wait_for_request();
    }
    EXPECT_LE(requests, 75) << "five per minute immediately, the others at least 10 s apart";
}

TEST(ReflectorErrors, FollowTheRetryDelayOfTheServer) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.api.answer({.status = 429, .retry_after = 20s});
    EXPECT_EQ(nodes.wait_for_request(), Duration(20s));
    nodes.push(line("ERROR", R"({"kind":"Status","code":429,"details":{"retryAfterSeconds":25}})"));
    EXPECT_EQ(nodes.wait_for_request(), Duration(25s));
    nodes.api.answer({.status = 429, .retry_after = 24h});
    EXPECT_LE(nodes.wait_for_request(), Duration(5min)) << "at most five minutes";
}

TEST(ReflectorErrors, RelistAfterAMinuteOfInternalErrors) {
    FollowedKind nodes(false);
    nodes.sync();
    const Duration start = nodes.loop.monotonic();
    while (nodes.open_query() == "watch resourceVersion=10") {
        ASSERT_LT(nodes.loop.monotonic() - start, 3min);
        nodes.push(error_line(500, "InternalError", "etcd"));
        nodes.wait_for_request();
    }
    EXPECT_EQ(nodes.open_query(), "list resourceVersion=10");
    EXPECT_GT(nodes.loop.monotonic() - start, 1min);
    EXPECT_EQ(nodes.errors.size(), 1u) << "reported once";
}

TEST(ReflectorErrors, ForgetInternalErrorsAfterAnEvent) {
    FollowedKind nodes(false);
    nodes.sync();
    for (int i = 0; i < 20; ++i) {
        nodes.loop.advance(30s);
        nodes.push(bookmark(10));
        nodes.push(error_line(500, "InternalError"));
        nodes.wait_for_request();
        ASSERT_EQ(nodes.open_query(), "watch resourceVersion=10");
    }
}

TEST(ReflectorErrors, ListTheNewestVersionIfARelistExpires) {
    for (const Answer& answer :
         {Answer{.status = 410, .body = status_body("Expired")},
          Answer{.status = 504,
                 .body = status_body("Timeout", "Too large resource version: 10")}}) {
        FollowedKind nodes(false);
        nodes.sync();
        nodes.push(error_line(410, "Expired"));
        nodes.wait_for_request();
        EXPECT_EQ(nodes.open_query(), "list resourceVersion=10");
        nodes.api.answer(answer);
        nodes.wait_for_request();
        EXPECT_EQ(nodes.open_query(), "list limit=2");
        nodes.api.answer({.body = page(20, {node_text("b", 3)})});
        EXPECT_EQ(nodes.store.take(), "[+b]");
        EXPECT_EQ(nodes.open_query(), "watch resourceVersion=20");
    }
}

TEST(ReflectorErrors, ListTheNewestVersionIfTheVersionIsRejected) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.push(error_line(410, "Expired"));
    nodes.wait_for_request();
    EXPECT_EQ(nodes.open_query(), "list resourceVersion=10");
    nodes.api.answer({.status = 400, .body = status_body("BadRequest")});
    EXPECT_GE(nodes.wait_for_request(), 800ms);
    EXPECT_EQ(nodes.open_query(), "list limit=2");
}

TEST(ReflectorErrors, WatchTheNewestVersionIfInitialEventsExpire) {
    FollowedKind nodes(true);
    nodes.push(initial_end(10));
    nodes.push(error_line(410, "Expired"));
    nodes.wait_for_request();
    EXPECT_EQ(nodes.open_query(), "watch list resourceVersion=10");
    nodes.api.answer({.status = 410, .body = status_body("Expired")});
    nodes.wait_for_request();
    EXPECT_EQ(nodes.open_query(), "watch list");
}

TEST(ReflectorErrors, RestartTheListIfAPageExpires) {
    FollowedKind nodes(false);
    nodes.api.answer({.body = page(10, {node_text("a", 3)}, "p2")});
    nodes.api.answer(
        {.status = 410,
         .body = R"({"kind":"Status","reason":"Expired","metadata":{"continue":"inconsistent"}})"});
    nodes.wait_for_request();
    EXPECT_EQ(nodes.open_query(), "list");
    nodes.api.answer({.body = page(20, {node_text("b", 3)})});
    EXPECT_EQ(nodes.store.take(), "[+a[+b]");
}

TEST(ReflectorErrors, RefuseAListOfAnotherKind) {
    const std::string start = R"({"kind":"FrobList","apiVersion":"v9",)";
    const std::string none = R"("metadata":{"resourceVersion":"10"},"items":)";
    for (const auto& [body, error] : std::map<std::string, std::string>{
             {start + none + "[]}", "list nodes: the reply is v9 FrobList, expected v1 NodeList"},
             {"{" + none + "[]}",
              "list nodes: the reply is a document without a kind, expected v1 NodeList"},
             {R"({"kind":"NodeList","apiVersion":"v1",)" + none + "null}",
              "list nodes: the list has no items"}}) {
        FollowedKind nodes(false);
        nodes.api.answer({.body = body});
        EXPECT_THAT(nodes.errors, ElementsAre(error));
        EXPECT_FALSE(nodes.reflector.has_synced()) << body;
        nodes.wait_for_request();
        EXPECT_EQ(nodes.open_query(), "list resourceVersion=0 limit=2") << body;
    }
}

TEST(ReflectorErrors, RefuseAnEventWithAnotherKind) {
    FollowedKind nodes(false);
    nodes.sync();
    nodes.push(line("ADDED", R"({"kind":"Node","metadata":{"name":"b"}})") +
               line("DELETED", R"({"kind":"Frob","metadata":{"name":"a"}})"));
    EXPECT_EQ(nodes.store.take(), "+b");
    EXPECT_THAT(nodes.errors,
                ElementsAre("watch nodes: an event has an object of kind Frob, expected Node"));
    nodes.wait_for_request();
    EXPECT_EQ(nodes.open_query(), "list resourceVersion=10");
}

TEST(ReflectorErrors, RestartATruncatedList) {
    for (const std::string& text : {page(10, {node_text("a", 3)}).substr(0, 80),
                                    std::string(R"({"kind":"Status"})"), std::string()}) {
        FollowedKind nodes(false);
        nodes.api.answer({.body = text});
        EXPECT_FALSE(nodes.reflector.has_synced()) << text;
        EXPECT_GE(nodes.wait_for_request(), 800ms);
        EXPECT_EQ(nodes.open_query(), "list resourceVersion=0 limit=2");
    }
}

TEST(ReflectorErrors, AreReportedOnceForAForbiddenKindAndRetried) {
    FollowedKind nodes(false);
    for (int i = 0; i < 5; ++i) {
        nodes.api.answer({.status = 403, .body = status_body("Forbidden", "cannot list nodes")});
        EXPECT_FALSE(nodes.reflector.is_unavailable());
        nodes.wait_for_request();
        EXPECT_EQ(nodes.open_query(), "list resourceVersion=0 limit=2");
    }
    ASSERT_EQ(nodes.errors.size(), 1u);
    EXPECT_NE(nodes.errors[0].find("cannot list nodes"), std::string::npos);
    nodes.sync();
    EXPECT_TRUE(nodes.reflector.has_synced());
}

TEST(ReflectorErrors, DoNotBlockOnAForbiddenOptionalKind) {
    FollowedKind kind(false, true);
    kind.api.answer({.status = 403, .body = status_body("Forbidden")});
    EXPECT_TRUE(kind.reflector.is_unavailable());
    EXPECT_LE(kind.wait_for_request(), 1600ms);
    kind.sync();
    EXPECT_FALSE(kind.reflector.is_unavailable());
    EXPECT_TRUE(kind.reflector.has_synced());
}

TEST(ReflectorErrors, EndAListThatTakesTooLong) {
    FollowedKind nodes(false);
    nodes.push(R"({"metadata":{"resourceVersion":"10"},"items":[)");
    for (int i = 0; i < 21; ++i) {
        nodes.loop.advance(30s);
        nodes.push(node_text("a", i) + ",");
    }
    ASSERT_EQ(nodes.errors.size(), 1u);
    EXPECT_NE(nodes.errors[0].find("list nodes: has not ended after"), std::string::npos)
        << nodes.errors[0];
}

TEST(ReflectorErrors, RetryAMissingOptionalKindEveryFiveMinutes) {
    FollowedKind kind(true, true);
    for (int i = 0; i < 3; ++i) {
        kind.api.answer({.status = 404, .body = status_body("NotFound")});
        EXPECT_TRUE(kind.reflector.is_unavailable());
        EXPECT_EQ(kind.wait_for_request(), Duration(5min));
    }
    EXPECT_EQ(kind.errors.size(), 1u);
    EXPECT_EQ(kind.store.take(), "[][][]");
    kind.push(line("ADDED", node_text("a", 3)) + initial_end(10));
    EXPECT_FALSE(kind.reflector.is_unavailable());
    EXPECT_EQ(kind.store.take(), "[+a]");
}

}  // namespace
}  // namespace capstan::kubernetes::client
