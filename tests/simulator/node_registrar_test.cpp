#include "simulator/node_registrar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run_start.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The machines of group web become nodes after 10 seconds, which are ready after another 20.
struct NodeRegistrarTest : ::testing::Test, Observer {
    std::vector<std::string> lines;
    EventLog event_log{start, *this};
    RunStatistics statistics{start};
    SimulatedCluster simulated{event_log, statistics};
    NodeRegistrar registrar = make_registrar();
    engine::Group web{
        .group = {.id = NodeGroupId("web")},
        .described = std::make_shared<const NodeTemplate>(NodeTemplate{.labels = {{"pool", "a"}}})};

    NodeRegistrar make_registrar() {
        return NodeRegistrar(simulated, event_log,
                             {.joins = true,
                              .register_delay = 10s,
                              .ready_delay = 20s,
                              .taints = std::vector<Taint>{},
                              .provider_ids = true,
                              .nodes_stay = false});
    }
    void on_event(const Event& event) override {
        lines.push_back(event.text + (event.because.empty() ? "" : ", for " + event.because));
    }
    std::vector<std::string> take() { return std::exchange(lines, {}); }

    Machine& machine(const std::string& id, MachineState state = MachineState::running) {
        web.machines.push_back({.id = MachineId(id), .group = NodeGroupId("web"), .state = state});
        return web.machines.back();
    }
    void observe(Duration at) { registrar.observe({web}, start + at); }
    std::vector<std::string> nodes() const { return simulated.nodes_of("web"); }
    bool is_ready(const std::string& node) const { return simulated.find_node(node)->ready; }
    /// Machine web/1 has a node, which is ready.
    void make_ready_node() {
        machine("web/1");
        observe(0s);
        registrar.reach(start + 10s);
        registrar.reach(start + 30s);
        take();
    }
};

TEST_F(NodeRegistrarTest, AMachineIsANodeAfterOneDelayAndReadyAfterAnother) {
    EXPECT_EQ(registrar.next_due(), std::nullopt);
    machine("web/1");
    observe(0s);
    EXPECT_EQ(registrar.next_due(), start + 10s);
    registrar.reach(start + 9s);
    EXPECT_THAT(nodes(), IsEmpty());
    registrar.reach(start + 10s);
    EXPECT_THAT(nodes(), ElementsAre("web-1"));
    EXPECT_FALSE(is_ready("web-1"));
    EXPECT_EQ(registrar.next_due(), start + 30s);
    registrar.reach(start + 30s);
    EXPECT_TRUE(is_ready("web-1"));
    EXPECT_EQ(registrar.next_due(), std::nullopt);
    EXPECT_THAT(take(), ElementsAre("web: 1 node joins", "web: 1 node is ready"));
}

TEST_F(NodeRegistrarTest, AMachineThatIsSeenTwiceJoinsOnce) {
    machine("web/1");
    machine("web/2");
    for (const Duration at : {0s, 5s, 9s}) observe(at);
    registrar.reach(start + 10s);
    EXPECT_THAT(take(), ElementsAre("web: 2 nodes join"));
    observe(11s);
    EXPECT_EQ(registrar.next_due(), start + 30s) << "when they are ready";
    EXPECT_THAT(nodes(), ElementsAre("web-1", "web-2"));
}

