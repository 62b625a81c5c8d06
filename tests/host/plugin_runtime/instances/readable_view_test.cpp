#include "plugin_runtime/instances/readable_view.hpp"

#include <climits>

#include <gmock/gmock.h>

#include <capstan/from_abi.hpp>
#include <capstan/to_abi.hpp>

namespace capstan::plugin_runtime::instances {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The view of a cloud as an ABI struct that tests modify: groups a, b and c with one machine each.
struct ReadableViewTest : ::testing::Test {
    ReadableViewTest() {
        for (const char* id : {"a", "b", "c"}) {
            view.groups.push_back({.id = NodeGroupId(id), .max = 9, .target = 1});
            view.machines.push_back(
                {.id = MachineId(std::string("i-") + id), .group = NodeGroupId(id)});
        }
        raw = arena.to_abi(view);
    }
    capstan_group& group(std::uint32_t i) {
        return const_cast<capstan_group&>(capstan::View<capstan_group>(raw.groups)[i]);
    }
    capstan_machine& machine(std::uint32_t i) {
        return const_cast<capstan_machine&>(capstan::View<capstan_machine>(raw.machines)[i]);
    }
    /// "group: message" for each unreadable group.
    std::vector<std::string> problems() {
        read = readable_view_from_abi(raw).value();
        std::vector<std::string> out;
        for (const Error& error : read.unreadable)
            out.push_back(error.subject + ": " + error.message);
        return out;
    }
    std::vector<std::string> groups() const {
        std::vector<std::string> out;
        for (const NodeGroup& group : read.groups) out.push_back(group.id.value());
        return out;
    }

