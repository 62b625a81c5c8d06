#include "kubernetes/client/watch_backoff.hpp"

#include <gtest/gtest.h>

#include <set>

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

TEST(WatchBackoff, DoublesFrom800msTo10sWithJitter) {
    WatchBackoff backoff(7);
    Duration now = 100s;
    for (const Duration min_delay : {800ms, 1600ms, 3200ms, 6400ms, 10000ms, 10000ms}) {
        const Duration wait = backoff.next(now);
        EXPECT_GE(wait, min_delay);
        EXPECT_LE(wait, 2 * min_delay);
        now += wait + 1s;
    }
}

TEST(WatchBackoff, StartsOverAfterTwoMinutesWithoutAFailure) {
    WatchBackoff backoff(7);
    Duration now = 0s;
    for (int i = 0; i < 6; ++i) now += backoff.next(now);
    EXPECT_GE(backoff.next(now + 2min - 1ns), 10s);
    WatchBackoff other(7);
    now = 0s;
    for (int i = 0; i < 6; ++i) now += other.next(now);
    EXPECT_LE(other.next(now + 2min), 1600ms);
}

TEST(WatchBackoff, AllowsTwoQuickRelistsPerMinute) {
    WatchBackoff backoff(7);
    Duration now = 0s;
    for (int i = 0; i < 6; ++i) now += backoff.next(now);
    EXPECT_LE(backoff.next_relist(now, false).value(), 800ms);
    EXPECT_LE(backoff.next_relist(now + 59s, false).value(), 800ms);
    EXPECT_EQ(backoff.next_relist(now + 59s, false), std::nullopt) << "the third within a minute";
    EXPECT_LE(backoff.next_relist(now + 60s, false).value(), 800ms);
}

TEST(WatchBackoff, AllowsFiveQuickRelistsPerMinuteAfterAnOutage) {
    WatchBackoff backoff(7);
    for (int i = 0; i < 5; ++i) EXPECT_LE(backoff.next_relist(1s, true).value(), 800ms);
    EXPECT_EQ(backoff.next_relist(60s, true), std::nullopt);
    EXPECT_LE(backoff.next_relist(61s, true).value(), 800ms);
}

TEST(WatchBackoff, DependsOnItsSeed) {
    const auto first = [](std::uint64_t seed) { return WatchBackoff(seed).next(0s); };
    EXPECT_EQ(first(1), first(1));
    std::set<Duration> waits;
    for (std::uint64_t seed = 0; seed < 20; ++seed) waits.insert(first(seed));
    EXPECT_GT(waits.size(), 15u);
}

TEST(WatchBackoff, JitterReachesBothEnds) {
    io::RandomSource random(3);
    std::set<Duration> seen;
    for (int i = 0; i < 100; ++i) seen.insert(with_jitter(random, Duration(5), Duration(2)));
    EXPECT_EQ(seen, (std::set<Duration>{Duration(5), Duration(6), Duration(7)}));
    EXPECT_EQ(with_jitter(random, 5s, 0s), 5s);
}

}  // namespace
}  // namespace capstan::kubernetes::client
