#include <capstan/single_flight.hpp>

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
using capstan::Duration;
using capstan::ErrorCode;
using capstan::Host;
using capstan::Result;
using capstan::SingleFlight;
using capstan::Task;
using capstan::testing::FakeHost;
using capstan::testing::run;
using ::testing::Each;

/// A login that takes five seconds.
struct Login {
    Host host;
    SingleFlight<std::string> flight{host};
    int logins = 0;
    std::optional<capstan::Error> refusal{};

    Task<std::string> log_in() {
        const int mine = ++logins;
        co_await capstan::sleep_for(host, 5s);
        if (refusal) co_return capstan::fail(*refusal);
        co_return "token " + std::to_string(mine);
    }
    Task<std::string> token() { co_return co_await flight.join(log_in()); }
    std::vector<Task<std::string>> tokens(int n) {
        std::vector<Task<std::string>> out;
        for (int i = 0; i < n; ++i) out.push_back(token());
        return out;
    }
};

TEST(SingleFlight, SharesOneCallAmongAllCallers) {
    FakeHost host;
    Login door{host.host()};
    const Duration before = host.monotonic();
    const auto got = run(host, capstan::gather(door.tokens(100), 100));
    ASSERT_TRUE(got);
    EXPECT_THAT(*got, Each("token 1"));
    EXPECT_EQ(door.logins, 1);
    EXPECT_EQ(host.monotonic() - before, 5s);
}

TEST(SingleFlight, CallsAgainAfterTheLastCallEnded) {
    FakeHost host;
    Login door{host.host()};
    EXPECT_EQ(run(host, door.token()), "token 1");
    EXPECT_FALSE(door.flight.is_under_way());
    EXPECT_EQ(run(host, door.token()), "token 2");
}

TEST(SingleFlight, ReturnsItsErrorToAllCallers) {
    FakeHost host;
    Login door{host.host()};
    door.refusal = capstan::Error{ErrorCode::unauthenticated, "wrong key"};
    const auto got = run(host, capstan::gather_results(door.tokens(3), 3));
    ASSERT_TRUE(got);
    EXPECT_THAT(*got, Each(Result<std::string>(capstan::fail(*door.refusal))));
    EXPECT_EQ(door.logins, 1);
}

TEST(SingleFlight, ContinuesIfTheFirstCallerTimesOut) {
    FakeHost host;
    Login door{host.host()};
    const auto start = [&](Duration allowed) {
        return host.call<void>(
            [&](capstan_op op) {
                const auto take = [&door]() -> Task<void> { co_await door.token(); };
                return capstan::detail::run_operation<void>(host.host(), op, take);
            },
            allowed);
    };
    const auto impatient = start(2s);
    const auto patient = start(10s);
    EXPECT_EQ(host.settle(impatient).error().code, ErrorCode::deadline);
    EXPECT_TRUE(host.settle(patient));
    EXPECT_EQ(door.logins, 1);
}

TEST(SingleFlight, EndsWithTheInstance) {
    FakeHost host;
    Login door{host.host()};
    const auto waiting = host.call<void>([&](capstan_op op) {
        const auto take = [&door]() -> Task<void> { co_await door.token(); };
        return capstan::detail::run_operation<void>(host.host(), op, take);
    });
    ASSERT_TRUE(host.stop());
    EXPECT_EQ(waiting.result().error().code, ErrorCode::cancelled);
}

TEST(SingleFlight, ReturnsAReadyValueWithoutWaiting) {
    FakeHost host;
    SingleFlight<int> flight(host.host());
    const auto seven = []() -> Task<int> { co_return 7; };
    host.overload(CAPSTAN_SERVICE_EXEC);
    EXPECT_EQ(run(host, flight.join(seven())), 7);
}

}  // namespace
