#include "autoscaler/cloud_reader.hpp"

#include <gmock/gmock.h>

#include "../plugin_runtime/test_host.hpp"

namespace capstan::autoscaler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;

/// A cloud with prepared results.
struct ScriptedCloud {
    Result<CloudView> refresh() { return view; }
    Result<NodeTemplate> describe(NodeGroupId group) {
        described.push_back(group.value());
        if (describe_error) return fail(*describe_error);
        return NodeTemplate{.name = group.value()};
    }
    Resized increase(Resize) { return {}; }
    Resized decrease_target(Resize) { return {}; }
    Removed remove(Removal) { return {}; }
    Result<MachineTypes> machine_types() { return types; }
    Result<PlannedGroup> new_group(const Call&, const GroupPlan&) const { return PlannedGroup{}; }
    void create(GroupPlan) {}
    void destroy(NodeGroupId) {}

    static inline Result<CloudView> view{};
    static inline Result<MachineTypes> types{};
    static inline std::vector<std::string> described{};
    static inline std::optional<Error> describe_error{};
};

NodeGroup group(const char* id, const char* fingerprint, int target = 1) {
    return {.id = NodeGroupId(id), .target = target, .template_fingerprint = fingerprint};
}
Machine machine(const char* id, const char* group) {
    return {.id = MachineId(id), .group = NodeGroupId(group)};
}
CloudView unreadable(std::vector<NodeGroup> groups, const char* subject) {
    return {.complete = false,
            .groups = std::move(groups),
            .unreadable = {{ErrorCode::unavailable, "page 2 is missing", {}, subject, {}}}};
}

struct CloudReaderTest : ::testing::Test {
    CloudReaderTest() {
        ScriptedCloud::described.clear();
        ScriptedCloud::describe_error.reset();
        ScriptedCloud::types = MachineTypes{{{.name = "small"}, {.name = "large"}}};
    }
    CloudReading read(Result<CloudView> view) {
        ScriptedCloud::view = std::move(view);
        std::optional<CloudReading> out;
        reader->read({.machine_types = true},
                     [&out](CloudReading reading) { out = std::move(reading); });
        host.loop.settle();
        return out.value();
    }
    std::vector<std::string> take_described() {
        return std::exchange(ScriptedCloud::described, {});
    }

    plugin_runtime::TestHost host;
    plugin_runtime::Running<ScriptedCloud> running{host, plugin_runtime::identity("aws")};
    std::shared_ptr<CloudReader> reader = std::make_shared<CloudReader>(
        plugin_runtime::instances::CloudClient::of(running.shared()).value());
};

std::vector<std::string> ids(const CloudReading& reading) {
    std::vector<std::string> out;
    for (const engine::Group& g : *reading.groups) out.push_back(g.group.id.value());
    return out;
}
std::vector<std::string> problem_messages(const CloudReading& reading) {
    std::vector<std::string> out;
    for (const Error& e : reading.problems) out.push_back(e.message);
    return out;
}

TEST_F(CloudReaderTest, AddsMachinesToTheirGroupsSortedById) {
    const CloudReading reading = read(CloudView{
        .groups = {group("web", "1"), group("db", "1")},
        .machines = {machine("i-2", "web"), machine("i-3", "db"), machine("i-1", "web")}});
    ASSERT_THAT(ids(reading), ElementsAre("web", "db"));
    const engine::Group& web = (*reading.groups)[0];
    EXPECT_EQ(web.cloud, PluginInstanceId("aws"));
    ASSERT_EQ(web.machines.size(), 2u);
    EXPECT_EQ(web.machines[0].id, MachineId("i-1"));
    ASSERT_THAT(web.described, NotNull());
    EXPECT_EQ(web.described->name, "web");
    EXPECT_THAT(reading.problems, IsEmpty());
}

