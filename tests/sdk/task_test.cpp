#include <capstan/task.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/cloud_provider.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::CloudView;
using capstan::Duration;
using capstan::Error;
using capstan::ErrorCode;
using capstan::Failure;
using capstan::Host;
using capstan::Pending;
using capstan::Resized;
using capstan::Result;
using capstan::SharedCloudView;
using capstan::Task;
using capstan::testing::FakeHost;
using capstan::testing::Misuse;
using capstan::testing::run;
using ::testing::HasSubstr;

Task<int> answer(int n) { co_return n; }
Task<int> throwing(Failure failure) {
    throw failure;
    co_return 0;
}
Task<int> refusing() { co_return capstan::fail(ErrorCode::throttled, "slow down"); }
Task<void> sleeping(Host host, Duration time) { co_await capstan::sleep_for(host, time); }

// The allowed return types of asynchronous functions of a class; others do not compile.
static_assert(capstan::detail::can_end<Resized, Task<Resized>>);
static_assert(capstan::detail::can_end<Resized, Result<Resized>>);
static_assert(capstan::detail::can_end<Resized, Resized>);
static_assert(capstan::detail::can_end<CloudView, Task<SharedCloudView>>);
static_assert(capstan::detail::can_end<CloudView, Result<SharedCloudView>>);
static_assert(capstan::detail::can_end<CloudView, SharedCloudView>);
static_assert(capstan::detail::can_end<void, Result<void>>);
static_assert(capstan::detail::can_end<void, void>);
static_assert(!capstan::detail::can_end<Resized, Task<void>>);
static_assert(!capstan::detail::can_end<Resized, Result<CloudView>>);
static_assert(!capstan::detail::can_end<SharedCloudView, CloudView>);
static_assert(!capstan::detail::can_end<Resized, void>);
static_assert(!capstan::detail::can_end<void, Task<int>>);

TEST(Task, ReturnsItsValueToItsAwaiter) {
    FakeHost host;
    EXPECT_EQ(run(host, answer(42)), 42);
}

TEST(Task, TurnsAThrownFailureIntoItsError) {
    FakeHost host;
    const Error error{ErrorCode::quota, "no more", "QuotaExceeded", "web-a", 90s};
    EXPECT_EQ(run(host, throwing(Failure(error))), capstan::fail(error));
}

TEST(Task, TurnsOtherExceptionsIntoInternalErrors) {
    FakeHost host;
    const auto broken = []() -> Task<int> {
        throw std::out_of_range("vector::at");
        co_return 0;
    };
    EXPECT_EQ(run(host, broken()), capstan::fail(ErrorCode::internal, "vector::at"));
}

TEST(Task, CanReturnAFailedResult) {
    FakeHost host;
    EXPECT_EQ(run(host, refusing()), capstan::fail(ErrorCode::throttled, "slow down"));
}

TEST(Task, PropagatesAnErrorToAllAwaiters) {
    FakeHost host;
    const auto middle = []() -> Task<int> { co_return 1 + co_await refusing(); };
    const auto outer = [&]() -> Task<std::string> { co_return std::to_string(co_await middle()); };
    EXPECT_EQ(run(host, outer()), capstan::fail(ErrorCode::throttled, "slow down"));
}

TEST(Task, CanCatchTheErrorOfAnAwaitedTask) {
    FakeHost host;
    const auto careful = []() -> Task<ErrorCode> {
        try {
            co_await refusing();
        } catch (const Failure& failure) {
            co_return failure.error().code;
        }
        co_return ErrorCode::internal;
    };
    EXPECT_EQ(run(host, careful()), ErrorCode::throttled);
}

TEST(Task, SupportsMoveOnlyValues) {
    FakeHost host;
    const auto make = [](int n) -> Task<std::unique_ptr<int>> {
        co_return std::make_unique<int>(n);
    };
    const auto pass_on = [&]() -> Task<std::unique_ptr<int>> { co_return co_await make(7); };
    const Result<std::unique_ptr<int>> got = run(host, pass_on());
    ASSERT_TRUE(got);
    EXPECT_EQ(**got, 7);
}

TEST(Task, IsLazy) {
    bool ran = false;
    const auto mark = [&ran]() -> Task<void> {
        ran = true;
        co_return;
    };
    {
        const Task<void> dropped = mark();
    }
    EXPECT_FALSE(ran);
}

