#include <capstan/semaphore.hpp>

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/gather.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::Duration;
using capstan::ErrorCode;
using capstan::Host;
using capstan::Semaphore;
using capstan::Task;
using capstan::testing::FakeHost;
using capstan::testing::run;
using ::testing::ElementsAre;

/// Tasks that hold a permit for a while.
struct PermitHolders {
    Host host;
    Semaphore semaphore;
    int inside = 0, most = 0;
    std::vector<int> order{};

    Task<void> visit(int who, Duration stay) {
        const Semaphore::Permit permit = co_await semaphore.acquire();
        order.push_back(who);
        most = std::max(most, ++inside);
        const auto slept = co_await capstan::as_result(capstan::sleep_for(host, stay));
        --inside;
        if (!slept) throw capstan::Failure(slept.error());
    }
    std::vector<Task<void>> visits(int n, Duration stay = 1s) {
        std::vector<Task<void>> out;
        for (int i = 0; i < n; ++i) out.push_back(visit(i, stay));
        return out;
    }
};

TEST(Semaphore, LimitsItsPermits) {
    for (const std::size_t permits : {1u, 3u, 10u}) {
        FakeHost host;
        PermitHolders gate{host.host(), Semaphore(host.host(), permits)};
        EXPECT_TRUE(run(host, capstan::gather(gate.visits(10), 10)));
        EXPECT_EQ(gate.most, static_cast<int>(permits));
        EXPECT_EQ(gate.semaphore.free_permits(), permits);
    }
}

TEST(Semaphore, ServesInOrderOfArrival) {
    FakeHost host;
    PermitHolders gate{host.host(), Semaphore(host.host(), 1)};
    EXPECT_TRUE(run(host, capstan::gather(gate.visits(5), 5)));
    EXPECT_THAT(gate.order, ElementsAre(0, 1, 2, 3, 4));
}

TEST(Semaphore, LosesNoPermitToATimedOutWait) {
    FakeHost host;
    PermitHolders gate{host.host(), Semaphore(host.host(), 1)};
    const auto start = [&](int who, Duration stay, Duration allowed) {
        return host.call<void>(
            [&](capstan_op op) {
                return capstan::detail::run_operation<void>(host.host(), op,
                                                            [&] { return gate.visit(who, stay); });
            },
            allowed);
    };
    const auto first = start(1, 10s, 1min);
    const auto impatient = start(2, 1s, 3s);
    const auto third = start(3, 1s, 1min);
    EXPECT_EQ(host.settle(impatient).error().code, ErrorCode::deadline);
    EXPECT_TRUE(host.settle(first));
    EXPECT_TRUE(host.settle(third));
    EXPECT_THAT(gate.order, ElementsAre(1, 3));
    EXPECT_EQ(gate.semaphore.free_permits(), 1u);
}

TEST(Semaphore, EndsWaitsWithTheInstance) {
    FakeHost host;
    PermitHolders gate{host.host(), Semaphore(host.host(), 1)};
    const auto all = host.call<void>([&](capstan_op op) {
        return capstan::detail::run_operation<void>(
            host.host(), op, [&] { return capstan::gather(gate.visits(4, 1min), 4); });
    });
    ASSERT_TRUE(host.stop());
    EXPECT_EQ(all.result().error().code, ErrorCode::cancelled);
    EXPECT_EQ(gate.semaphore.free_permits(), 1u);
}

TEST(Semaphore, RejectsAWaitIfTheQueueIsFull) {
    FakeHost host;
    PermitHolders gate{host.host(), Semaphore(host.host(), 1, 2)};
    const auto got = run(host, capstan::gather_results(gate.visits(4), 4));
    ASSERT_TRUE(got);
    EXPECT_TRUE((*got)[0] && (*got)[1] && (*got)[2]);
    EXPECT_EQ((*got)[3], capstan::fail(ErrorCode::busy, "waiting for a permit: busy"));
    EXPECT_EQ(gate.semaphore.free_permits(), 1u);
}

TEST(Semaphore, CanReleaseAPermitEarlyAndOnlyOnce) {
    FakeHost host;
    Semaphore semaphore(host.host(), 1);
    const auto take = [&]() -> Task<std::size_t> {
        Semaphore::Permit permit = co_await semaphore.acquire();
        permit.release();
        permit.release();
        co_return semaphore.free_permits();
    };
    EXPECT_EQ(run(host, take()), 1u);
    EXPECT_EQ(semaphore.free_permits(), 1u);
}

}  // namespace