TEST_F(CloudReaderTest, DescribesAGroupIfItsFingerprintChanges) {
    read(CloudView{.groups = {group("a", "1"), group("b", "1")}});
    EXPECT_THAT(take_described(), ElementsAre("a", "b"));
    const CloudReading same = read(CloudView{.groups = {group("a", "1"), group("b", "2")}});
    EXPECT_THAT(take_described(), ElementsAre("b"));
    EXPECT_THAT(same.groups->at(0).described, NotNull());
}

TEST_F(CloudReaderTest, DescribesAGroupWithoutFingerprintEachTime) {
    for (int i = 0; i < 2; ++i) {
        read(CloudView{.groups = {group("a", "")}});
        EXPECT_THAT(take_described(), ElementsAre("a"));
    }
}

TEST_F(CloudReaderTest, ReportsAFailedTemplateAndRetries) {
    ScriptedCloud::describe_error = Error{ErrorCode::unavailable, "no answer"};
    const CloudReading failed = read(CloudView{.groups = {group("a", "1")}});
    EXPECT_THAT(failed.groups->at(0).described, IsNull());
    EXPECT_EQ(failed.groups->at(0).undescribed_because, "plugin aws: describe: no answer");
    EXPECT_THAT(problem_messages(failed),
                ElementsAre("group \"a\": plugin aws: describe: no answer"));
    ScriptedCloud::describe_error.reset();
    EXPECT_THAT(read(CloudView{.groups = {group("a", "1")}}).groups->at(0).described, NotNull());
}

TEST_F(CloudReaderTest, DoesNotRetryUnsupportedTemplates) {
    ScriptedCloud::describe_error = Error{ErrorCode::unsupported, "none"};
    EXPECT_THAT(read(CloudView{.groups = {group("a", "1")}}).problems, IsEmpty());
    take_described();
    const CloudReading again = read(CloudView{.groups = {group("a", "1")}});
    EXPECT_THAT(take_described(), IsEmpty());
    EXPECT_EQ(again.groups->at(0).undescribed_because, "plugin aws: describe: none");
}

TEST_F(CloudReaderTest, ReportsWhyACloudWasNeverRead) {
    const Result<CloudView> away = fail(ErrorCode::unavailable, "gateway timeout");
    EXPECT_EQ(read(away).unread_because, "plugin aws: refresh: gateway timeout");
    EXPECT_EQ(read(CloudView{.groups = {group("a", "1")}}).unread_because, "");
    EXPECT_EQ(read(away).unread_because, "") << "its last groups are still known";
}

TEST_F(CloudReaderTest, KeepsTheGroupsOfAnUnreadableCloud) {
    read(CloudView{.groups = {group("a", "1")}, .machines = {machine("i-1", "a")}});
    const CloudReading kept = read(fail(ErrorCode::unavailable, "gateway timeout"));
    EXPECT_THAT(problem_messages(kept), ElementsAre("plugin aws: refresh: gateway timeout"));
    ASSERT_THAT(ids(kept), ElementsAre("a"));
    EXPECT_EQ((*kept.groups)[0].machines.size(), 1u);
    EXPECT_THAT((*kept.groups)[0].described, NotNull());
}

TEST_F(CloudReaderTest, KeepsAnUnreadableGroup) {
    read(CloudView{.groups = {group("a", "", 1), group("b", "", 1), group("c", "", 1)}});
    take_described();
    const CloudReading kept = read(unreadable({group("a", "", 9), group("b", "", 9)}, "b"));
    ASSERT_THAT(ids(kept), ElementsAre("a", "b"))
        << "c is neither listed nor unreadable, so it was deleted";
    EXPECT_EQ((*kept.groups)[0].group.target, 9);
    EXPECT_EQ((*kept.groups)[1].group.target, 1);
    EXPECT_THAT(take_described(), ElementsAre("a")) << "a kept group is not described again";
    EXPECT_THAT(problem_messages(kept), ElementsAre("plugin aws: group \"b\": page 2 is missing"));
}

