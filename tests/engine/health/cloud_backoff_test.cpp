#include "engine/health/cloud_backoff.hpp"

#include <gmock/gmock.h>

#include "../test_cluster.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/requests.hpp"

namespace capstan::engine::health {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Pair;

const PluginInstanceId east("east");

Error cloud_error(ErrorCode code, std::string message = "slow down") {
    return {.code = code, .message = std::move(message)};
}

Memory after_refresh(Memory memory, ErrorCode code, Time now) {
    return remember_refreshes(std::move(memory), {{east, cloud_error(code)}}, now);
}
Memory after_success(Memory memory, Time now) {
    return remember_refreshes(std::move(memory), {{east, std::nullopt}}, now);
}

/// How long the cloud stays backed off; zero if it is not.
Duration cloud_backoff_left(const Memory& memory, Time now) {
    const auto end = next_cloud_backoff_end(memory, now);
    return end ? *end - now : Duration(0);
}

/// Jitter adds up to a quarter.
auto about_length(Duration length) { return AllOf(Ge(length), Le(length + length / 4)); }

TEST(ListBackoffs, RetryAThrottlingCloudTwiceAMinute) {
    Memory memory;
    Time now = noon;
    int calls = 0;
    for (; now < noon + 1h; ++calls) {
        memory = after_refresh(std::move(memory), ErrorCode::throttled, now);
        EXPECT_THAT(cloud_backoff_left(memory, now), AllOf(Ge(20s), Le(30s)));
        now += cloud_backoff_left(memory, now);
        EXPECT_EQ(cloud_backoff_left(memory, now), 0s);
    }
    EXPECT_LE(calls, 150) << "2.5 per minute";
}

TEST(ListBackoffs, ProbeACloudUntilARefreshSucceeds) {
    Memory memory = after_refresh({}, ErrorCode::throttled, noon);
    EXPECT_THAT(find_probed_clouds(memory), ElementsAre(east));
    memory = after_refresh(std::move(memory), ErrorCode::unavailable, noon + 30s);
    EXPECT_THAT(find_probed_clouds(memory), ElementsAre(east));
    memory = after_success(std::move(memory), noon + 40s);
    EXPECT_THAT(find_probed_clouds(memory), IsEmpty());
    EXPECT_EQ(memory, Memory());
}

TEST(ListBackoffs, AreLongerAfterCredentialErrors) {
    for (const ErrorCode code : {ErrorCode::unauthenticated, ErrorCode::permission}) {
        SCOPED_TRACE(name_of(code));
        Memory memory;
        Time now = noon;
        for (const Duration length : {1min, 2min, 4min, 8min, 15min, 15min}) {
            memory = after_refresh(std::move(memory), code, now);
            EXPECT_THAT(cloud_backoff_left(memory, now), about_length(length));
            now += cloud_backoff_left(memory, now);
        }
        EXPECT_THAT(find_probed_clouds(memory), IsEmpty()) << "a probe would not help";
    }
}

TEST(ListBackoffs, DoNotStartOnTransientErrors) {
    for (const ErrorCode code : {ErrorCode::unavailable, ErrorCode::deadline, ErrorCode::internal,
                                 ErrorCode::cancelled, ErrorCode::busy})
        EXPECT_EQ(after_refresh({}, code, noon), Memory()) << name_of(code);
}

TEST(ListBackoffs, HonourRetryAfterWithinLimits) {
    Error error = cloud_error(ErrorCode::throttled);
    error.retry_after = 90s;
    const Memory memory = remember_refreshes({}, {{east, error}}, noon);
    EXPECT_THAT(cloud_backoff_left(memory, noon), about_length(90s));
    error.retry_after = 24h;
    EXPECT_THAT(cloud_backoff_left(remember_refreshes({}, {{east, error}}, noon), noon),
                about_length(5min));
}

TEST(ListBackoffs, AreForgottenAfterTenMinutesWithoutAFailure) {
    Memory memory = after_refresh({}, ErrorCode::throttled, noon);
    const Time end = noon + cloud_backoff_left(memory, noon);
    forget_cloud_backoffs(memory, end + 10min);
    EXPECT_FALSE(memory.cloud_backoffs.empty());
    forget_cloud_backoffs(memory, end + 10min + 1ns);
    EXPECT_TRUE(memory.cloud_backoffs.empty());
}

TEST(ListBackoffs, ReportACauseThatDoesNotChange) {
    const Memory once = after_refresh({}, ErrorCode::throttled, noon);
    const auto reasons = find_backed_off_clouds(once, noon);
    ASSERT_THAT(
        reasons,
        ElementsAre(Pair(
            east, ::testing::MatchesRegex("cloud east is backed off until 15:07:0.Z: slow down"))));
    EXPECT_EQ(find_backed_off_clouds(once, noon + 10s), reasons);
    EXPECT_THAT(find_backed_off_clouds(once, noon + 25s), IsEmpty());
}

TEST(ListBackoffs, AreTheSameInAReplay) {
    EXPECT_EQ(after_refresh({}, ErrorCode::throttled, noon),
              after_refresh({}, ErrorCode::throttled, noon));
    EXPECT_NE(with_jitter(1min, "east", noon), with_jitter(1min, "west", noon));
}

/// Results of increases in cloud east, by group.
struct RequestBackoffs : ::testing::Test {
    Memory memory;
    Time now = noon;

