#include <capstan/cached.hpp>

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/gather.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::Cached;
using capstan::CacheLife;
using capstan::Error;
using capstan::ErrorCode;
using capstan::Result;
using capstan::Task;
using capstan::testing::FakeHost;
using capstan::testing::run;
using ::testing::Each;

/// A source of values: "KEY N" on the N-th read.
struct ReadSource {
    FakeHost host;
    Cached<std::string, std::string> cache;
    int reads = 0;
    std::optional<Error> error{};

    explicit ReadSource(CacheLife life) : cache(host.host(), life) {}
    Task<std::string> read(std::string key) {
        const int mine = ++reads;
        co_await capstan::sleep_for(host.host(), 1s);
        if (error) co_return capstan::fail(*error);
        co_return key + " " + std::to_string(mine);
    }
    Task<std::string> wanted(std::string key) {
        return cache.get(std::move(key), [this](std::string k) { return read(std::move(k)); });
    }
    Result<std::string> get(std::string key) { return run(host, wanted(std::move(key))); }
};

const CacheLife minute{.fresh = 1min, .jitter = 0};

TEST(CachedValues, ReadsAnEntryAgainAfterItsLifetime) {
    ReadSource source(minute);
    EXPECT_EQ(source.get("a"), "a 1");
    source.host.advance(59s);
    EXPECT_EQ(source.get("a"), "a 1");
    EXPECT_EQ(source.get("b"), "b 2");
    source.host.advance(1s);
    EXPECT_EQ(source.get("a"), "a 3");
}

TEST(CachedValues, KeepsAnEntryWithTheLongestLifetimeForever) {
    ReadSource source({.fresh = capstan::Duration::max(), .jitter = 0});
    EXPECT_EQ(source.get("a"), "a 1");
    source.host.advance(1000h);
    EXPECT_EQ(source.get("a"), "a 1");
}

TEST(CachedValues, SharesOneReadAmongConcurrentCallers) {
    ReadSource source(minute);
    std::vector<Task<std::string>> all;
    for (int i = 0; i < 50; ++i) all.push_back(source.wanted("a"));
    const auto got = run(source.host, capstan::gather(std::move(all), 50));
    ASSERT_TRUE(got);
    EXPECT_THAT(*got, Each("a 1"));
    EXPECT_EQ(source.reads, 1);
}

TEST(CachedValues, ShortensLifetimesAtRandom) {
    ReadSource source({.fresh = 100s, .jitter = 0.5});
    for (int i = 0; i < 100; ++i) source.cache.put(std::to_string(i), "x");
    const auto left = [&] {
        int n = 0;
        for (int i = 0; i < 100; ++i) n += source.cache.find(std::to_string(i)) != nullptr;
        return n;
    };
    source.host.advance(50s);
    EXPECT_EQ(left(), 100);
    source.host.advance(25s);
    EXPECT_GT(left(), 20);
    EXPECT_LT(left(), 80);
    source.host.advance(25s);
    EXPECT_EQ(left(), 0);
}

TEST(CachedValues, RemembersAMissingKeyForTheConfiguredTime) {
    ReadSource source({.fresh = 1min, .jitter = 0, .absent = 10s});
    source.error = Error{ErrorCode::not_found, "no such type"};
    EXPECT_EQ(source.get("a"), capstan::fail(*source.error));
    source.host.advance(9s);
    EXPECT_EQ(source.get("a"), capstan::fail(*source.error));
    EXPECT_EQ(source.reads, 1);
    EXPECT_EQ(source.cache.find("a"), nullptr);
    source.error.reset();
    source.host.advance(1s);
    EXPECT_EQ(source.get("a"), "a 2");

    ReadSource forgetful(minute);
    forgetful.error = Error{ErrorCode::not_found, "no such type"};
    EXPECT_FALSE(forgetful.get("a") || forgetful.get("a"));
    EXPECT_EQ(forgetful.reads, 2);
}

TEST(CachedValues, TreatsAnImmediateExceptionAsAReadError) {
    ReadSource source({.fresh = 1min, .jitter = 0, .stale = 10min});
    source.cache.put("a", "old");
    source.host.advance(1min);
    const auto refuse = [](std::string) -> Task<std::string> {
        throw capstan::Failure(ErrorCode::unavailable, "no credentials yet");
    };
    EXPECT_EQ(run(source.host, source.cache.get("a", refuse)), "old");
    EXPECT_EQ(run(source.host, source.cache.get("b", refuse)),
              capstan::fail(ErrorCode::unavailable, "no credentials yet"));
}

TEST(CachedValues, DoesNotCacheOtherErrors) {
    ReadSource source({.fresh = 1min, .jitter = 0, .absent = 1h});
    source.error = Error{ErrorCode::unavailable, "down"};
    EXPECT_EQ(source.get("a"), capstan::fail(*source.error));
    source.error.reset();
    EXPECT_EQ(source.get("a"), "a 2");
}

TEST(CachedValues, ReturnsAStaleValueIfReadingFailsAndPausesBetweenAttempts) {
    ReadSource source({.fresh = 1min, .jitter = 0, .stale = 10min, .pause = 30s});
    EXPECT_EQ(source.get("a"), "a 1");
    source.host.advance(1min);
    source.error = Error{ErrorCode::unavailable, "down"};
    EXPECT_EQ(source.get("a"), "a 1");
    source.host.advance(29s);
    EXPECT_EQ(source.get("a"), "a 1");
    EXPECT_EQ(source.reads, 2);
    source.host.advance(1s);
    EXPECT_EQ(source.get("a"), "a 1");
    EXPECT_EQ(source.reads, 3);
    source.host.advance(10min);
    EXPECT_EQ(source.get("a"), capstan::fail(*source.error));
    source.error.reset();
    EXPECT_EQ(source.get("a"), "a 5");
}

TEST(CachedValues, ReturnsNoStaleValueOfADeletedKey) {
    ReadSource source({.fresh = 1min, .jitter = 0, .stale = 10min});
    EXPECT_EQ(source.get("a"), "a 1");
    source.host.advance(1min);
    source.error = Error{ErrorCode::not_found, "gone"};
    EXPECT_EQ(source.get("a"), capstan::fail(*source.error));
}

TEST(CachedValues, ReadsAForgottenKeyAgain) {
    ReadSource source(minute);
    source.cache.put("a", "given");
    EXPECT_EQ(*source.cache.find("a"), "given");
    EXPECT_EQ(source.get("a"), "given");
    source.cache.forget("a");
    EXPECT_EQ(source.get("a"), "a 1");
    source.cache.forget_all();
    EXPECT_EQ(source.get("a"), "a 2");
}

TEST(CachedValues, LimitsItsNumberOfEntries) {
    ReadSource source({.fresh = 1min, .jitter = 0, .most = 3});
    for (const char* const key : {"a", "b", "c", "d"}) {
        source.cache.put(key, key);
        source.host.advance(1s);
    }
    EXPECT_EQ(source.cache.size(), 3u);
    EXPECT_EQ(source.cache.find("a"), nullptr);
    EXPECT_NE(source.cache.find("d"), nullptr);
}

}  // namespace