TEST_F(CloudReaderTest, KeepsEveryGroupIfTheUnreadableOneIsUnknown) {
    read(CloudView{.groups = {group("a", "1"), group("b", "1")}});
    const CloudReading kept = read(unreadable({group("b", "1", 5)}, ""));
    ASSERT_THAT(ids(kept), ElementsAre("b", "a"));
    EXPECT_EQ((*kept.groups)[0].group.target, 5);
    EXPECT_THAT(problem_messages(kept), ElementsAre("plugin aws: refresh: page 2 is missing"));
}

TEST_F(CloudReaderTest, ListsANeverReadGroupByIdAndMachines) {
    CloudView view = unreadable({}, "new");
    view.machines = {machine("i-1", "new")};
    const CloudReading reading = read(view);
    ASSERT_THAT(ids(reading), ElementsAre("new"));
    const engine::Group& group = reading.groups->at(0);
    EXPECT_EQ(group.unreadable_because, "page 2 is missing");
    EXPECT_EQ(group.group.target, std::nullopt);
    EXPECT_EQ(group.machines.size(), 1u);
    EXPECT_THAT(take_described(), IsEmpty());
    EXPECT_EQ(read(unreadable({}, "new")).groups->at(0).machines.size(), 0u);
}

TEST_F(CloudReaderTest, GivesTheReasonWhileAGroupIsUnreadable) {
    read(CloudView{.groups = {group("a", "1"), group("b", "1"), group("c", "1")}});
    CloudView view = unreadable({group("a", "1")}, "b");
    view.unreadable.push_back({ErrorCode::unavailable, "page 3 is missing", {}, "", {}});
    const CloudReading kept = read(view);
    ASSERT_THAT(ids(kept), ElementsAre("a", "c", "b"));
    EXPECT_EQ(kept.groups->at(0).unreadable_because, "");
    EXPECT_EQ(kept.groups->at(1).unreadable_because, "page 3 is missing");
    EXPECT_EQ(kept.groups->at(2).unreadable_because, "page 2 is missing");
    const CloudReading again = read(CloudView{.groups = {group("b", "1"), group("c", "1")}});
    for (const engine::Group& group : *again.groups) EXPECT_EQ(group.unreadable_because, "");
}

TEST_F(CloudReaderTest, AnInvalidGroupDoesNotAffectOthers) {
    const NodeGroup good = group("good", "1");
    NodeGroup bad = group("bad", "1");
    read(CloudView{.groups = {bad, good}, .machines = {machine("i-1", "bad")}});
    bad.min = 5;
    bad.max = 1;
    const CloudReading reading = read(CloudView{.groups = {bad, good}});
    EXPECT_THAT(problem_messages(reading),
                ElementsAre("plugin aws: group \"bad\": groups[0].min is 5, above max 1"));
    ASSERT_THAT(ids(reading), ElementsAre("good", "bad"));
    EXPECT_EQ(reading.groups->at(0).unreadable_because, "");
    EXPECT_EQ(reading.groups->at(1).unreadable_because, "groups[0].min is 5, above max 1");
    EXPECT_EQ(reading.groups->at(1).machines.size(), 1u) << "kept from the last reading";
}

TEST_F(CloudReaderTest, KeepsGroupsHiddenByAnIncompleteList) {
    NodeGroup bad = group("bad", "1");
    read(CloudView{.groups = {group("a", "1"), bad}});
    bad.min = 5;
    bad.max = 1;
    const CloudReading reading = read(CloudView{.complete = false, .groups = {bad}});
    ASSERT_THAT(ids(reading), ElementsAre("a", "bad"));
    EXPECT_EQ(reading.groups->at(0).unreadable_because, "its cloud did not list all groups");
}