TEST(Task, AwaitsThousandsInARowWithoutExhaustingTheStack) {
    FakeHost host;
    const auto sum = []() -> Task<int> {
        int total = 0;
        for (int i = 0; i < 20'000; ++i) total += co_await answer(1);
        co_return total;
    };
    EXPECT_EQ(run(host, sum()), 20'000);
}

TEST(AsResult, AllowsAwaitingAfterAnError) {
    FakeHost host;
    const auto careful = [](Host h) -> Task<ErrorCode> {
        const Result<int> refused = co_await capstan::as_result(refusing());
        if (!refused) co_await sleeping(h, 1s);
        co_return refused.error().code;
    };
    const Duration before = host.monotonic();
    EXPECT_EQ(run(host, careful(host.host())), ErrorCode::throttled);
    EXPECT_EQ(host.monotonic() - before, 1s);
}

TEST(AsResult, ContainsTheValueOfASuccess) {
    FakeHost host;
    const auto task = [](Host h) -> Task<int> {
        const Result<void> slept = co_await capstan::as_result(capstan::sleep_for(h, 1s));
        const Result<int> answered = co_await capstan::as_result(answer(42));
        co_return slept ? *answered : 0;
    };
    EXPECT_EQ(run(host, task(host.host())), 42);
}

TEST(AsResult, KeepsTheDeadline) {
    FakeHost host;
    std::optional<Result<void>> slept;
    const auto task = [&slept](Host h) -> Task<void> {
        slept = co_await capstan::as_result(sleeping(h, 1h));
    };
    EXPECT_TRUE(run(host, task(host.host()), 10s));
    ASSERT_TRUE(slept);
    EXPECT_EQ(slept->error().code, ErrorCode::deadline);
}

TEST(FailTask, ReturnsATaskThatFails) {
    FakeHost host;
    const Error error{ErrorCode::not_found, "no such group"};
    EXPECT_EQ(run(host, capstan::fail_task<int>(error)), capstan::fail(error));
    EXPECT_EQ(run(host, capstan::fail_task<void>(error)), capstan::fail(error));
}

TEST(TimeLeft, EndsAtTheDeadlineOfTheOperation) {
    FakeHost host;
    const auto task = [](Host h) -> Task<Duration> {
        co_await capstan::sleep_for(h, 4s);
        const std::optional<Duration> left = co_await capstan::time_left(h);
        co_return left.value_or(0s);
    };
    EXPECT_EQ(run(host, task(host.host()), 10s), 6s);
}

TEST(Sleep, WaitsOnlyOnTheClockOfTheHost) {
    FakeHost host;
    const Duration before = host.monotonic();
    EXPECT_TRUE(run(host, sleeping(host.host(), 90s)));
    EXPECT_EQ(host.monotonic() - before, 90s);
}

TEST(Sleep, EndsAtOnceForAZeroDuration) {
    FakeHost host;
    EXPECT_TRUE(run(host, sleeping(host.host(), 0s)));
    EXPECT_TRUE(run(host, sleeping(host.host(), -5s)));
}

TEST(Sleep, EndsAtTheDeadlineOfItsOperation) {
    FakeHost host;
    const Duration before = host.monotonic();
    const Result<void> slept = run(host, sleeping(host.host(), 1h), 10s);
    ASSERT_FALSE(slept);
    EXPECT_EQ(slept.error().code, ErrorCode::deadline);
    EXPECT_EQ(host.monotonic() - before, 10s);
}

TEST(Sleep, KnowsTheOperationOfAnOuterTask) {
    FakeHost host;
    const auto outer = [](Host h) -> Task<void> { co_await sleeping(h, 1h); };
    const Result<void> slept = run(host, outer(host.host()), 10s);
    ASSERT_FALSE(slept);
    EXPECT_EQ(slept.error().code, ErrorCode::deadline);
}

TEST(Sleep, FailsWhenTheInstanceStops) {
    FakeHost host;
    const auto operation = host.call<void>([&](capstan_op op) {
        return capstan::detail::run_operation<void>(host.host(), op,
                                                    [&] { return sleeping(host.host(), 5s); });
    });
    EXPECT_FALSE(operation.is_done());
    ASSERT_TRUE(host.stop());
    ASSERT_TRUE(operation.is_done());
    EXPECT_EQ(operation.result().error().code, ErrorCode::cancelled);
    EXPECT_EQ(host.open_operations(), 0u);
}

TEST(Sleep, ReportsThatTheHostRejectedIt) {
    FakeHost host;
    host.overload(CAPSTAN_SERVICE_EXEC);
    EXPECT_EQ(run(host, sleeping(host.host(), 5s)), capstan::fail(ErrorCode::busy, "sleep: busy"));
    FakeHost bare;
    bare.withhold(CAPSTAN_SERVICE_EXEC);
    EXPECT_EQ(run(bare, sleeping(bare.host(), 5s)).error().code, ErrorCode::unsupported);
}

TEST(Blocking, ReturnsTheValue) {
    FakeHost host;
    const auto task = [](Host h) -> Task<std::string> {
        co_return co_await capstan::blocking(h, [] { return std::string("from the pool"); });
    };
    EXPECT_EQ(run(host, task(host.host())), "from the pool");
}

TEST(Blocking, ReturnsAnExceptionAsAnError) {
    FakeHost host;
    const auto task = [](Host h) -> Task<void> {
        co_await capstan::blocking(h, [] { throw Failure(ErrorCode::not_found, "no such file"); });
    };
    EXPECT_EQ(run(host, task(host.host())), capstan::fail(ErrorCode::not_found, "no such file"));
}

TEST(Blocking, SupportsMoveOnlyValues) {
    FakeHost host;
    const auto task = [](Host h) -> Task<int> {
        const auto work = [n = std::make_unique<int>(3)] { return std::make_unique<int>(*n); };
        const auto made = co_await capstan::blocking(h, work);
        co_return *made;
    };
    EXPECT_EQ(run(host, task(host.host())), 3);
}

TEST(Blocking, KeepsItsArgumentsAlive) {
    FakeHost host;
    const auto task = [](Host h) -> Task<std::string> {
        std::string text = "a text that is longer than what a string keeps in itself";
        const auto add = [](std::string front, std::unique_ptr<int> n) {
            return front + std::to_string(*n);
        };
        co_return co_await capstan::blocking(h, add, std::move(text), std::make_unique<int>(3));
    };
    EXPECT_EQ(run(host, task(host.host())),
              "a text that is longer than what a string keeps in itself3");
}

TEST(Blocking, DoesNotRunAfterTheInstanceStops) {
    FakeHost host;
    bool ran = false;
    const auto task = [&ran](Host h) -> Task<void> {
        co_await capstan::blocking(h, [&ran] { ran = true; });
    };
    const auto operation = host.call<void>([&](capstan_op op) {
        return capstan::detail::run_operation<void>(host.host(), op,
                                                    [&] { return task(host.host()); });
    });
    ASSERT_TRUE(host.stop());
    EXPECT_FALSE(ran);
    EXPECT_EQ(operation.result().error().code, ErrorCode::cancelled);
}

TEST(PendingOperation, CompletesItsOperationOnce) {
    FakeHost host;
    const auto operation = host.open<Resized>();
    {
        Pending<Resized> pending(host.host(), operation.id());
        pending.complete(Resized{5});
    }
    EXPECT_EQ(operation.result(), Resized{5});
    EXPECT_EQ(host.misuse(), Misuse());
}

TEST(PendingOperation, CompletesADroppedOperationAsInternal) {
    FakeHost host;
    const auto operation = host.open<void>();
    {
        const Pending<void> first(host.host(), operation.id());
        Pending<void> second(std::move(const_cast<Pending<void>&>(first)));
        EXPECT_FALSE(operation.is_done());
    }
    EXPECT_EQ(operation.result().error().code, ErrorCode::internal);
    EXPECT_EQ(host.misuse(), Misuse());
}

TEST(Operation, CompletesWithTheValueOfAPlainFunction) {
    FakeHost host;
    const auto value = host.call<Resized>([&](capstan_op op) {
        return capstan::detail::run_operation<Resized>(host.host(), op, [] { return Resized{3}; });
    });
    const auto failed = host.call<Resized>([&](capstan_op op) {
        return capstan::detail::run_operation<Resized>(host.host(), op, []() -> Result<Resized> {
            return capstan::fail(ErrorCode::conflict, "target is 4");
        });
    });
    const auto thrown = host.call<void>([&](capstan_op op) {
        return capstan::detail::run_operation<void>(host.host(), op,
                                                    [] { throw std::runtime_error("oops"); });
    });
    EXPECT_EQ(value.result(), Resized{3});
    EXPECT_EQ(failed.result(), capstan::fail(ErrorCode::conflict, "target is 4"));
    EXPECT_EQ(thrown.result(), capstan::fail(ErrorCode::internal, "oops"));
}

TEST(Operation, EndsAtItsDeadlineAndIgnoresALateCompletion) {
    FakeHost host;
    auto operation = host.open<Resized>(5s);
    Pending<Resized> pending(host.host(), operation.id());
    host.advance(6s);
    pending.complete(Resized{1});
    EXPECT_EQ(operation.result().error().code, ErrorCode::deadline);
    EXPECT_EQ(host.misuse(), (Misuse{.late_completions = 1}));
}

}  // namespace
