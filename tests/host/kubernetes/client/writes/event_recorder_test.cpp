#include "kubernetes/client/writes/event_recorder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../scripted_api.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

struct EventRecorderTest : ::testing::Test {
    boost::asio::io_context io;
    io::ManualLoop loop{io, std::make_shared<io::ManualClock>(Time(1'700'000'000s))};
    ScriptedApi api{loop};
    int errors = 0;
    EventRecorder recorder{
        api, loop, {.per_minute = 10, .queue_limit = 4, .on_error = [this](const Error&) {
                        ++errors;
                    }}};

    void record(std::string pod, std::string message = "no room") {
        recorder.record({.about = {.kind = "Pod", .ns = "shop", .name = std::move(pod)},
                         .reason = "NotTriggerScaleUp",
                         .message = std::move(message)});
        loop.settle();
    }
    void next(Answer answer) { api.answer(std::move(answer)); }
};

TEST_F(EventRecorderTest, WritesOneEventAfterTheOther) {
    record("a");
    record("b");
    EXPECT_EQ(api.open_count(), 1u);
    EXPECT_EQ(api.first().line(), "POST /api/v1/namespaces/shop/events");
    next({.status = 201});
    EXPECT_EQ(api.first().json().at_pointer("/involvedObject/name"), "b");
    next({.status = 201});
    EXPECT_EQ(recorder.counts(), (EventRecorder::Counts{.recorded = 2}));
}

TEST_F(EventRecorderTest, IncrementsTheCountAndRecreatesAnExpiredEvent) {
    record("a");
    next({.status = 201});
    loop.advance(5min);
    record("a");
    const std::string patch = api.first().line();
    EXPECT_TRUE(patch.starts_with("PATCH /api/v1/namespaces/shop/events/a.")) << patch;
    EXPECT_EQ(api.first().request.content_type, "application/strategic-merge-patch+json");
    EXPECT_EQ(api.first().json().at("count"), 2);
    next(refusal(404, "NotFound"));
    EXPECT_EQ(api.first().line(), "POST /api/v1/namespaces/shop/events");
    EXPECT_EQ(api.first().json().at("count"), 2);
    next({.status = 201});
    EXPECT_EQ(recorder.counts(), (EventRecorder::Counts{.recorded = 2}));
}

TEST_F(EventRecorderTest, RetriesOnlyTemporaryErrors) {
    struct Case {
        Answer answer;
        bool again;
    };
    const std::vector<Case> cases{
        {refusal(400, "BadRequest"), false},   {refusal(401, "Unauthorized"), true},
        {refusal(403, "Forbidden"), false},    {refusal(404, "NotFound"), false},
        {refusal(409, "Conflict"), false},     {refusal(413, "RequestEntityTooLarge"), false},
        {refusal(422, "Invalid"), false},      {refusal(429, "TooManyRequests"), true},
        {refusal(500, "InternalError"), true}, {refusal(503, "ServiceUnavailable"), true}};
    for (const Case& each : cases) {
        SCOPED_TRACE(each.answer.body);
        loop.advance(1min);
        record("pod-" + std::to_string(api.asked().size()));
        next(each.answer);
        EXPECT_EQ(api.open_count(), 0u);
        loop.advance(13s);
        EXPECT_EQ(api.open_count(), each.again ? 1u : 0u);
        if (each.again) next({.status = 201});
    }
    EXPECT_EQ(recorder.counts().recorded, 4u);
    EXPECT_EQ(recorder.counts().refused, 6u);
    EXPECT_EQ(errors, 2) << "reported once until a write succeeds";
}

TEST_F(EventRecorderTest, CountsARetriedEventThatAlreadyExistsAsRecorded) {
    record("a");
    api.fail({ErrorCode::unavailable, "connection lost"});
    loop.advance(13s);
    next(refusal(409, "AlreadyExists"));
    EXPECT_EQ(recorder.counts(), (EventRecorder::Counts{.recorded = 1}));
}

TEST_F(EventRecorderTest, GivesUpAfterTwelveAttempts) {
    api.automatic = [](const auto&) { return refusal(503, "ServiceUnavailable"); };
    record("a");
    loop.advance(10min);
    EXPECT_EQ(api.asked().size(), 12u);
    EXPECT_EQ(recorder.counts(), (EventRecorder::Counts{.given_up = 1}));
    EXPECT_EQ(errors, 1);
}

TEST_F(EventRecorderTest, WaitsForTheRetryDelayOfTheServer) {
    record("a");
    Answer busy = refusal(429, "TooManyRequests");
    busy.retry_after = 1min;
    next(busy);
    loop.advance(59s);
    EXPECT_EQ(api.open_count(), 0u);
    loop.advance(4s);
    EXPECT_EQ(api.open_count(), 1u);
}

TEST_F(EventRecorderTest, DropsEventsOverBudgetAndReservesAPartForDistinctOnes) {
    api.automatic = [](const auto&) { return Answer{.status = 201}; };
    for (int i = 0; i < 20; ++i) record("pod-" + std::to_string(i));
    EXPECT_EQ(recorder.counts(), (EventRecorder::Counts{.recorded = 8, .over_budget = 12}));
    const EventNote distinct{.about = {.kind = "ConfigMap", .ns = "kube-system", .name = "status"},
                             .reason = "ScaledUpGroup",
                             .is_distinct = true};
    recorder.record(distinct);
    loop.settle();
    EXPECT_EQ(recorder.counts().recorded, 9u);
    loop.advance(12s);
    for (int i = 20; i < 40; ++i) record("pod-" + std::to_string(i));
    EXPECT_EQ(recorder.counts().recorded, 10u) << "two more, one of them reserved";
}

TEST_F(EventRecorderTest, WritesDroppedEventsOnceThereIsBudget) {
    api.automatic = [](const auto&) { return Answer{.status = 201}; };
    EXPECT_EQ(recorder.room(), 4u) << "limited by the queue";
    for (int i = 0; i < 9; ++i) record("pod-" + std::to_string(i));
    EXPECT_EQ(recorder.room(), 0u);
    EXPECT_EQ(recorder.counts().over_budget, 1u);
    loop.advance(7s);
    EXPECT_EQ(recorder.room(), 1u);
    record("pod-8");
    EXPECT_EQ(recorder.counts().recorded, 9u) << "although within five minutes of the first";
}

TEST_F(EventRecorderTest, DropsEventsIfTheQueueIsFull) {
    for (int i = 0; i < 6; ++i) record("pod-" + std::to_string(i));
    EXPECT_EQ(recorder.queued(), 4u);
    EXPECT_EQ(recorder.counts(), (EventRecorder::Counts{.queue_full = 2}));
}

TEST_F(EventRecorderTest, WritesTheNewestQueuedCount) {
    record("first");
    record("a");
    loop.advance(5min);
    record("a");
    EXPECT_EQ(recorder.queued(), 2u);
    next({.status = 201});
    EXPECT_EQ(api.first().json().at("count"), 2);
}

TEST_F(EventRecorderTest, FlushesUntilTheDeadline) {
    std::string seen;
    record("a");
    record("b");
    record("c");
    recorder.flush(5s, [&] { seen += "over"; });
    record("late");
    next({.status = 201});
    loop.advance(4s);
    EXPECT_EQ(seen, "");
    loop.advance(1s);
    EXPECT_EQ(seen, "over");
    EXPECT_EQ(recorder.counts(), (EventRecorder::Counts{.recorded = 1, .given_up = 2}));
    EXPECT_EQ(api.open_count(), 0u);
}

TEST_F(EventRecorderTest, FlushesUntilAllEventsAreWritten) {
    std::string seen;
    record("a");
    recorder.flush(1h, [&] { seen += "over"; });
    EXPECT_EQ(seen, "");
    next({.status = 201});
    EXPECT_EQ(seen, "over");
    loop.advance(2h);
    EXPECT_EQ(seen, "over");
}

}  // namespace
}  // namespace capstan::kubernetes::client