TEST_F(NodeRegistrarTest, AMachineThatEndsBeforeItJoinsIsNoNode) {
    machine("web/1");
    machine("web/2");
    observe(0s);
    web.machines[0].state = MachineState::deleting;
    web.machines.pop_back();
    observe(5s);
    EXPECT_EQ(registrar.next_due(), std::nullopt);
    registrar.reach(start + 1h);
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(NodeRegistrarTest, OnlyRunningMachinesJoin) {
    machine("web/1", MachineState::requested);
    machine("web/2", MachineState::creating);
    observe(0s);
    EXPECT_EQ(registrar.next_due(), std::nullopt);
    web.machines[1].state = MachineState::running;
    observe(30s);
    EXPECT_EQ(registrar.next_due(), start + 40s);
}

TEST_F(NodeRegistrarTest, ARegistrationIsForMachinesThatRunFromNowOn) {
    registrar.set({.group = "web", .joins = false});
    machine("web/1");
    observe(0s);
    registrar.set({.group = "web", .joins = true});
    machine("web/2");
    observe(1s);
    registrar.reach(start + 1h);
    EXPECT_THAT(nodes(), ElementsAre("web-2"));
}

TEST_F(NodeRegistrarTest, ARegistrationOfAllGroupsReplacesThatOfOne) {
    registrar.set({.group = "web", .register_delay = 1s, .ready_delay = 2s});
    registrar.set({.register_delay = 5s});
    machine("web/1");
    observe(0s);
    EXPECT_EQ(registrar.next_due(), start + 5s);
    registrar.reach(start + 5s);
    EXPECT_EQ(registrar.next_due(), start + 7s) << "the other delay is still the group's";
}

TEST_F(NodeRegistrarTest, AGroupWithoutATemplateGetsNoNodes) {
    web.described = nullptr;
    web.undescribed_because = "the cloud has no template";
    machine("web/1");
    observe(0s);
    observe(1s);
    EXPECT_EQ(registrar.next_due(), std::nullopt);
    EXPECT_THAT(take(), ElementsAre("web: machine web/1 runs, but has no node template, for the "
                                    "cloud has no template"));
}

TEST_F(NodeRegistrarTest, FailedMachinesAreReportedOnceByReason) {
    for (const char* const id : {"web/1", "web/2"})
        machine(id, MachineState::failed).error = Error{ErrorCode::out_of_capacity, "no capacity"};
    machine("web/3", MachineState::failed).error = Error{ErrorCode::quota, "quota of 2"};
    observe(0s);
    EXPECT_THAT(take(), ElementsAre("web: 2 machines fail, for no capacity",
                                    "web: 1 machine fails, for quota of 2"));
    observe(1s);
    EXPECT_THAT(take(), IsEmpty());
}

TEST_F(NodeRegistrarTest, ANodeGoesWithItsMachine) {
    make_ready_node();
    web.machines.front().state = MachineState::deleting;
    observe(40s);
    EXPECT_THAT(nodes(), ElementsAre("web-1")) << "the machine still exists";
    web.machines.clear();
    observe(50s);
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(NodeRegistrarTest, ANodeMayStayWithoutItsMachineForAWhile) {
    make_ready_node();
    registrar.set({.group = "web", .nodes_stay = true});
    web.machines.clear();
    observe(40s);
    ASSERT_THAT(nodes(), ElementsAre("web-1"));
    EXPECT_FALSE(is_ready("web-1"));
    observe(50s);
    EXPECT_THAT(nodes(), ElementsAre("web-1"));
    registrar.set({.group = "web", .nodes_stay = false});
    observe(1min);
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(NodeRegistrarTest, AMachineThatIsMissingInListsIsKeptOnRequest) {
    make_ready_node();
    web.machines.clear();
    registrar.keep_missing(true);
    observe(40s);
    EXPECT_TRUE(is_ready("web-1"));
    registrar.keep_missing(false);
    observe(50s);
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(NodeRegistrarTest, AMachineWhoseRemovalIsAgreedIsNotKept) {
    make_ready_node();
    web.machines.clear();
    registrar.keep_missing(true);
    registrar.expect_end(MachineId("web/1"));
    registrar.expect_end(MachineId("web/never-seen"));
    observe(40s);
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(NodeRegistrarTest, MachinesOfAGroupThatIsNoLongerListedStillRun) {
    make_ready_node();
    registrar.observe({}, start + 40s);
    EXPECT_THAT(nodes(), ElementsAre("web-1"));
    registrar.expect_end(MachineId("web/1"));
    registrar.observe({}, start + 50s);
    EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(NodeRegistrarTest, NodesOfTheStartAreAdoptedOrMadeReadyAtOnce) {
    simulated.add_node({.name = "old", .provider_id = "web/1"}, "", start);
    for (const char* const id : {"web/1", "web/2"}) machine(id);
    machine("web/3", MachineState::creating);
    registrar.adopt({web}, start);
    EXPECT_THAT(nodes(), ElementsAre("old", "web-2"));
    EXPECT_TRUE(is_ready("web-2"));
    EXPECT_EQ(registrar.next_due(), std::nullopt);
    web.machines.erase(web.machines.begin());
    observe(10s);
    EXPECT_THAT(nodes(), ElementsAre("web-2")) << "the adopted node went with its machine";
}

TEST_F(NodeRegistrarTest, ANodeGetsAndLosesItsLateTraitsAfterItIsReady) {
    registrar.set({.taints = std::vector<Taint>{{.key = "init", .value = ""}},
                   .missing_labels = std::vector<std::string>{"gone"},
                   .late_labels = std::vector<std::string>{"pool"},
                   .late_taints = std::vector<std::string>{"init"},
                   .late_by = 60s});
    make_ready_node();
    const auto has_label = [&] { return simulated.find_node("web-1")->labels.contains("pool"); };
    EXPECT_FALSE(has_label());
    EXPECT_THAT(simulated.taints().at("web-1"), ElementsAre("init"));
    EXPECT_EQ(registrar.next_due(), start + 90s);
    registrar.reach(start + 90s);
    EXPECT_TRUE(has_label());
    EXPECT_THAT(simulated.taints().at("web-1"), IsEmpty());
    EXPECT_EQ(registrar.next_due(), std::nullopt);
}

TEST_F(NodeRegistrarTest, ACloudIsAwaitedWhileItStartsOrDeletesMachines) {
    const auto is_awaited = [&] {
        observe(0s);
        return registrar.is_awaiting();
    };
    EXPECT_FALSE(is_awaited()) << "no machines and no target";
    web.group.target = 1;
    EXPECT_TRUE(is_awaited());
    machine("web/1", MachineState::creating);
    EXPECT_TRUE(is_awaited());
    web.machines.front().state = MachineState::running;
    EXPECT_FALSE(is_awaited());
    web.group.target = 0;
    web.machines.front().state = MachineState::deleting;
    EXPECT_TRUE(is_awaited());
    web.machines.front().state = MachineState::failed;
    EXPECT_FALSE(is_awaited());
}

TEST_F(NodeRegistrarTest, EqualStatesHaveEqualHashesAtAnyTime) {
    const std::uint64_t empty = registrar.state_hash(start);
    machine("web/1");
    observe(0s);
    const std::uint64_t first = registrar.state_hash(start);
    EXPECT_NE(first, empty);
    EXPECT_NE(registrar.state_hash(start + 1s), first) << "less time is left";
    NodeRegistrar later = make_registrar();
    later.observe({web}, start + 7min);
    EXPECT_EQ(later.state_hash(start + 7min), first);
}

}  // namespace
}  // namespace capstan::simulator
