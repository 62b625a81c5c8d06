#include "engine/health/requests.hpp"

#include <gmock/gmock.h>

#include <string>

#include "../test_cluster.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/health.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/health/repairs.hpp"

namespace capstan::engine::health {
namespace {

const NodeGroupId web_group("web");

class Requests : public ::testing::Test {
protected:
    void pass_at(Time now) {
        const Snapshot snapshot = test_cluster.snapshot();
        const templates::Membership membership = templates::make_membership(snapshot);
        memory = remember(std::move(memory), snapshot, membership, settings, now);
        health = assess(snapshot, membership, memory, settings, now);
        repairs = plan_repairs({snapshot, membership, memory, settings, now}, health);
    }
    void increased(int by, Time now, std::optional<Error> error = {}) {
        const Decision decision{.increases = {{.group = web_group, .by = by}}};
        Results results;
        results.increases = {std::move(error)};
        memory = remember_sizes(std::move(memory), decision, results, settings, now);
    }
    void decreased(Time now, std::optional<Error> error = {}) {
        const Decision decision{.decreases = repairs.decreases};
        Results results;
        results.decreases = {std::move(error)};
        memory = remember_sizes(std::move(memory), decision, results, settings, now);
        memory = remember_refused_removals(std::move(memory), decision, results, settings, now);
    }
    int requested() const {
        const auto at = memory.requests.find(web_group);
        return at == memory.requests.end() ? 0 : at->second.increase;
    }
    bool is_backed_off(Time now) const { return find_backoff(memory, web_group, now) != nullptr; }

