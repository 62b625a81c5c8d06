#include "group.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <capstan/duration.hpp>

#include "test_settings.hpp"

namespace capstan::simulated {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// A group at times since its start.
class GroupTimeline {
public:
    GroupTimeline(const GroupTimeline&) = delete;
    explicit GroupTimeline(const Members& more) : config_(configured({web(more)}).groups.at(0)) {}

    Group& at(Duration moment) {
        group_.reach(start_ + moment);
        return group_;
    }
    Result<int> grow(Duration moment, int by, bool all_or_nothing = false) {
        CAPSTAN_TRY(const Resized resized, at(moment).resize(target(moment) + by, all_or_nothing));
        return resized.target;
    }
    Result<int> shrink(Duration moment, int by) { return grow(moment, -by); }
    Result<Removed> remove(Duration moment, std::vector<int> numbers, bool force = false,
                           bool keep_target = false) {
        Removal removal{.group = NodeGroupId("web"),
                        .machines = {},
                        .force = force,
                        .idempotency_key = {},
                        .keep_target = keep_target};
        for (const int number : numbers)
            removal.machines.emplace_back("simulated://web/" + std::to_string(number));
        return at(moment).remove(removal);
    }
    /// "1 running", "2 requested: out_of_capacity", by machine.
    std::vector<std::string> machines(Duration moment) {
        std::vector<std::string> out;
        for (const capstan::Machine& m : at(moment).machines()) {
            out.push_back(m.id.value().substr(std::string("simulated://web/").size()) + " " +
                          std::string(name_of(m.state)) +
                          (m.error ? ": " + std::string(name_of(m.error->code)) : ""));
        }
        return out;
    }
    int target(Duration moment) { return at(moment).group().target.value(); }

private:
    const Time start_{1h};
    const GroupConfig config_;
    Group group_{config_, start_, start_};
};

Members exhausted(const char* how) {
    return {{"capacity", 1}, {"size", 1}, {"on_exhausted", how}, {"error_after", "5m"}};
}

template <class T>
ErrorCode code_of(const Result<T>& result) {
    return result ? ErrorCode{} : result.error().code;
}

TEST(SimulatedGroup, StartsWithRunningMachines) {
    GroupTimeline timeline({{"size", 2}, {"min", 1}, {"max", 5}});
    EXPECT_THAT(timeline.machines(0s), ElementsAre("1 running", "2 running"));
    const NodeGroup group = timeline.at(0s).group();
    EXPECT_EQ(group.min, 1);
    EXPECT_EQ(group.max, 5);
    EXPECT_EQ(group.target, 2);
    EXPECT_FALSE(group.template_fingerprint.empty());
}

TEST(SimulatedGroup, ChangesItsVersionWithEveryChange) {
    GroupTimeline timeline(
        {{"size", 1},
         {"max", 9},
         {"boot", "1m"},
         {"delete_time", "1m"},
         {"capacity", 3},
         {"error_after", "5m"},
         {"changes", testing::Value::List{testing::table({{"at", "20m"}, {"lose", 1}})}}});
    std::uint64_t version = timeline.at(0s).version();
    std::vector<std::string> before = timeline.machines(0s);
    const auto check_at = [&](std::initializer_list<Duration> moments) {
        for (const Duration moment : moments) {
            const std::vector<std::string> now = timeline.machines(moment);
            EXPECT_EQ(timeline.at(moment).version() != version, now != before)
                << format_duration(moment);
            version = timeline.at(moment).version();
            before = now;
        }
    };
    check_at({1s});
    ASSERT_TRUE(timeline.grow(1min, 3));
    check_at({60s, 61s, 119s, 120s, 121s});
    check_at({6min - 1ns, 6min, 6min + 1s});
    ASSERT_TRUE(timeline.remove(7min, {1}));
    check_at({7min, 8min - 1ns, 8min, 9min, 19min});
    check_at({20min, 21min, 21min + 1s});
    ASSERT_TRUE(timeline.remove(30min, {2, 3}));
    check_at({30min, 31min, 40min});
}

TEST(SimulatedGroup, ChangesItsVersionWithARenewedList) {
    testing::FakeSettings settings = settings_with({web({{"boot", "0s"}})});
    settings.set("refresh_every", "70s");
    Group group(read_config(settings.view()).groups.at(0), Time(1h), Time(1h));
    group.reach(Time(1h));
    ASSERT_TRUE(group.resize(1));
    group.reach(Time(1h + 69s));
    const std::uint64_t before = group.version();
    EXPECT_THAT(group.machines(), IsEmpty());
    group.reach(Time(1h + 70s));
    EXPECT_NE(group.version(), before);
    EXPECT_EQ(group.machines().size(), 1u);
}

TEST(SimulatedGroup, FollowsAClockThatIsSetBack) {
    GroupTimeline timeline({{"max", 9}, {"boot", "60s"}});
    ASSERT_TRUE(timeline.grow(0s, 1));
    std::uint64_t version = timeline.at(61s).version();
    for (const auto& [moment, state] :
         {std::pair(59s, "1 creating"), std::pair(61s, "1 running")}) {
        EXPECT_NE(timeline.at(moment).version(), version);
        EXPECT_THAT(timeline.machines(moment), ElementsAre(state));
        version = timeline.at(moment).version();
    }
}

TEST(SimulatedGroup, SharesNoVersionWithAnotherGroup) {
    GroupTimeline one({{"size", 1}}), other({{"size", 1}});
    EXPECT_NE(one.at(0s).version(), other.at(0s).version());
}

TEST(SimulatedGroup, CreatesMachinesOfItsTypesInTurn) {
    const auto type = [](const char* name) {
        return testing::table({{"type", name}, {"cpu", "4"}, {"memory", "16Gi"}});
    };
    const testing::Value machine = testing::table({{"type", "a"},
                                                   {"cpu", "4"},
                                                   {"memory", "16Gi"},
                                                   {"mix", testing::list(type("b"), type("c"))}});
    Group group(configured({{{"id", "web"}, {"machine", machine}, {"size", 4}}}).groups.at(0),
                Time(1h), Time(1h));
    std::vector<std::string> types;
    for (const capstan::Machine& m : group.machines()) types.push_back(m.machine_type);
    EXPECT_THAT(types, ElementsAre("a", "b", "c", "a"));
}

TEST(SimulatedGroup, StartsAtItsMinimumWithoutASize) {
    EXPECT_EQ(GroupTimeline({{"min", 3}}).target(0s), 3);
}

TEST(SimulatedGroup, RunsANewMachineAfterItsBootTime) {
    GroupTimeline timeline(Members{{"boot", "60s"}});
    EXPECT_EQ(timeline.grow(10s, 1), 1);
    EXPECT_THAT(timeline.machines(69s), ElementsAre("1 creating"));
    EXPECT_THAT(timeline.machines(70s), ElementsAre("1 running"));
}

TEST(SimulatedGroup, RunsAMachineWithoutBootTimeAtOnce) {
    GroupTimeline timeline(Members{{"boot", "0s"}});
    ASSERT_TRUE(timeline.grow(1s, 1));
    EXPECT_THAT(timeline.machines(1s), ElementsAre("1 running"));
}

TEST(SimulatedGroup, ReportsAShortageOnRequestedMachines) {
    GroupTimeline timeline(exhausted("report"));
    EXPECT_EQ(timeline.grow(1min, 1), 2);
    EXPECT_THAT(timeline.machines(5min + 59s), ElementsAre("1 running", "2 requested"));
    EXPECT_THAT(timeline.machines(6min), ElementsAre("1 running", "2 requested: out_of_capacity"));
}

TEST(SimulatedGroup, CanHideAShortage) {
    GroupTimeline timeline(exhausted("silent"));
    EXPECT_EQ(timeline.grow(1min, 1), 2);
    EXPECT_THAT(timeline.machines(24h), ElementsAre("1 running", "2 requested"));
}

TEST(SimulatedGroup, RejectsAnIncreaseWithoutCapacityIfConfigured) {
    GroupTimeline timeline({{"capacity", 3}, {"size", 1}, {"on_exhausted", "refuse"}});
    EXPECT_EQ(code_of(timeline.grow(0s, 3, true)), ErrorCode::out_of_capacity) << "all or nothing";
    EXPECT_EQ(timeline.grow(0s, 5), 3) << "as many as available";
    const auto none = timeline.grow(0s, 2);
    EXPECT_EQ(none.error().message, "2 machines requested, the cloud has 0 left of 3");
    EXPECT_EQ(timeline.target(0s), 3);
}

TEST(SimulatedGroup, CreatesNothingWithoutCapacity) {
    GroupTimeline timeline({{"capacity", 0}});
    ASSERT_TRUE(timeline.grow(0s, 2));
    EXPECT_THAT(timeline.machines(0s),
                ElementsAre("1 requested: out_of_capacity", "2 requested: out_of_capacity"));
}

TEST(SimulatedGroup, ServesRequestsInOrderWhenCapacityReturns) {
    GroupTimeline timeline(
        {{"capacity", 0},
         {"boot", "1m"},
         {"changes", testing::list(testing::table({{"at", "10m"}, {"capacity", 1}}),
                                   testing::table({{"at", "20m"}, {"unlimited", true}}))}});
    ASSERT_TRUE(timeline.grow(1min, 3));
    EXPECT_THAT(timeline.machines(10min), ElementsAre("1 creating", "2 requested: out_of_capacity",
                                                      "3 requested: out_of_capacity"));
    EXPECT_THAT(timeline.machines(21min), ElementsAre("1 running", "2 running", "3 running"))
        << "launched when it was due, not when it was read";
}

TEST(SimulatedGroup, FailsUntilItRecovers) {
    GroupTimeline timeline(
        {{"fail", testing::table({{"code", "quota"}, {"message", "too many"}})},
         {"changes", testing::list(testing::table({{"at", "1h"}, {"recover", true}}))}});
    EXPECT_EQ(timeline.grow(59min, 1).error(), (Error{ErrorCode::quota, "too many"}));
    EXPECT_EQ(timeline.grow(1h, 1), 1);
}

TEST(SimulatedGroup, StartsToFailAtTheConfiguredTime) {
    GroupTimeline timeline(
        {{"changes", testing::list(testing::table(
                         {{"at", "1h"}, {"fail", testing::table({{"code", "internal"}})}}))}});
    EXPECT_EQ(timeline.grow(59min, 1), 1);
    EXPECT_EQ(code_of(timeline.grow(61min, 1)), ErrorCode::internal);
}

TEST(SimulatedGroup, RequestsLostMachinesAgain) {
    GroupTimeline timeline(
        {{"size", 3},
         {"boot", "1m"},
         {"changes", testing::list(testing::table({{"at", "10m"}, {"lose", 2}}))}});
    EXPECT_THAT(timeline.machines(10min), ElementsAre("3 running", "4 creating", "5 creating"));
    EXPECT_EQ(timeline.target(10min), 3);
}

TEST(SimulatedGroup, LosesAtMostTheExistingMachines) {
    GroupTimeline timeline(
        {{"size", 1}, {"changes", testing::list(testing::table({{"at", "0s"}, {"lose", 5}}))}});
    EXPECT_EQ(timeline.target(0s), 1);
}

TEST(SimulatedGroup, ChangesItsTargetLikeAnotherClient) {
    GroupTimeline timeline(
        {{"size", 2},
         {"boot", "0s"},
         {"changes", testing::list(testing::table({{"at", "2m"}, {"target", 1}}),
                                   testing::table({{"at", "1m"}, {"target", 4}}),
                                   testing::table({{"at", "3m"}, {"target", 0}}))}});
    EXPECT_THAT(timeline.machines(1min),
                ElementsAre("1 running", "2 running", "3 running", "4 running"));
    EXPECT_THAT(timeline.machines(2min), ElementsAre("1 running"));
    EXPECT_THAT(timeline.machines(3min), IsEmpty());
}

TEST(SimulatedGroup, CancelsRequestedMachines) {
    GroupTimeline timeline({{"capacity", 2}, {"size", 1}});
    ASSERT_TRUE(timeline.grow(0s, 3));
    EXPECT_EQ(timeline.at(0s).current().machines, 2);
    EXPECT_EQ(timeline.shrink(0s, 2), 2);
    EXPECT_THAT(timeline.machines(0s), ElementsAre("1 running", "2 creating"));
}

TEST(SimulatedGroup, ReplacesMachinesAtItsMinimumIfTheTargetIsKept) {
    GroupTimeline timeline({{"size", 2}, {"min", 2}, {"boot", "1m"}});
    EXPECT_EQ(code_of(timeline.remove(0s, {1})), ErrorCode::invalid_argument);
    ASSERT_TRUE(timeline.remove(0s, {1}, false, true));
    EXPECT_EQ(timeline.target(0s), 2);
    EXPECT_THAT(timeline.machines(0s), ElementsAre("2 running", "3 creating"));
}

TEST(SimulatedGroup, RemovesMachinesAndLowersItsTarget) {
    GroupTimeline timeline({{"size", 3}});
    const auto removed = timeline.remove(0s, {3, 1, 3});
    ASSERT_TRUE(removed) << removed.error();
    EXPECT_THAT(removed->failed, IsEmpty());
    EXPECT_THAT(timeline.machines(0s), ElementsAre("2 running"));
}

TEST(SimulatedGroup, RemovesOtherMachinesIfOneIsUnknown) {
    GroupTimeline timeline({{"size", 1}});
    const auto removed = timeline.remove(0s, {1, 9});
    ASSERT_TRUE(removed) << removed.error();
    ASSERT_EQ(removed->failed.size(), 1u);
    EXPECT_EQ(removed->failed[0].subject, "simulated://web/9");
    EXPECT_EQ(removed->failed[0].code, ErrorCode::not_found);
    EXPECT_EQ(timeline.target(0s), 0);
}

TEST(SimulatedGroup, GoesBelowItsMinimumOnlyIfForced) {
    GroupTimeline timeline({{"min", 2}});
    const auto refused = timeline.remove(0s, {1});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(timeline.target(0s), 2);
    EXPECT_TRUE(timeline.remove(0s, {1}, true));
    EXPECT_EQ(timeline.target(0s), 1);
}

TEST(SimulatedGroup, UsesTheCapacityOfARemovedMachine) {
    GroupTimeline timeline({{"capacity", 1}, {"size", 1}, {"boot", "0s"}});
    ASSERT_TRUE(timeline.grow(0s, 1));
    ASSERT_TRUE(timeline.remove(1s, {1}));
    EXPECT_THAT(timeline.machines(1s), ElementsAre("2 running"));
}

TEST(SimulatedGroup, DoesNotCountADeletingMachine) {
    GroupTimeline timeline({{"size", 2}, {"delete_time", "30s"}});
    ASSERT_TRUE(timeline.remove(1min, {1}));
    EXPECT_EQ(timeline.target(1min), 1);
    EXPECT_THAT(timeline.machines(1min), ElementsAre("1 deleting", "2 running"));
    ASSERT_TRUE(timeline.remove(80s, {1})) << "it is being deleted";
    EXPECT_THAT(timeline.machines(90s), ElementsAre("2 running"));
}

TEST(SimulatedGroup, RunsMachinesBeyondItsCapacityWithAndWithoutRaisingTheTarget) {
    GroupTimeline timeline(
        {{"capacity", 0},
         {"on_exhausted", "silent"},
         {"changes", testing::Value::List{testing::table({{"at", "1m"}, {"run", 1}}),
                                          testing::table({{"at", "2m"}, {"add", 1}})}}});
    ASSERT_TRUE(timeline.grow(0s, 2));
    EXPECT_THAT(timeline.machines(1min), ElementsAre("1 running", "2 requested"));
    EXPECT_THAT(timeline.machines(2min), ElementsAre("1 running", "2 running", "3 requested"));
    EXPECT_EQ(timeline.target(2min), 3);
}

TEST(SimulatedGroup, LosesMachinesWithAndWithoutLoweringTheTarget) {
    const auto change = [](const char* at, const char* how) {
        return testing::table({{"at", at}, {how, 1}, {"machines", testing::Value::List{2}}});
    };
    GroupTimeline taken(
        {{"size", 3}, {"boot", "0s"}, {"changes", testing::Value::List{change("1m", "take")}}});
    EXPECT_THAT(taken.machines(1min), ElementsAre("1 running", "3 running"));
    GroupTimeline lost(
        {{"size", 3}, {"boot", "0s"}, {"changes", testing::Value::List{change("1m", "lose")}}});
    EXPECT_THAT(lost.machines(1min), ElementsAre("1 running", "3 running", "4 running"));
}

TEST(SimulatedGroup, AnnouncesLeavingMachinesUntilTheNoticeIsWithdrawn) {
    const auto notice = testing::table({{"reason", "maintenance"}, {"after", "2m"}});
    GroupTimeline timeline({{"size", 2},
                            {"boot", "0s"},
                            {"changes", testing::Value::List{
                                            testing::table({{"at", "1m"}, {"notice", notice}}),
                                            testing::table({{"at", "2m"}, {"withdraw", true}}),
                                        }}});
    EXPECT_EQ(timeline.at(59s).machines()[0].leaves, std::nullopt);
    const auto listed = timeline.at(1min).machines();
    EXPECT_EQ(listed[0].leaves, (Leaving{LeaveReason::maintenance, Time(1h) + 3min}));
    EXPECT_EQ(listed[1].leaves, std::nullopt);
    EXPECT_THAT(timeline.machines(2min), ElementsAre("1 running", "2 running"));
    EXPECT_EQ(timeline.at(2min).machines()[0].leaves, std::nullopt);
}

TEST(SimulatedGroup, ReportsTheMachineOfAFailedRemoval) {
    GroupTimeline timeline(
        {{"size", 1},
         {"changes",
          testing::Value::List{testing::table(
              {{"at", "1m"}, {"fail_removals", testing::table({{"code", "unavailable"}})}})}}});
    const auto removed = timeline.remove(1min, {1});
    ASSERT_TRUE(removed);
    EXPECT_EQ(removed->failed.at(0).subject, "simulated://web/1");
    EXPECT_EQ(removed->failed.at(0).code, ErrorCode::unavailable);
    EXPECT_EQ(timeline.target(1min), 1);
}

}  // namespace
}  // namespace capstan::simulated
