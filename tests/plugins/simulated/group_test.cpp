#include "group.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <capstan/duration.hpp>

#include "told.hpp"

namespace capstan::simulated {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// A group at times since its start.
class Story {
public:
    Story(const Story&) = delete;
    explicit Story(const Members& more) : config_(configured({web(more)}).groups.at(0)) {}

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
    Story story({{"size", 2}, {"min", 1}, {"max", 5}});
    EXPECT_THAT(story.machines(0s), ElementsAre("1 running", "2 running"));
    const NodeGroup group = story.at(0s).group();
    EXPECT_EQ(group.min, 1);
    EXPECT_EQ(group.max, 5);
    EXPECT_EQ(group.target, 2);
    EXPECT_FALSE(group.template_fingerprint.empty());
}

TEST(SimulatedGroup, ChangesItsVersionWithEveryChange) {
    Story story({{"size", 1},
                 {"max", 9},
                 {"boot", "1m"},
                 {"delete_time", "1m"},
                 {"capacity", 3},
                 {"error_after", "5m"},
                 {"changes", testing::Value::List{testing::table({{"at", "20m"}, {"lose", 1}})}}});
    std::uint64_t version = story.at(0s).version();
    std::vector<std::string> told = story.machines(0s);
    const auto look = [&](std::initializer_list<Duration> moments) {
        for (const Duration moment : moments) {
            const std::vector<std::string> now = story.machines(moment);
            EXPECT_EQ(story.at(moment).version() != version, now != told)
                << format_duration(moment);
            version = story.at(moment).version();
            told = now;
        }
    };
    look({1s});
    ASSERT_TRUE(story.grow(1min, 3));
    look({60s, 61s, 119s, 120s, 121s});
    look({6min - 1ns, 6min, 6min + 1s});
    ASSERT_TRUE(story.remove(7min, {1}));
    look({7min, 8min - 1ns, 8min, 9min, 19min});
    look({20min, 21min, 21min + 1s});
    ASSERT_TRUE(story.remove(30min, {2, 3}));
    look({30min, 31min, 40min});
}

TEST(SimulatedGroup, ChangesItsVersionWithARenewedList) {
    testing::FakeSettings settings = told({web({{"boot", "0s"}})});
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
    Story story({{"max", 9}, {"boot", "60s"}});
    ASSERT_TRUE(story.grow(0s, 1));
    std::uint64_t version = story.at(61s).version();
    for (const auto& [moment, state] :
         {std::pair(59s, "1 creating"), std::pair(61s, "1 running")}) {
        EXPECT_NE(story.at(moment).version(), version);
        EXPECT_THAT(story.machines(moment), ElementsAre(state));
        version = story.at(moment).version();
    }
}

TEST(SimulatedGroup, SharesNoVersionWithAnotherGroup) {
    Story one({{"size", 1}}), other({{"size", 1}});
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
    EXPECT_EQ(Story({{"min", 3}}).target(0s), 3);
}

TEST(SimulatedGroup, RunsANewMachineAfterItsBootTime) {
    Story story(Members{{"boot", "60s"}});
    EXPECT_EQ(story.grow(10s, 1), 1);
    EXPECT_THAT(story.machines(69s), ElementsAre("1 creating"));
    EXPECT_THAT(story.machines(70s), ElementsAre("1 running"));
}

TEST(SimulatedGroup, RunsAMachineWithoutBootTimeAtOnce) {
    Story story(Members{{"boot", "0s"}});
    ASSERT_TRUE(story.grow(1s, 1));
    EXPECT_THAT(story.machines(1s), ElementsAre("1 running"));
}

TEST(SimulatedGroup, ReportsAShortageOnRequestedMachines) {
    Story story(exhausted("report"));
    EXPECT_EQ(story.grow(1min, 1), 2);
    EXPECT_THAT(story.machines(5min + 59s), ElementsAre("1 running", "2 requested"));
    EXPECT_THAT(story.machines(6min), ElementsAre("1 running", "2 requested: out_of_capacity"));
}

TEST(SimulatedGroup, CanHideAShortage) {
    Story story(exhausted("silent"));
    EXPECT_EQ(story.grow(1min, 1), 2);
    EXPECT_THAT(story.machines(24h), ElementsAre("1 running", "2 requested"));
}

TEST(SimulatedGroup, RejectsAnIncreaseWithoutCapacityIfConfigured) {
    Story story({{"capacity", 3}, {"size", 1}, {"on_exhausted", "refuse"}});
    EXPECT_EQ(code_of(story.grow(0s, 3, true)), ErrorCode::out_of_capacity) << "all or nothing";
    EXPECT_EQ(story.grow(0s, 5), 3) << "as many as available";
    const auto none = story.grow(0s, 2);
    EXPECT_EQ(none.error().message, "2 machines requested, the cloud has 0 left of 3");
    EXPECT_EQ(story.target(0s), 3);
}

TEST(SimulatedGroup, CreatesNothingWithoutCapacity) {
    Story story({{"capacity", 0}});
    ASSERT_TRUE(story.grow(0s, 2));
    EXPECT_THAT(story.machines(0s),
                ElementsAre("1 requested: out_of_capacity", "2 requested: out_of_capacity"));
}

TEST(SimulatedGroup, ServesRequestsInOrderWhenCapacityReturns) {
    Story story({{"capacity", 0},
                 {"boot", "1m"},
                 {"changes", testing::list(testing::table({{"at", "10m"}, {"capacity", 1}}),
                                           testing::table({{"at", "20m"}, {"unlimited", true}}))}});
    ASSERT_TRUE(story.grow(1min, 3));
    EXPECT_THAT(story.machines(10min), ElementsAre("1 creating", "2 requested: out_of_capacity",
                                                   "3 requested: out_of_capacity"));
    EXPECT_THAT(story.machines(21min), ElementsAre("1 running", "2 running", "3 running"))
        << "launched when it was due, not when it was read";
}

TEST(SimulatedGroup, FailsUntilItRecovers) {
    Story story({{"fail", testing::table({{"code", "quota"}, {"message", "too many"}})},
                 {"changes", testing::list(testing::table({{"at", "1h"}, {"recover", true}}))}});
    EXPECT_EQ(story.grow(59min, 1).error(), (Error{ErrorCode::quota, "too many"}));
    EXPECT_EQ(story.grow(1h, 1), 1);
}

TEST(SimulatedGroup, StartsToFailAtTheConfiguredTime) {
    Story story(
        {{"changes", testing::list(testing::table(
                         {{"at", "1h"}, {"fail", testing::table({{"code", "internal"}})}}))}});
    EXPECT_EQ(story.grow(59min, 1), 1);
    EXPECT_EQ(code_of(story.grow(61min, 1)), ErrorCode::internal);
}

TEST(SimulatedGroup, RequestsLostMachinesAgain) {
    Story story({{"size", 3},
                 {"boot", "1m"},
                 {"changes", testing::list(testing::table({{"at", "10m"}, {"lose", 2}}))}});
    EXPECT_THAT(story.machines(10min), ElementsAre("3 running", "4 creating", "5 creating"));
    EXPECT_EQ(story.target(10min), 3);
}

TEST(SimulatedGroup, LosesAtMostTheExistingMachines) {
    Story story(
        {{"size", 1}, {"changes", testing::list(testing::table({{"at", "0s"}, {"lose", 5}}))}});
    EXPECT_EQ(story.target(0s), 1);
}

TEST(SimulatedGroup, ChangesItsTargetLikeAnotherClient) {
    Story story({{"size", 2},
                 {"boot", "0s"},
                 {"changes", testing::list(testing::table({{"at", "2m"}, {"target", 1}}),
                                           testing::table({{"at", "1m"}, {"target", 4}}),
                                           testing::table({{"at", "3m"}, {"target", 0}}))}});
    EXPECT_THAT(story.machines(1min),
                ElementsAre("1 running", "2 running", "3 running", "4 running"));
    EXPECT_THAT(story.machines(2min), ElementsAre("1 running"));
    EXPECT_THAT(story.machines(3min), IsEmpty());
}

TEST(SimulatedGroup, CancelsRequestedMachines) {
    Story story({{"capacity", 2}, {"size", 1}});
    ASSERT_TRUE(story.grow(0s, 3));
    EXPECT_EQ(story.at(0s).current().machines, 2);
    EXPECT_EQ(story.shrink(0s, 2), 2);
    EXPECT_THAT(story.machines(0s), ElementsAre("1 running", "2 creating"));
}

TEST(SimulatedGroup, ReplacesMachinesAtItsMinimumIfTheTargetIsKept) {
    Story story({{"size", 2}, {"min", 2}, {"boot", "1m"}});
    EXPECT_EQ(code_of(story.remove(0s, {1})), ErrorCode::invalid_argument);
    ASSERT_TRUE(story.remove(0s, {1}, false, true));
    EXPECT_EQ(story.target(0s), 2);
    EXPECT_THAT(story.machines(0s), ElementsAre("2 running", "3 creating"));
}

TEST(SimulatedGroup, RemovesMachinesAndLowersItsTarget) {
    Story story({{"size", 3}});
    const auto removed = story.remove(0s, {3, 1, 3});
    ASSERT_TRUE(removed) << removed.error();
    EXPECT_THAT(removed->failed, IsEmpty());
    EXPECT_THAT(story.machines(0s), ElementsAre("2 running"));
}

TEST(SimulatedGroup, RemovesOtherMachinesIfOneIsUnknown) {
    Story story({{"size", 1}});
    const auto removed = story.remove(0s, {1, 9});
    ASSERT_TRUE(removed) << removed.error();
    ASSERT_EQ(removed->failed.size(), 1u);
    EXPECT_EQ(removed->failed[0].subject, "simulated://web/9");
    EXPECT_EQ(removed->failed[0].code, ErrorCode::not_found);
    EXPECT_EQ(story.target(0s), 0);
}

TEST(SimulatedGroup, GoesBelowItsMinimumOnlyIfForced) {
    Story story({{"min", 2}});
    const auto refused = story.remove(0s, {1});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(story.target(0s), 2);
    EXPECT_TRUE(story.remove(0s, {1}, true));
    EXPECT_EQ(story.target(0s), 1);
}

TEST(SimulatedGroup, UsesTheCapacityOfARemovedMachine) {
    Story story({{"capacity", 1}, {"size", 1}, {"boot", "0s"}});
    ASSERT_TRUE(story.grow(0s, 1));
    ASSERT_TRUE(story.remove(1s, {1}));
    EXPECT_THAT(story.machines(1s), ElementsAre("2 running"));
}

TEST(SimulatedGroup, DoesNotCountADeletingMachine) {
    Story story({{"size", 2}, {"delete_time", "30s"}});
    ASSERT_TRUE(story.remove(1min, {1}));
    EXPECT_EQ(story.target(1min), 1);
    EXPECT_THAT(story.machines(1min), ElementsAre("1 deleting", "2 running"));
    ASSERT_TRUE(story.remove(80s, {1})) << "it is being deleted";
    EXPECT_THAT(story.machines(90s), ElementsAre("2 running"));
}

TEST(SimulatedGroup, StartsUnrequestedMachinesWithAndWithoutRaisingTheTarget) {
    Story story({{"capacity", 0},
                 {"on_exhausted", "silent"},
                 {"changes", testing::Value::List{testing::table({{"at", "1m"}, {"run", 1}}),
                                                  testing::table({{"at", "2m"}, {"add", 1}})}}});
    ASSERT_TRUE(story.grow(0s, 2));
    EXPECT_THAT(story.machines(1min), ElementsAre("1 running", "2 requested"));
    EXPECT_THAT(story.machines(2min), ElementsAre("1 running", "2 running", "3 requested"));
    EXPECT_EQ(story.target(2min), 3);
}

TEST(SimulatedGroup, LosesMachinesWithAndWithoutLoweringTheTarget) {
    const auto change = [](const char* at, const char* how) {
        return testing::table({{"at", at}, {how, 1}, {"machines", testing::Value::List{2}}});
    };
    Story taken(
        {{"size", 3}, {"boot", "0s"}, {"changes", testing::Value::List{change("1m", "take")}}});
    EXPECT_THAT(taken.machines(1min), ElementsAre("1 running", "3 running"));
    Story lost(
        {{"size", 3}, {"boot", "0s"}, {"changes", testing::Value::List{change("1m", "lose")}}});
    EXPECT_THAT(lost.machines(1min), ElementsAre("1 running", "3 running", "4 running"));
}

TEST(SimulatedGroup, AnnouncesLeavingMachinesUntilTheNoticeIsWithdrawn) {
    const auto notice = testing::table({{"reason", "maintenance"}, {"after", "2m"}});
    Story story({{"size", 2},
                 {"boot", "0s"},
                 {"changes", testing::Value::List{
                                 testing::table({{"at", "1m"}, {"notice", notice}}),
                                 testing::table({{"at", "2m"}, {"withdraw", true}}),
                             }}});
    EXPECT_EQ(story.at(59s).machines()[0].leaves, std::nullopt);
    const auto listed = story.at(1min).machines();
    EXPECT_EQ(listed[0].leaves, (Leaving{LeaveReason::maintenance, Time(1h) + 3min}));
    EXPECT_EQ(listed[1].leaves, std::nullopt);
    EXPECT_THAT(story.machines(2min), ElementsAre("1 running", "2 running"));
    EXPECT_EQ(story.at(2min).machines()[0].leaves, std::nullopt);
}

TEST(SimulatedGroup, ReportsTheMachineOfAFailedRemoval) {
    Story story(
        {{"size", 1},
         {"changes",
          testing::Value::List{testing::table(
              {{"at", "1m"}, {"fail_removals", testing::table({{"code", "unavailable"}})}})}}});
    const auto removed = story.remove(1min, {1});
    ASSERT_TRUE(removed);
    EXPECT_EQ(removed->failed.at(0).subject, "simulated://web/1");
    EXPECT_EQ(removed->failed.at(0).code, ErrorCode::unavailable);
    EXPECT_EQ(story.target(1min), 1);
}

}  // namespace
}  // namespace capstan::simulated