TEST_F(CloudReaderTest, ForgetsADeletedGroup) {
    read(CloudView{.groups = {group("a", "1")}});
    EXPECT_THAT(ids(read(CloudView{})), IsEmpty());
    take_described();
    read(CloudView{.groups = {group("a", "1")}});
    EXPECT_THAT(take_described(), ElementsAre("a")) << "it may be a new group of the same name";
}

TEST_F(CloudReaderTest, ReportsMachinesOfAnUnlistedGroup) {
    const CloudReading reading =
        read(CloudView{.machines = {machine("i-1", "ghost"), machine("i-2", "ghost")}});
    EXPECT_THAT(problem_messages(reading),
                ElementsAre("plugin aws: 2 machines of group \"ghost\", which it does not list"));
}

TEST_F(CloudReaderTest, ReturnsTheSameObjectWhileNothingChanges) {
    const CloudView view{.groups = {group("a", "1"), group("b", "1")},
                         .machines = {machine("i-2", "b"), machine("i-1", "b")}};
    const CloudReading::Groups first = read(view).groups;
    EXPECT_EQ(read(view).groups, first);
    read(fail(ErrorCode::unavailable, "gateway timeout"));
    EXPECT_EQ(read(view).groups, first) << "the cloud returned nothing else in between";
    CloudView booted = view;
    booted.machines[0].state = MachineState::creating;
    const CloudReading::Groups changed = read(booted).groups;
    EXPECT_NE(changed, first);
    EXPECT_EQ(changed->at(1).machines.at(1).state, MachineState::creating);
    EXPECT_EQ(read(view).groups->at(1).machines.at(1).state, MachineState::running);
}

TEST_F(CloudReaderTest, KeepsAGroupUntilACompleteListOmitsIt) {
    read(CloudView{.groups = {group("a", "1"), group("b", "1")}});
    const CloudView some{.complete = false, .groups = {group("b", "1", 5)}};
    const CloudReading kept = read(some);
    ASSERT_THAT(ids(kept), ElementsAre("b", "a"));
    EXPECT_EQ(read(some).groups, kept.groups);
    EXPECT_THAT(ids(read(CloudView{.groups = {group("b", "1", 5)}})), ElementsAre("b"));
}

TEST_F(CloudReaderTest, ReportsAProblemEachTime) {
    const CloudView stray{.groups = {group("a", "1")}, .machines = {machine("i-1", "ghost")}};
    for (int i = 0; i < 3; ++i) EXPECT_EQ(read(stray).problems.size(), 1u);
}

TEST_F(CloudReaderTest, DescribesAGroupAfterAnError) {
    const CloudView view{.groups = {group("a", "1")}};
    ScriptedCloud::describe_error = Error{ErrorCode::unavailable, "no answer"};
    read(view);
    ScriptedCloud::describe_error.reset();
    EXPECT_THAT(read(view).groups->at(0).described, NotNull());
    take_described();
    read(view);
    EXPECT_THAT(take_described(), IsEmpty());
}

TEST_F(CloudReaderTest, ReturnsTheSameMachineTypesUntilTheyChange) {
    const CloudView view{.groups = {group("a", "1")}};
    const CloudReading::MachineTypes first = read(view).machines;
    ASSERT_EQ(first->size(), 2u);
    EXPECT_EQ(first->at(0).name, "large");
    EXPECT_EQ(read(view).machines, first);
    ScriptedCloud::types = fail(ErrorCode::throttled, "later");
    const CloudReading without = read(view);
    EXPECT_THAT(*without.machines, IsEmpty());
    EXPECT_THAT(problem_messages(without), ElementsAre("plugin aws: machine_types: later"));
    ScriptedCloud::types = MachineTypes{{{.name = "small"}, {.name = "large", .taints = {{"a"}}}}};
    const CloudReading changed = read(view);
    EXPECT_NE(changed.machines, first);
    EXPECT_EQ(changed.machines->at(0).taints.size(), 1u);
    EXPECT_THAT(changed.problems, IsEmpty());
}

}  // namespace
}  // namespace capstan::autoscaler
