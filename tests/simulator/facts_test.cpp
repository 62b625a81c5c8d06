// Facts: what observers learn of each pod, node and machine, and who caused it.
#include "simulator/facts.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_start.hpp"
#include "simulator/node_registrar.hpp"
#include "simulator/observers.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string text_of_fact(const Fact& fact) {
    static const std::vector<std::string> kinds{
        "arrived",       "bound",     "evicted",   "completed", "deleted",        "lost",
        "gone",          "joined",    "ready",     "unready",   "node gone",      "ordered",
        "refused",       "withdrawn", "started",   "failed",    "machine joined", "removal agreed",
        "machine ended", "fault",     "fault ends"};
    static const std::vector<std::string> causes{"autoscaler", "cloud", "controller",
                                                 "scheduler",  "fault", "scenario"};
    const std::string_view subject = !fact.pod.empty()       ? fact.pod
                                     : !fact.machine.empty() ? fact.machine
                                                             : fact.node;
    return std::string(subject) + " " + kinds.at(static_cast<std::size_t>(fact.kind)) + " by " +
           causes.at(static_cast<std::size_t>(fact.cause));
}

/// A simulated cluster with one node, and all facts about it.
struct FactualCluster : Observer {
    bool wants = true;
    std::vector<std::string> facts;
    EventLog event_log{start, *this};
    RunStatistics statistics{start};
    SimulatedCluster simulated{event_log, statistics};

    explicit FactualCluster(bool wants_all = true) : wants(wants_all) {}
    bool wants_facts() const override { return wants; }
    void on_fact(const Fact& fact) override { facts.push_back(text_of_fact(fact)); }
    std::vector<std::string> take() { return std::exchange(facts, {}); }

    void node(const std::string& name) {
        const Resources resources{{"cpu", 4_cpu}, {"memory", 16_GiB}, {"pods", 110}};
        simulated.add_node({.name = name, .capacity = resources, .allocatable = resources}, "web",
                           start);
    }
    void pods(int count, std::optional<Duration> duration = {}) {
        const bool ends = duration.has_value();
        ASSERT_TRUE(
            simulated.apply(PodBatch{.pod = {.name = "web", .spec = {.requests = {{"cpu", 1_cpu}}}},
                                     .count = count,
                                     .controller = ends ? Controller::job : Controller::replica_set,
                                     .duration = duration},
                            start));
        simulated.schedule(start);
    }
};

TEST(Facts, OfAnEvictedPod) {
    FactualCluster t;
    t.node("a");
    t.pods(1);
    EXPECT_THAT(t.take(), ElementsAre("a joined by cloud", "default/web-1 arrived by scenario",
                                      "default/web-1 bound by scheduler"));
    ASSERT_TRUE(
        t.simulated.evict({.ns = "default", .pod = "web-1", .uid = "pod-0", .node = "a"}, start));
    EXPECT_THAT(t.take(),
                ElementsAre("default/web-1 evicted by autoscaler", "default/web-1 gone by scenario",
                            "default/web-2 arrived by controller"));
}

TEST(Facts, OfANodeThatVanishesWithItsPods) {
    FactualCluster t;
    t.node("a");
    t.pods(1);
    t.take();
    t.simulated.remove_node("a", start, Cause::cloud);
    EXPECT_THAT(t.take(),
                ElementsAre("default/web-1 lost by cloud", "default/web-1 gone by scenario",
                            "a node gone by cloud", "default/web-2 arrived by controller"));
}

TEST(Facts, OfAScaleDownAndOfAPodThatCompletes) {
    FactualCluster t;
    t.node("a");
    t.pods(1);
    t.take();
    ASSERT_TRUE(t.simulated.apply(Scale{"web", 0}, start));
    EXPECT_THAT(t.take(),
                ElementsAre("default/web-1 deleted by scenario", "default/web-1 gone by scenario"));
    t.pods(1, 5min);
    t.take();
    t.simulated.reach(start + 5min);
    EXPECT_THAT(t.take(), ElementsAre("default/web-2 completed by scenario",
                                      "default/web-2 gone by scenario"));
}

TEST(Facts, OfReadiness) {
    FactualCluster t;
    t.node("a");
    t.take();
    t.simulated.set_ready("a", false, start);
    t.simulated.set_ready("a", false, start);
    t.simulated.set_ready("a", true, start);
    EXPECT_THAT(t.take(), ElementsAre("a unready by cloud", "a ready by cloud"));
}

TEST(Facts, OfMachines) {
    FactualCluster t;
    NodeRegistrar registrar(t.simulated, t.event_log,
                            {.joins = true,
                             .register_delay = 1s,
                             .ready_delay = 1s,
                             .taints = std::vector<Taint>{},
                             .provider_ids = true,
                             .nodes_stay = false});
    engine::Group group;
    group.group.id = NodeGroupId("web");
    group.described = std::make_shared<const NodeTemplate>();
    group.machines = {
        {.id = MachineId("web/1"), .group = NodeGroupId("web"), .state = MachineState::running}};
    registrar.observe({group}, start);
    EXPECT_THAT(t.take(), ElementsAre("web/1 started by cloud"));
    registrar.reach(start + 1s);
    EXPECT_THAT(t.take(), ElementsAre("web/1 machine joined by cloud", "web-1 joined by cloud"));
    registrar.reach(start + 2s);
    EXPECT_THAT(t.take(), ElementsAre("web-1 ready by cloud"));
    group.machines[0].state = MachineState::failed;
    group.machines[0].error = Error{ErrorCode::unavailable, "on fire"};
    registrar.observe({group}, start + 3s);
    EXPECT_THAT(t.take(), ElementsAre("web/1 failed by cloud", "web/1 machine ended by cloud",
                                      "web-1 node gone by cloud"));
}

TEST(Facts, AreNotMadeIfNobodyWantsThem) {
    FactualCluster t(false);
    t.node("a");
    t.pods(1);
    EXPECT_THAT(t.take(), IsEmpty());
    Observers observers;
    observers.add(t);
    EXPECT_FALSE(observers.wants_facts());
    t.wants = true;
    EXPECT_TRUE(observers.wants_facts());
}

}  // namespace
}  // namespace capstan::simulator