    static Error throttled() { return cloud_error(ErrorCode::throttled); }
    void pass(const std::vector<std::pair<std::string, std::optional<Error>>>& increases) {
        Decision decision;
        Results results;
        for (const auto& [group, result] : increases) {
            decision.increases.push_back({.group = NodeGroupId(group), .cloud = east, .by = 1});
            results.increases.push_back(result);
        }
        memory = remember_sizes(std::move(memory), decision, results, Settings(), now);
        memory = remember_cloud_results(std::move(memory), decision, results, now);
    }
    bool is_backed_off(const std::string& group) const {
        return find_backoff(memory, NodeGroupId(group), now) != nullptr;
    }
    std::string why() const { return find_request_backoff(memory, east, now); }
};

TEST_F(RequestBackoffs, DoNotAffectLists) {
    pass({{"web", throttled()}, {"db", throttled()}});
    EXPECT_THAT(why(), HasSubstr("requests to cloud east are backed off until 15:07:0"));
    EXPECT_THAT(why(), HasSubstr("Z: slow down"));
    EXPECT_THAT(find_backed_off_clouds(memory, now), IsEmpty());
    EXPECT_EQ(after_success(memory, now), memory) << "successful lists do not end the back-off";
}

TEST_F(RequestBackoffs, DoNotStartOnThrottledLists) {
    memory = after_refresh({}, ErrorCode::throttled, noon);
    EXPECT_EQ(why(), "");
}

TEST_F(RequestBackoffs, CountOneFailurePerPass) {
    pass({{"web", throttled()}, {"db", throttled()}});
    EXPECT_EQ(memory.request_backoffs.at(east).failures, 1);
    EXPECT_THAT(cloud_backoff_left(memory, noon), about_length(20s));
}

TEST_F(RequestBackoffs, StartWhenTheNextOptionIsThrottledToo) {
    pass({{"web", throttled()}});
    EXPECT_EQ(why(), "");
    EXPECT_TRUE(is_backed_off("web")) << "the next pass uses another option";
    now += 10s;
    pass({{"db", throttled()}});
    EXPECT_NE(why(), "");
}

TEST_F(RequestBackoffs, DoNotStartIfAnotherIncreaseSucceeds) {
    pass({{"web", throttled()}});
    now += 10s;
    pass({{"db", std::nullopt}});
    EXPECT_EQ(why(), "");
    EXPECT_THAT(memory.request_backoffs, IsEmpty());
    EXPECT_TRUE(is_backed_off("web"));
    now += 20s;
    pass({{"web", throttled()}, {"db", std::nullopt}});
    EXPECT_EQ(why(), "") << "requests to the cloud succeed";
}

TEST_F(RequestBackoffs, StartAtOnceOnThrottledRemovals) {
    const Decision decision{.removals = {{.group = NodeGroupId("web"), .cloud = east}}};
    Results results;
    results.removals = {{throttled()}};
    memory = remember_cloud_results({}, decision, results, now);
    EXPECT_NE(why(), "");
}

TEST_F(RequestBackoffs, AllowAThrottledGroupToBeRetriedEvery30Seconds) {
    int calls = 0;
    while (now < noon + 10min) {
        if (why().empty() && !is_backed_off("web")) {
            pass({{"web", throttled()}});
            ++calls;
        }
        now += 1s;
    }
    EXPECT_GE(calls, 18) << "so the group grows within about 30s after throttling ends";
    EXPECT_LE(calls, 26);
}

TEST_F(RequestBackoffs, AllowAnotherGroupToBeTriedFirst) {
    pass({{"web", throttled()}});
    now += 10s;
    pass({{"db", throttled()}});
    now += cloud_backoff_left(memory, now);
    EXPECT_EQ(why(), "");
    EXPECT_TRUE(is_backed_off("db"));
    now = noon + 10s + 31s;
    EXPECT_FALSE(is_backed_off("db"));
}

TEST_F(RequestBackoffs, EndWithTheFirstSuccessfulRequest) {
    pass({{"web", throttled()}, {"db", throttled()}});
    now += 30s;
    pass({{"web", std::nullopt}});
    EXPECT_THAT(memory.request_backoffs, IsEmpty());
}

TEST_F(RequestBackoffs, AreLongerAfterCredentialErrors) {
    pass({{"web", cloud_error(ErrorCode::unauthenticated)}});
    EXPECT_THAT(cloud_backoff_left(memory, now), about_length(1min));
    EXPECT_FALSE(is_backed_off("web"));
}

TEST_F(RequestBackoffs, MakeTheGroupsOfTheCloudUnreadable) {
    TestCluster test_cluster;
    test_cluster.group("web", 1).cloud = east;
    test_cluster.group("other", 1);
    const Snapshot snapshot = test_cluster.snapshot();
    EXPECT_EQ(with_request_backoffs(snapshot, memory, now).groups, snapshot.groups);
    pass({{"web", throttled()}, {"db", throttled()}});
    const Snapshot held = with_request_backoffs(snapshot, memory, now);
    EXPECT_EQ(find_group(held, NodeGroupId("web"))->unreadable_because, why());
    EXPECT_EQ(find_group(held, NodeGroupId("other"))->unreadable_because, "");
}

}  // namespace
}  // namespace capstan::engine::health
