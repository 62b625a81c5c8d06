#include <capstan/gather.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::Duration;
using capstan::ErrorCode;
using capstan::Host;
using capstan::Result;
using capstan::Task;
using capstan::testing::FakeHost;
using capstan::testing::run;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Counts its running, started and ended tasks.
struct CountedTasks {
    Host host;
    int now = 0, most = 0, begun = 0, ended = 0;

    Task<int> one(int value, Duration time) {
        ++begun;
        most = std::max(most, ++now);
        const Result<void> slept = co_await capstan::as_result(capstan::sleep_for(host, time));
        --now;
        ++ended;
        if (!slept) co_return capstan::fail(slept.error());
        if (value < 0)
            co_return capstan::fail(ErrorCode::conflict, "task " + std::to_string(value));
        co_return value;
    }
    std::vector<Task<int>> tasks(const std::vector<int>& values, Duration time = 1s) {
        std::vector<Task<int>> out;
        for (const int value : values) out.push_back(one(value, time));
        return out;
    }
};

TEST(Gather, ReturnsValuesInTheOrderOfTheTasks) {
    FakeHost host;
    CountedTasks counted{host.host()};
    std::vector<Task<int>> tasks;
    tasks.push_back(counted.one(1, 3s));
    tasks.push_back(counted.one(2, 1s));
    tasks.push_back(counted.one(3, 2s));
    const Duration before = host.monotonic();
    EXPECT_EQ(run(host, capstan::gather(std::move(tasks), 3)), (std::vector{1, 2, 3}));
    EXPECT_EQ(host.monotonic() - before, 3s);
}

TEST(Gather, LimitsTheNumberOfRunningTasks) {
    for (const std::size_t at_most : {1u, 2u, 7u, 100u}) {
        FakeHost host;
        CountedTasks counted{host.host()};
        const auto got =
            run(host, capstan::gather(counted.tasks(std::vector<int>(20, 1)), at_most));
        ASSERT_TRUE(got);
        EXPECT_EQ(got->size(), 20u);
        EXPECT_EQ(counted.most, static_cast<int>(std::min<std::size_t>(at_most, 20)));
    }
}

TEST(Gather, TreatsALimitOfZeroAsOne) {
    FakeHost host;
    CountedTasks counted{host.host()};
    EXPECT_EQ(run(host, capstan::gather(counted.tasks({1, 2}), 0)), (std::vector{1, 2}));
    EXPECT_EQ(counted.most, 1);
}

TEST(Gather, ReturnsNothingForNoTasks) {
    FakeHost host;
    EXPECT_THAT(*run(host, capstan::gather(std::vector<Task<int>>(), 4)), IsEmpty());
    EXPECT_THAT(*run(host, capstan::gather_results(std::vector<Task<void>>(), 4)), IsEmpty());
}

TEST(Gather, StartsNothingAfterAFailureAndAwaitsRunningTasks) {
    FakeHost host;
    CountedTasks counted{host.host()};
    EXPECT_EQ(run(host, capstan::gather(counted.tasks({1, 2, -3, -4, 5, 6, 7}), 4)),
              capstan::fail(ErrorCode::conflict, "task -3"));
    EXPECT_LT(counted.begun, 7);
    EXPECT_EQ(counted.begun, counted.ended);
}

TEST(Gather, CanReturnErrorsAsResults) {
    FakeHost host;
    CountedTasks counted{host.host()};
    const auto got = run(host, capstan::gather_results(counted.tasks({1, -2, 3}), 1));
    ASSERT_TRUE(got);
    EXPECT_THAT(*got, ElementsAre(Result<int>(1),
                                  Result<int>(capstan::fail(ErrorCode::conflict, "task -2")),
                                  Result<int>(3)));
}

TEST(Gather, PassesTheDeadlineToEachTask) {
    FakeHost host;
    CountedTasks counted{host.host()};
    const Duration before = host.monotonic();
    const auto got = run(host, capstan::gather(counted.tasks({1, 2, 3}, 1h), 2), 10s);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::deadline);
    EXPECT_EQ(host.monotonic() - before, 10s);
    host.run();
    EXPECT_EQ(counted.begun, 2);
    EXPECT_EQ(counted.ended, 2);
}

TEST(Gather, EndsWithTheInstance) {
    FakeHost host;
    CountedTasks counted{host.host()};
    const auto operation = host.call<void>([&](capstan_op op) {
        const auto all = [&]() -> Task<void> {
            std::vector<Task<int>> three = counted.tasks({1, 2, 3});
            co_await capstan::gather(std::move(three), 3);
        };
        return capstan::detail::run_operation<void>(host.host(), op, all);
    });
    ASSERT_TRUE(host.stop());
    EXPECT_EQ(operation.result().error().code, ErrorCode::cancelled);
    EXPECT_EQ(counted.ended, 3);
}

TEST(Gather, DoesNotExhaustTheStackWithThousandsOfReadyTasks) {
    FakeHost host;
    const auto done = [](int n) -> Task<int> { co_return n; };
    std::vector<Task<int>> tasks;
    for (int i = 0; i < 20'000; ++i) tasks.push_back(done(i));
    const auto got = run(host, capstan::gather(std::move(tasks), 8));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->back(), 19'999);
}

TEST(Gather, SupportsTasksWithoutAValue) {
    FakeHost host;
    int ran = 0;
    const auto count = [&](bool is_good) -> Task<void> {
        ++ran;
        if (!is_good) throw capstan::Failure(ErrorCode::quota, "no more");
        co_return;
    };
    std::vector<Task<void>> good, bad;
    for (int i = 0; i < 3; ++i) good.push_back(count(true));
    for (int i = 0; i < 3; ++i) bad.push_back(count(i != 1));
    EXPECT_TRUE(run(host, capstan::gather(std::move(good), 2)));
    EXPECT_EQ(run(host, capstan::gather(std::move(bad), 1)),
              capstan::fail(ErrorCode::quota, "no more"));
    EXPECT_EQ(ran, 5);
}

}  // namespace
