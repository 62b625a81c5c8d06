#include <capstan/target_setter.hpp>

#include <array>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/gather.hpp>
#include <capstan/testing/fake_host.hpp>
#include <capstan/testing/run_task.hpp>

namespace {

using namespace std::chrono_literals;
using capstan::Error;
using capstan::ErrorCode;
using capstan::NodeGroupId;
using capstan::Resize;
using capstan::Resized;
using capstan::Result;
using capstan::TargetSetter;
using capstan::Task;
using capstan::testing::FakeHost;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A cloud with one group, whose API sets an absolute target.
class TargetSetterTest : public ::testing::Test {
protected:
    FakeHost host;
    TargetSetter targets{host.host()};
    TargetSetter::Current group{.target = 3, .machines = 3, .min = 1, .max = 10};
    std::vector<int> sent{};
    std::deque<Error> failures{};       ///< of the next calls
    bool applies_failed_calls = false;  ///< a call that fails is applied nevertheless
    std::function<void()> before_next_read{};

    Task<TargetSetter::Current> read() {
        if (before_next_read) std::exchange(before_next_read, nullptr)();
        co_return group;
    }
    Task<Resized> set(int target) {
        sent.push_back(target);
        co_await capstan::sleep_for(host.host(), 100ms);
        const bool fails = !failures.empty();
        if (!fails || applies_failed_calls) group.target = target;
        if (fails) {
            const Error error = failures.front();
            failures.pop_front();
            throw capstan::Failure(error);
        }
        co_return Resized{target};
    }
    Task<Resized> start(Resize request, bool is_increase = true) {
        const TargetSetter::Read reader = [this] { return read(); };
        const TargetSetter::Set setter = [this](int target) { return set(target); };
        return is_increase ? targets.increase(std::move(request), reader, setter)
                           : targets.decrease(std::move(request), reader, setter);
    }
    Result<Resized> increase(Resize request) {
        return capstan::testing::run(host, start(std::move(request)));
    }
    Result<Resized> decrease(Resize request) {
        return capstan::testing::run(host, start(std::move(request), false));
    }
    static Resize by(int delta, int expected, int listed, std::string key = {}) {
        return {.group = NodeGroupId("web"),
                .delta = delta,
                .expected_target = expected,
                .idempotency_key = std::move(key),
                .listed_target = listed};
    }
};

TEST_F(TargetSetterTest, SetsTheExpectedTargetPlusTheChange) {
    EXPECT_EQ(increase(by(2, 3, 3))->target, 5);
    group.machines = 3;
    EXPECT_EQ(decrease(by(1, 5, 5))->target, 4);
    EXPECT_THAT(sent, ElementsAre(5, 4));
}

TEST_F(TargetSetterTest, TrustsTheExpectedTargetWhileTheCloudShowsTheListedOne) {
    EXPECT_EQ(increase(by(1, 5, 3))->target, 6);
    EXPECT_THAT(sent, ElementsAre(6));
}

TEST_F(TargetSetterTest, RejectsATargetSetByAnotherClient) {
    group.target = 7;
    const auto refused = increase(by(1, 5, 3));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_EQ(refused.error().message, "group \"web\": its target is 7, and 5 was expected");
    EXPECT_THAT(sent, IsEmpty());
}

TEST_F(TargetSetterTest, NeverSetsATargetBelowTheExistingMachines) {
    group = {.target = 6, .machines = 5};
    const auto lower = decrease(by(2, 6, 6));
    ASSERT_FALSE(lower);
    EXPECT_EQ(lower.error().code, ErrorCode::conflict) << "machines were started meanwhile";
    group = {.target = 1, .machines = 4};
    EXPECT_EQ(increase(by(1, 1, 1)).error().code, ErrorCode::conflict)
        << "even an increase would terminate machines";
    EXPECT_THAT(sent, IsEmpty());
}

TEST_F(TargetSetterTest, StaysWithinTheLimits) {
    EXPECT_EQ(increase(by(8, 3, 3)).error().code, ErrorCode::invalid_argument);
    group = {.target = 1, .machines = 0, .min = 1};
    EXPECT_EQ(decrease(by(1, 1, 1)).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(increase(by(0, 1, 1)).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(decrease(by(2, 1, 1)).error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(sent, IsEmpty());
}

TEST_F(TargetSetterTest, RepeatsAChangeAfterATemporaryRefusal) {
    failures = {{ErrorCode::throttled, "Rate exceeded"}, {ErrorCode::busy, "the queue is full"}};
    EXPECT_EQ(increase(by(1, 3, 3))->target, 4);
    EXPECT_THAT(sent, ElementsAre(4, 4, 4));
}

TEST_F(TargetSetterTest, KeepsATargetSetByAnotherClientBetweenTwoAttempts) {
    failures = {{ErrorCode::throttled, "Rate exceeded"}};
    before_next_read = [this] { before_next_read = [this] { group.target = 10; }; };
    EXPECT_EQ(increase(by(1, 3, 3)).error().code, ErrorCode::conflict);
    EXPECT_THAT(sent, ElementsAre(4));
    EXPECT_EQ(group.target, 10);
}

TEST_F(TargetSetterTest, KeepsMachinesThatStartedBetweenTwoAttempts) {
    group = {.target = 5, .machines = 1};
    failures = {{ErrorCode::throttled, "Rate exceeded"}};
    before_next_read = [this] { before_next_read = [this] { group.machines = 5; }; };
    EXPECT_EQ(decrease(by(4, 5, 5)).error().code, ErrorCode::conflict);
    EXPECT_THAT(sent, ElementsAre(1));
}

TEST_F(TargetSetterTest, GivesUpAfterThreeAttempts) {
    failures.assign(4, {ErrorCode::throttled, "Rate exceeded"});
    EXPECT_EQ(increase(by(1, 3, 3)).error().code, ErrorCode::throttled);
    EXPECT_THAT(sent, ElementsAre(4, 4, 4));
}

constexpr std::array<ErrorCode, 3> unknown_outcomes{ErrorCode::deadline, ErrorCode::unavailable,
                                                    ErrorCode::cancelled};

TEST_F(TargetSetterTest, DoesNotRepeatAfterAnUnknownResultOrAPermanentError) {
    std::vector<ErrorCode> codes(unknown_outcomes.begin(), unknown_outcomes.end());
    codes.insert(codes.end(), {ErrorCode::permission, ErrorCode::quota, ErrorCode::internal});
    for (const ErrorCode code : codes) {
        sent.clear();
        failures = {{code, "no"}};
        EXPECT_EQ(increase(by(1, 3, 3)).error().code, code);
        EXPECT_THAT(sent, ElementsAre(4));
    }
}

TEST_F(TargetSetterTest, AppliesARepeatedRequestOnce) {
    EXPECT_EQ(increase(by(1, 3, 3, "key"))->target, 4);
    EXPECT_EQ(increase(by(1, 3, 3, "key"))->target, 4);
    EXPECT_THAT(sent, ElementsAre(4));
}

TEST_F(TargetSetterTest, SucceedsIfAnEarlierRequestReachedItsTarget) {
    applies_failed_calls = true;
    for (const ErrorCode code : unknown_outcomes) {
        const int before = group.target;
        const std::string key(name_of(code));
        failures = {{code, "no answer"}};
        EXPECT_FALSE(increase(by(1, before, before, key)));
        EXPECT_EQ(increase(by(1, before, before, key))->target, before + 1);
    }
    EXPECT_THAT(sent, ElementsAre(4, 5, 6));
}

TEST_F(TargetSetterTest, SetsNoOtherTargetForHalfAMinuteAfterALostResponse) {
    failures = {{ErrorCode::deadline, "no answer"}};
    EXPECT_FALSE(increase(by(2, 3, 3)));
    const auto first = increase(by(4, 3, 3));
    ASSERT_TRUE(first) << first.error();
    EXPECT_EQ(first->target, 5) << "the cloud may still apply this one";
    ASSERT_TRUE(first->shortfall);
    EXPECT_EQ(first->shortfall->code, ErrorCode::conflict);
    EXPECT_EQ(increase(by(1, 3, 5)).error().code, ErrorCode::conflict);
    const auto second = increase(by(2, 5, 5));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::conflict);
    EXPECT_EQ(second.error().message,
              "group \"web\": a target of 7 is postponed: 5 was requested less than half a "
              "minute ago with unknown outcome and may still be applied");
    host.advance(30s);
    EXPECT_EQ(increase(by(2, 5, 5))->target, 7);
    EXPECT_THAT(sent, ElementsAre(5, 5, 7));
}

TEST_F(TargetSetterTest, SetsAnotherTargetOnceTheCloudShowsTheFirst) {
    applies_failed_calls = true;
    failures = {{ErrorCode::deadline, "no answer"}};
    EXPECT_FALSE(increase(by(2, 3, 3)));
    EXPECT_EQ(increase(by(2, 5, 5))->target, 7);
    EXPECT_THAT(sent, ElementsAre(5, 7));
}

TEST_F(TargetSetterTest, SetsAnyTargetAfterALostResponseIfChangesRemoveNoMachine) {
    group.machines.reset();
    failures = {{ErrorCode::deadline, "no answer"}};
    EXPECT_FALSE(increase(by(2, 3, 3)));
    EXPECT_EQ(increase(by(4, 3, 3))->target, 7);
}

TEST_F(TargetSetterTest, AppliesARepeatedRequestAfterARefusal) {
    failures = {{ErrorCode::permission, "no"}};
    EXPECT_FALSE(increase(by(1, 3, 3, "key")));
    EXPECT_EQ(increase(by(1, 3, 3, "key"))->target, 4);
}

TEST_F(TargetSetterTest, SerializesChangesOfAGroup) {
    std::vector<Task<Resized>> both;
    both.push_back(start(by(1, 3, 3)));
    both.push_back(start(by(1, 3, 3)));
    const auto done = capstan::testing::run(host, capstan::gather_results(std::move(both), 2));
    ASSERT_TRUE(done);
    EXPECT_TRUE((*done)[0]);
    EXPECT_FALSE((*done)[1]) << "the first one has changed the target";
    EXPECT_THAT(sent, ElementsAre(4));
}

}  // namespace
