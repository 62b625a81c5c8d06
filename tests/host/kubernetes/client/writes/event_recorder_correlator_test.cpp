#include "kubernetes/client/writes/event_recorder.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

struct EventCorrelatorTest : ::testing::Test {
    EventCorrelator correlator{{.instance = "host-1", .limit = 3}};
    Time now{1'700'000'000s};

    static EventNote note(std::string message, std::string pod = "web") {
        return {.about = {.kind = "Pod", .ns = "shop", .name = std::move(pod), .uid = "u1"},
                .reason = "NotTriggerScaleUp",
                .message = std::move(message)};
    }
    std::optional<EventWrite> take(const EventNote& what, Duration later = 0s) {
        now += later;
        return correlator.take(what, now, now);
    }
};

TEST_F(EventCorrelatorTest, WritesEventsForKubectlDescribe) {
    const auto write = take(note("no room"));
    EXPECT_EQ(write->event, boost::json::parse(R"({"apiVersion":"v1","kind":"Event",
        "metadata":{"name":"web.17979cfe362a0000","namespace":"shop"},
        "involvedObject":{"apiVersion":"v1","kind":"Pod","name":"web","namespace":"shop","uid":"u1"},
        "reason":"NotTriggerScaleUp","message":"no room","type":"Normal","count":1,
        "source":{"component":"cluster-autoscaler"},"reportingComponent":"cluster-autoscaler",
        "reportingInstance":"host-1",
        "firstTimestamp":"2023-11-14T22:13:20Z","lastTimestamp":"2023-11-14T22:13:20Z"})"))
        << boost::json::serialize(write->event);
}

TEST_F(EventCorrelatorTest, WritesNodeEventsToTheDefaultNamespace) {
    const auto write = take(
        {.about = {.kind = "Node", .name = "n1"}, .is_warning = true, .reason = "ScaleDownFailed"});
    EXPECT_EQ(write->ns, "default");
    EXPECT_EQ(write->event.at("type"), "Warning");
    EXPECT_FALSE(write->event.at("involvedObject").as_object().contains("namespace"));
}

TEST_F(EventCorrelatorTest, RepeatsAnEventAfterFiveMinutesWithItsCount) {
    const std::string name = take(note("no room"))->name;
    EXPECT_FALSE(take(note("no room"), 1min));
    EXPECT_FALSE(take(note("no room"), 3min + 59s));
    const auto again = take(note("no room"), 1s);
    EXPECT_EQ(again->name, name);
    EXPECT_EQ(again->patch, boost::json::parse(R"({"count":4,"message":"no room",
        "lastTimestamp":"2023-11-14T22:18:20Z"})"));
    EXPECT_EQ(again->event.at("firstTimestamp"), "2023-11-14T22:13:20Z");
}

TEST_F(EventCorrelatorTest, SuppressesSimilarMessagesUnlessDistinct) {
    EXPECT_TRUE(take(note("no room")));
    EXPECT_FALSE(take(note("still no room")));
    EXPECT_TRUE(take(note("no room", "db")));
    EventNote distinct = note("grew a");
    distinct.is_distinct = true;
    EXPECT_TRUE(take(distinct));
    EXPECT_FALSE(take(distinct));
    distinct.message = "grew b";
    EXPECT_TRUE(take(distinct));
}

TEST_F(EventCorrelatorTest, CombinesMessagesFromTheTenthOn) {
    EventNote each = note("");
    each.is_distinct = true;
    std::set<std::string> names;
    for (int i = 1; i <= 12; ++i) {
        each.message = "grew " + std::to_string(i);
        const auto write = take(each, 1s);
        EXPECT_EQ(write->event.at("message").as_string().starts_with("(combined"), i >= 10) << i;
        names.insert(write->name);
    }
    EXPECT_EQ(names.size(), 10u);
    each.message = "grew later";
    EXPECT_EQ(take(each, 11min)->event.at("message"), "grew later");
}

TEST_F(EventCorrelatorTest, ForgetsTheOldestEvents) {
    take(note("no room", "a"));
    for (const char* pod : {"b", "c", "d"}) take(note("no room", pod));
    EXPECT_TRUE(take(note("no room", "a")));
    EXPECT_FALSE(take(note("no room", "d")));
}

TEST_F(EventCorrelatorTest, GeneratesUniqueValidNames) {
    const std::string longest(253, 'a');
    const auto first = take(note("", longest));
    const auto second = take(note("", "web"));
    EXPECT_LE(first->name.size(), 253u);
    EXPECT_NE(first->name.substr(230), second->name.substr(3));
    EXPECT_TRUE(take(note("", std::string(229, 'a') + "-b"))
                    ->name.starts_with(std::string(229, 'a') + "."));
}

TEST_F(EventCorrelatorTest, TruncatesMessagesAt1024Bytes) {
    const auto write = take(note(std::string(5000, 'x') + "\n"));
    EXPECT_LE(write->event.at("message").as_string().size(), 1024u);
}

}  // namespace
}  // namespace capstan::kubernetes::client