    TestCluster test_cluster;
    Settings settings;
    Memory memory;
    Health health;
    Repairs repairs;
};

TEST_F(Requests, StartWithAcceptedIncreases) {
    increased(2, noon);
    EXPECT_EQ(memory.requests.at(web_group),
              (ScaleUpRequest{.since = noon, .deadline = noon + 15min, .increase = 2}));
    EXPECT_EQ(memory.last.scale_up, noon);
    increased(3, noon + 5min);
    EXPECT_EQ(memory.requests.at(web_group),
              (ScaleUpRequest{.since = noon + 5min, .deadline = noon + 20min, .increase = 5}));
    increased(1, noon + 6min, Error{.code = ErrorCode::quota, .message = "no"});
    EXPECT_EQ(requested(), 5);
    EXPECT_EQ(memory.last_by_group.at(web_group).scale_up, noon + 5min);
}

TEST_F(Requests, CoverTheGrantedPartAndBackTheGroupOffForTheRest) {
    const Decision decision{.increases = {{.group = web_group, .from = 3, .by = 5}}};
    Results results;
    results.increases = {std::nullopt};
    results.answered_targets = {5};
    results.shortfalls = {Error{.code = ErrorCode::out_of_capacity, .message = "2 are left"}};
    memory = remember_sizes(std::move(memory), decision, results, settings, noon);
    EXPECT_EQ(requested(), 2);
    ASSERT_TRUE(is_backed_off(noon + 1min));
    EXPECT_EQ(find_backoff(memory, web_group, noon + 1min)->because, "2 are left");
}

TEST_F(Requests, EndABackoffWhenTheCloudAcceptsAnIncrease) {
    settings.backoff = BackoffPolicy::until_joined;
    const Error refused{.code = ErrorCode::invalid_config, .message = "no such launch template"};
    increased(1, noon, refused);
    ASSERT_TRUE(is_backed_off(noon + 1min));
    increased(1, noon + 6min);
    EXPECT_TRUE(memory.backoffs.empty());
}

TEST_F(Requests, DelayRemovalsOnlyOnceTheirMachinesComeIfTheGroupHasFailedBefore) {
    memory.failed_calls[NodeGroupId("web")] = {.count = 1, .last = noon};
    Memory asked = memory;
    expect_request(asked, {.group = NodeGroupId("web"), .by = 1}, settings, noon);
    EXPECT_EQ(asked.last.scale_up, std::nullopt);
    EXPECT_EQ(asked.last_by_group.at(NodeGroupId("web")).scale_up, noon);
    memory.failed_calls.clear();
    expect_request(memory, {.group = NodeGroupId("web"), .by = 1}, settings, noon);
    EXPECT_EQ(memory.last.scale_up, noon);
}

TEST_F(Requests, AreNotStartedByADryRun) {
    const Decision decision{.increases = {{.group = web_group, .by = 2}}};
    EXPECT_EQ(remember_sizes({}, decision, {}, settings, noon), Memory());
}

TEST_F(Requests, UseTheNodeProvisionTimeOfTheGroup) {
    test_cluster.group("web", 2).options.max_node_provision_time = 1h;
    increased(2, noon);
    pass_at(noon + 10s);
    EXPECT_EQ(memory.requests.at(web_group).deadline, noon + 1h);
    EXPECT_EQ(health.wake_at, noon + 1h + 1ns);
}

TEST_F(Requests, TimeOutAfterTheirDeadline) {
    test_cluster.group("web", 2);
    increased(2, noon);
    pass_at(noon + 15min);
    EXPECT_EQ(requested(), 2);
    EXPECT_FALSE(is_backed_off(noon + 15min));
    EXPECT_EQ(health.groups.at(0).upcoming.missing, 2);
    pass_at(noon + 15min + 1ns);
    EXPECT_EQ(requested(), 0);
    EXPECT_EQ(memory.backoffs.at(web_group).code, ErrorCode::deadline);
    EXPECT_EQ(memory.backoffs.at(web_group).because,
              "2 machines of a target of 2 did not join and start within 15m");
    EXPECT_EQ(health.groups.at(0).upcoming.missing, 0);
}

TEST_F(Requests, DoNotTimeOutWhileTheClusterIsUnobserved) {
    test_cluster.group("web", 2);
    increased(2, noon);
    memory.unobserved_since = noon + 14min;
    pass_at(noon + 16min);
    EXPECT_EQ(requested(), 2);
    EXPECT_FALSE(is_backed_off(noon + 16min));
    EXPECT_EQ(health.groups.at(0).upcoming.missing, 2);
    memory.unobserved_since.reset();
    pass_at(noon + 17min);
    EXPECT_EQ(requested(), 0);
    EXPECT_TRUE(is_backed_off(noon + 17min));
}

TEST_F(Requests, AreCancelledWhenTheyTimeOut) {
    test_cluster.group("web", 4);
    test_cluster.node("i-1", "web");
    test_cluster.machine("web", "i-2", MachineState::creating);
    increased(3, noon);
    pass_at(noon + 16min);
    ASSERT_EQ(repairs.decreases.size(), 1U);
    // The machine that is being created cannot be cancelled.
    EXPECT_EQ(repairs.decreases[0],
              (Decrease{.group = web_group,
                        .cloud = PluginInstanceId("cloud"),
                        .from = 4,
                        .by = 2,
                        .because = "3 machines of a target of 4 did not join and start within "
                                   "15m"}));
    decreased(noon + 16min);
    pass_at(noon + 17min);
    EXPECT_TRUE(repairs.decreases.empty()) << "the list may lag";
}

TEST_F(Requests, KeepOneMachineRequestedWhenTheyTimeOut) {
    settings.backoff = BackoffPolicy::until_joined;
    test_cluster.group("web", 5);
    test_cluster.node("i-1", "web");
    test_cluster.machine("web", "i-2", MachineState::requested);
    increased(4, noon);
    pass_at(noon + 15min);
    EXPECT_TRUE(repairs.decreases.empty());
    pass_at(noon + 15min + 1ns);
    const Decrease three{.group = web_group,
                         .cloud = PluginInstanceId("cloud"),
                         .from = 5,
                         .by = 3,
                         .because =
                             "4 machines of a target of 5 did not join and start within "
                             "15m; one request is kept"};
    EXPECT_EQ(repairs.decreases, std::vector{three});
    decreased(noon + 16min, Error{.code = ErrorCode::conflict, .message = "busy"});
    pass_at(noon + 16min + 10s);
    EXPECT_TRUE(repairs.decreases.empty());
    pass_at(noon + 17min);
    EXPECT_EQ(repairs.decreases, std::vector{three});
    decreased(noon + 17min);
    pass_at(noon + 18min);
    EXPECT_TRUE(repairs.decreases.empty()) << "the list may lag";
}

TEST_F(Requests, DoNotCancelRequestsOfOtherClients) {
    test_cluster.group("web", 5);
    increased(2, noon);
    pass_at(noon + 16min);
    ASSERT_EQ(repairs.decreases.size(), 1U);
    EXPECT_EQ(repairs.decreases[0].by, 2);
}

TEST_F(Requests, EndWhenNodesHaveStarted) {
    test_cluster.group("web", 1);
    increased(1, noon - 1min);
    snapshot::NodeObject& node = test_cluster.node("i-1", "web");
    node.created = noon;
    node.ready = false;
    pass_at(noon + 1min);
    EXPECT_EQ(requested(), 1);
    node.ready = true;
    pass_at(noon + 2min);
    EXPECT_EQ(requested(), 0);
}

TEST_F(Requests, AreInferredFromTheTargetOfTheCloud) {
    Group& group = test_cluster.group("web", 3);
    test_cluster.node("i-1", "web");
    test_cluster.machine("web", "i-2", MachineState::creating);
    pass_at(noon);
    EXPECT_EQ(memory.requests.at(web_group),
              (ScaleUpRequest{.since = noon, .deadline = noon + 15min, .increase = 2}));
    pass_at(noon + 5min);
    EXPECT_EQ(memory.requests.at(web_group).deadline, noon + 15min);
    group.group.target = 1;
    test_cluster.node("i-2");  // the machine being created has joined
    pass_at(noon + 6min);
    EXPECT_EQ(requested(), 0);
}

TEST_F(Requests, AreNotInferredForMachinesWhoseNodesWereDeleted) {
    test_cluster.group("web", 2);
    test_cluster.node("i-1", "web");
    test_cluster.node("i-2", "web");
    const Snapshot before = test_cluster.snapshot();
    pass_at(noon);
    memory = remember_known_groups(std::move(memory), before, templates::make_membership(before));
    test_cluster.delete_node("i-2");
    for (const Duration later : {1min, 17min}) {
        pass_at(noon + later);
        EXPECT_EQ(requested(), 0);
        EXPECT_FALSE(is_backed_off(noon + later));
        EXPECT_EQ(memory.lost_nodes.at(web_group), std::set{MachineId("i-2")});
    }
    test_cluster.node("i-2");
    pass_at(noon + 18min);
    EXPECT_TRUE(memory.lost_nodes.empty());
}

TEST_F(Requests, AreForNewMachinesIfNodesHaveVanishedWithTheirMachines) {
    test_cluster.group("web", 2);
    test_cluster.node("i-1", "web");
    test_cluster.node("i-2", "web");
    const Snapshot before = test_cluster.snapshot();
    pass_at(noon);
    memory = remember_known_groups(std::move(memory), before, templates::make_membership(before));
    increased(1, noon);
    test_cluster.drop_node("i-2", "web");
    test_cluster.machine("web", "i-3", MachineState::creating);
    pass_at(noon + 1min);
    EXPECT_EQ(requested(), 1);
    EXPECT_TRUE(memory.lost_nodes.empty());
}

TEST_F(Requests, AreNotInferredWithoutATarget) {
    test_cluster.group("web");
    test_cluster.machine("web", "i-1");
    pass_at(noon);
    EXPECT_TRUE(memory.requests.empty());
    EXPECT_EQ(memory.unjoined.at(web_group).size(), 1U);
}

TEST_F(Requests, TimeABoundedNumberOfMachines) {
    test_cluster.group("web");
    for (std::size_t i = 0; i < unjoined_max; ++i)
        test_cluster.machine("web", "late-" + std::to_string(i));
    pass_at(noon);
    for (int i = 0; i < 2; ++i) test_cluster.machine("web", "early-" + std::to_string(i));
    pass_at(noon + 1min);
    const auto& timed = memory.unjoined.at(web_group);
    EXPECT_EQ(timed.size(), unjoined_max) << "those that were seen first";
    EXPECT_FALSE(timed.contains(MachineId("early-0")));
    test_cluster.node("late-7");  // it has joined
    pass_at(noon + 2min);
    pass_at(noon + 3min);
    EXPECT_EQ(memory.unjoined.at(web_group).size(), unjoined_max);
    EXPECT_EQ(memory.unjoined.at(web_group).at(MachineId("early-0")), noon + 3min);
}

TEST_F(Requests, ShrinkWithDecreasesAndRemovals) {
    increased(5, noon);
    const Decision decision{
        .decreases = {{.group = web_group, .by = 2}, {.group = web_group, .by = 1}},
        .removals = {{.group = web_group,
                      .machines = {MachineId("a"), MachineId("b"), MachineId("c")},
                      .nodes = {"", "", "node"}}}};
    Results results;
    results.decreases = {std::nullopt, Error{.code = ErrorCode::unavailable, .message = "no"}};
    results.removals = {{Error{.code = ErrorCode::not_found, .message = "", .subject = "b"}}};
    memory = remember_sizes(std::move(memory), decision, results, settings, noon);
    EXPECT_EQ(requested(), 2);
}

TEST_F(Requests, TimeOutForTheOldestMachineEvenIfTheyKeepGrowing) {
    Group& group = test_cluster.group("web", 1);
    test_cluster.machine("web", "i-1", MachineState::requested);
    increased(1, noon);
    pass_at(noon);
    for (int minutes = 5; minutes <= 15; minutes += 5) {
        group.group.target = *group.group.target + 1;
        test_cluster.machine("web", "i-more-" + std::to_string(minutes), MachineState::requested);
        increased(1, noon + std::chrono::minutes(minutes));
        pass_at(noon + std::chrono::minutes(minutes));
        EXPECT_FALSE(is_backed_off(noon + std::chrono::minutes(minutes)));
    }
    pass_at(noon + 15min + 1ns);
    EXPECT_TRUE(is_backed_off(noon + 15min + 1ns));
    EXPECT_EQ(memory.backoffs.at(web_group).because, "machine i-1: did not join within 15m");
    ASSERT_EQ(repairs.decreases.size(), 1U);
    EXPECT_EQ(repairs.decreases[0].by, 1);
}

TEST_F(Requests, AreForgottenWithTheirGroup) {
    increased(2, noon);
    pass_at(noon + 1s);
    EXPECT_TRUE(memory.requests.empty());
}

TEST_F(Requests, DoNotWaitForMachinesThatTimedOutBefore) {
    test_cluster.group("web", 2).group.min = 2;
    test_cluster.machine("web", "dead");
    pass_at(noon - 1h);
    pass_at(noon - 30min);
    memory.backoffs.clear();
    increased(1, noon);
    test_cluster.machine("web", "i-2");
    pass_at(noon + 1min);
    EXPECT_EQ(requested(), 1);
    EXPECT_FALSE(is_backed_off(noon + 1min));
    test_cluster.node("i-2");
    pass_at(noon + 2min);
    EXPECT_EQ(requested(), 0);
    EXPECT_EQ(health.groups.at(0).long_unjoined, 1);
    EXPECT_EQ(health.groups.at(0).upcoming.missing, 0);
}

}  // namespace
}  // namespace capstan::engine::health