    CloudView view;
    AbiArena arena;
    capstan_cloud_view raw{};
    CloudView read;
};

TEST_F(ReadableViewTest, ReadsTheTargetLag) {
    EXPECT_THAT(problems(), IsEmpty());
    EXPECT_EQ(read.target_lag, std::nullopt);
    raw.target_lag_ms = 120'000;
    EXPECT_THAT(problems(), IsEmpty());
    EXPECT_EQ(read.target_lag, std::chrono::minutes(2));
}

TEST_F(ReadableViewTest, ReadsAValidView) {
    EXPECT_THAT(problems(), IsEmpty());
    EXPECT_EQ(read, view);
}

TEST_F(ReadableViewTest, FailsWithMoreGroupsOrMachinesThanOneCloudMayHave) {
    raw.machines.count = 1'000'000;
    EXPECT_EQ(readable_view_from_abi(raw).error().message,
              "machines has 1000000 elements, at most 200000 are allowed");
    raw.machines.count = 3;
    raw.groups.count = 20'001;
    EXPECT_EQ(readable_view_from_abi(raw).error().message,
              "groups has 20001 elements, at most 20000 are allowed");
}

TEST_F(ReadableViewTest, AGroupWithMinAboveMaxIsUnreadable) {
    group(1).present |= CAPSTAN_GROUP_MIN;
    group(1).min = 10;
    EXPECT_THAT(problems(), ElementsAre("b: groups[1].min is 10, above max 9"));
    EXPECT_THAT(groups(), ElementsAre("a", "c"));
    EXPECT_EQ(read.machines.size(), 3u);
    EXPECT_FALSE(read.complete);
}

TEST_F(ReadableViewTest, ATargetAboveAMillionIsUnreadable) {
    group(0).target = INT32_MAX;
    group(1).target = 1'000'000;
    group(2).present = CAPSTAN_GROUP_MIN;
    group(2).min = 1'000'001;
    EXPECT_THAT(problems(),
                ElementsAre("a: groups[0].target is 2147483647, at most 1000000 are allowed",
                            "c: groups[2].min is 1000001, at most 1000000 are allowed"));
}

TEST_F(ReadableViewTest, ADuplicateGroupIdMakesTheGroupUnreadable) {
    group(2).id = group(0).id;
    EXPECT_THAT(problems(), ElementsAre("a: groups[2].id \"a\" is listed twice"));
    EXPECT_THAT(groups(), ElementsAre("b"));
}

TEST_F(ReadableViewTest, AnInvalidGroupIdMakesTheViewIncomplete) {
    group(1).id = str("\xff");
    EXPECT_THAT(problems(), ElementsAre(": groups[1].id is not UTF-8"));
    EXPECT_THAT(groups(), ElementsAre("a", "c"));
    EXPECT_FALSE(read.complete);
}

TEST_F(ReadableViewTest, AnInvalidMachineMakesItsGroupUnreadable) {
    machine(1).present = CAPSTAN_MACHINE_PRICE;
    machine(1).price_per_hour = -1;
    machine(2).zone = str("\xff");
    EXPECT_THAT(problems(), ElementsAre("b: machines[1].price_per_hour is -1.000000",
                                        "c: machines[2].zone is not UTF-8"));
    EXPECT_THAT(groups(), ElementsAre("a"));
}

TEST_F(ReadableViewTest, AnUnknownMachineStateMeansCreating) {
    for (const std::int32_t state : {0, 6, 99, -1}) {
        machine(1).state = state;
        EXPECT_THAT(problems(), IsEmpty());
        EXPECT_EQ(read.machines.at(1).state, MachineState::creating) << state;
    }
}

TEST_F(ReadableViewTest, AMachineWithoutAGroupAffectsNoGroup) {
    group(1).target = 0;
    machine(1).group_id = str("");
    EXPECT_THAT(problems(), IsEmpty());
    EXPECT_EQ(read.machines.at(1).group, NodeGroupId());
}

TEST_F(ReadableViewTest, AMachineInTwoGroupsMakesBothUnreadable) {
    machine(2).id = machine(0).id;
    EXPECT_THAT(problems(), ElementsAre("a: machines[2].id \"i-a\" is listed twice",
                                        "c: machines[2].id \"i-a\" is listed twice"));
    EXPECT_THAT(groups(), ElementsAre("b"));
}

TEST_F(ReadableViewTest, AMachineOfAnInvalidGroupAffectsGroupsBelowTheirTarget) {
    machine(1).group_id = str("\xff");
    EXPECT_THAT(problems(), ElementsAre("b: machines[1].group_id is not UTF-8"));
    group(1).target = 0;
    EXPECT_THAT(problems(), ElementsAre(": machines[1].group_id is not UTF-8"));
    EXPECT_THAT(groups(), ElementsAre("a", "b", "c"));
    EXPECT_TRUE(read.complete) << "it hides no group";
}

TEST_F(ReadableViewTest, ReportsEachGroupOnce) {
    for (const std::uint32_t i : {0u, 1u, 2u}) {
        machine(i).group_id = str("b");
        machine(i).zone = str("\xff");
    }
    EXPECT_THAT(problems(), ElementsAre("b: machines[0].zone is not UTF-8"));
}

TEST_F(ReadableViewTest, AnIncompleteViewStaysIncompleteWithInvalidElements) {
    const std::string hidden = ": its cloud did not list all groups";
    raw.complete = 0;
    EXPECT_THAT(problems(), IsEmpty()) << "incomplete without a subject: any group may be missing";
    EXPECT_FALSE(read.complete);
    machine(1).zone = str("\xff");
    EXPECT_THAT(problems(), ElementsAre("b: machines[1].zone is not UTF-8", hidden));
    machine(1).group_id = str("\xff");
    group(1).target = 0;
    EXPECT_THAT(problems(), ElementsAre(": machines[1].group_id is not UTF-8"))
        << "one error without a subject is enough";
    raw.complete = 1;
    machine(1).group_id = str("b");
    EXPECT_THAT(problems(), ElementsAre("b: machines[1].zone is not UTF-8"));
}

TEST_F(ReadableViewTest, KeepsErrorsThatTheCloudReported) {
    view.unreadable = {{ErrorCode::throttled, "later", {}, "b", {}},
                       {ErrorCode::unavailable, "page 2", {}, "", {}}};
    view.complete = false;
    raw = arena.to_abi(view);
    EXPECT_THAT(problems(), ElementsAre("b: later", ": page 2"));
    EXPECT_THAT(groups(), ElementsAre("a", "c"));
}

TEST_F(ReadableViewTest, RefusesAMalformedArray) {
    raw.machines.data = nullptr;
    EXPECT_EQ(readable_view_from_abi(raw).error().message, "machines is NULL, but its count is 3");
}

}  // namespace
}  // namespace capstan::plugin_runtime::instances
