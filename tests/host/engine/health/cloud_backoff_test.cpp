#include "engine/health/backoff.hpp"

#include <gmock/gmock.h>

#include "../world.hpp"

namespace capstan::engine::health {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Pair;

const PluginInstanceId resting_east("east");

Error cloud_error(ErrorCode code, std::string message = "slow down") {
    return {.code = code, .message = std::move(message)};
}

Memory refreshed(Memory memory, ErrorCode code, Time now) {
    return remember_refreshes(std::move(memory), {{resting_east, cloud_error(code)}}, now);
}

/// How long the cloud is backed off from `now` on; zero: it is not.
Duration rest_left(const Memory& memory, Time now) {
    const auto end = next_cloud_backoff_end(memory, now);
    return end ? *end - now : Duration(0);
}

/// Up to a quarter is chance.
auto about_rest(Duration length) { return AllOf(Ge(length), Le(length + length / 4)); }

TEST(CloudBackoffs, GrowWithEachThrottledRefreshInARow) {
    Memory memory;
    Time now = noon;
    for (const Duration length : {20s, 40s, 80s, 160s, 300s, 300s}) {
        memory = refreshed(std::move(memory), ErrorCode::throttled, now);
        EXPECT_THAT(rest_left(memory, now), about_rest(length));
        now += rest_left(memory, now);
        EXPECT_EQ(rest_left(memory, now), 0s);
    }
}

TEST(CloudBackoffs, AreLongerWhereAnOperatorIsNeeded) {
    for (const ErrorCode code : {ErrorCode::unauthenticated, ErrorCode::permission})
        EXPECT_THAT(rest_left(refreshed({}, code, noon), noon), about_rest(60s)) << name_of(code);
}

TEST(CloudBackoffs, AreNotMadeByErrorsThatMayPassByThemselves) {
    for (const ErrorCode code : {ErrorCode::unavailable, ErrorCode::deadline, ErrorCode::internal,
                                 ErrorCode::cancelled, ErrorCode::busy})
        EXPECT_EQ(refreshed({}, code, noon), Memory()) << name_of(code);
}

TEST(CloudBackoffs, LastAsLongAsTheCloudAsksForWithinReason) {
    Error error = cloud_error(ErrorCode::throttled);
    error.retry_after = 90s;
    const Memory memory = remember_refreshes({}, {{resting_east, error}}, noon);
    EXPECT_THAT(rest_left(memory, noon), about_rest(90s));
    error.retry_after = 24h;
    EXPECT_THAT(rest_left(remember_refreshes({}, {{resting_east, error}}, noon), noon),
                about_rest(5min));
}

TEST(CloudBackoffs, AreOneForSeveralFailuresOfOnePass) {
    const Increase web{.group = NodeGroupId("web"), .cloud = resting_east, .by = 1};
    const Increase db{.group = NodeGroupId("db"), .cloud = resting_east, .by = 1};
    Results results;
    results.increases = {cloud_error(ErrorCode::throttled), cloud_error(ErrorCode::throttled)};
    const Memory memory =
        remember_cloud_results({}, Decision{.increases = {web, db}}, results, noon);
    EXPECT_EQ(memory.cloud_backoffs.at(resting_east).failures, 1);
    EXPECT_THAT(rest_left(memory, noon), about_rest(20s));
}

TEST(CloudBackoffs, AreForgottenAfterTenMinutesWithoutAFailure) {
    Memory memory = refreshed({}, ErrorCode::throttled, noon);
    const Time end = noon + rest_left(memory, noon);
    forget_cloud_backoffs(memory, end + 10min);
    EXPECT_FALSE(memory.cloud_backoffs.empty());
    forget_cloud_backoffs(memory, end + 10min + 1ns);
    EXPECT_TRUE(memory.cloud_backoffs.empty());
}

TEST(CloudBackoffs, SayWhyInASentenceThatStaysTheSame) {
    const Memory once = refreshed({}, ErrorCode::throttled, noon);
    const auto said = find_backed_off_clouds(once, noon);
    ASSERT_THAT(
        said, ElementsAre(Pair(resting_east, ::testing::MatchesRegex(
                                                 "cloud east is backed off for 2.s: slow down"))));
    EXPECT_EQ(find_backed_off_clouds(once, noon + 10s), said);
    EXPECT_THAT(find_backed_off_clouds(once, noon + 25s), IsEmpty());
}

TEST(CloudBackoffs, AreAsLongInAReplay) {
    EXPECT_EQ(refreshed({}, ErrorCode::throttled, noon), refreshed({}, ErrorCode::throttled, noon));
    EXPECT_NE(with_jitter(1min, "east", noon), with_jitter(1min, "west", noon));
}

}  // namespace
}  // namespace capstan::engine::health
