// Requests of an autoscaler to the simulated cluster, and the reactions of controllers.
#include <gtest/gtest.h>

#include "run_start.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;

struct ClusterWithRequests : Observer {
    EventLog event_log{start, *this};
    RunStatistics statistics{start};
    SimulatedCluster simulated{event_log, statistics};

    void node(const std::string& name, MilliCpu cpu = 4_cpu) {
        const Resources resources{{"cpu", cpu}, {"memory", 16_GiB}, {"pods", 110}};
        simulated.add_node({.name = name, .capacity = resources, .allocatable = resources}, "group",
                           start);
    }
    /// Names of all bound pods: "web-1", or "web-1 terminating".
    std::set<std::string> pods() {
        const engine::snapshot::Cluster cluster = simulated.cluster();
        std::set<std::string> out;
        for (engine::NodeIndex n = 0; n < cluster.node_count(); ++n) {
            for (const engine::PodIndex pod : cluster.pods_on(n)) {
                const engine::snapshot::PodRow row = cluster.pod(pod);
                out.insert(std::string(cluster.text(row.name)) +
                           (row.deleted ? " terminating" : ""));
            }
        }
        return out;
    }
    engine::Eviction eviction(const std::string& name) {
        const engine::snapshot::Cluster cluster = simulated.cluster();
        for (engine::NodeIndex n = 0; n < cluster.node_count(); ++n) {
            for (const engine::PodIndex pod : cluster.pods_on(n)) {
                const engine::snapshot::PodRow row = cluster.pod(pod);
                if (cluster.text(row.name) == name)
                    return {
                        .ns = "default", .pod = name, .uid = std::string(cluster.text(row.uid))};
            }
        }
        return {.ns = "default", .pod = name};
    }
};

PodBatch controlled_batch(Controller controller, int count) {
    return {.pod = {.name = "web",
                    .spec = {.requests = {{"cpu", 1_cpu}}, .priority = 0},
                    .labels = {{"app", "web"}}},
            .count = count,
            .controller = controller};
}

using Pods = std::set<std::string>;

TEST(SimulatedClusterRequests, ReplaceAnEvictedPodWhileItTerminates) {
    ClusterWithRequests t;
    t.node("a");
    PodBatch web = controlled_batch(Controller::replica_set, 1);
    web.stop_time = 20s;
    ASSERT_TRUE(t.simulated.apply(web, start));
    t.simulated.schedule(start);
    ASSERT_TRUE(t.simulated.evict(t.eviction("web-1"), start));
    t.simulated.schedule(start);
    EXPECT_EQ(t.pods(), (Pods{"web-1 terminating", "web-2"}));
    EXPECT_EQ(t.simulated.next_due(), start + 20s);
    t.simulated.reach(start + 20s);
    EXPECT_EQ(t.pods(), Pods{"web-2"});
}

TEST(SimulatedClusterRequests, LimitTerminationToTheGracePeriod) {
    ClusterWithRequests t;
    t.node("a");
    PodBatch web = controlled_batch(Controller::none, 1);
    web.stop_time = 1h;
    ASSERT_TRUE(t.simulated.apply(web, start));
    t.simulated.schedule(start);
    engine::Eviction eviction = t.eviction("web-1");
    eviction.grace = 5s;
    ASSERT_TRUE(t.simulated.evict(eviction, start));
    EXPECT_EQ(t.simulated.next_due(), start + 5s);
}

TEST(SimulatedClusterRequests, RejectAnEvictionWithAnotherUid) {
    ClusterWithRequests t;
    t.node("a");
    ASSERT_TRUE(t.simulated.apply(controlled_batch(Controller::none, 1), start));
    t.simulated.schedule(start);
    engine::Eviction eviction = t.eviction("web-1");
    eviction.uid = "another";
    EXPECT_EQ(t.simulated.evict(eviction, start).error().code, ErrorCode::not_found);
    EXPECT_EQ(t.pods(), Pods{"web-1"});
}

TEST(SimulatedClusterRequests, RejectEvictionsUntilTheReplacementIsReady) {
    ClusterWithRequests t;
    t.node("a");
    PodBatch web = controlled_batch(Controller::replica_set, 2);
    web.start_up = 30s;
    ASSERT_TRUE(t.simulated.apply(web, start));
    ASSERT_TRUE(t.simulated.apply(
        Budget{.name = "b", .selector = {.match_labels = {{"app", "web"}}}, .max_unavailable = 1},
        start));
    t.simulated.schedule(start);
    t.simulated.reach(start + 30s);
    ASSERT_TRUE(t.simulated.evict(t.eviction("web-1"), start + 30s));
    t.simulated.schedule(start + 30s);
    EXPECT_EQ(t.simulated.evict(t.eviction("web-2"), start + 30s).error().code,
              ErrorCode::throttled);
    t.simulated.reach(start + 60s);
    EXPECT_TRUE(t.simulated.evict(t.eviction("web-2"), start + 60s));
}

TEST(SimulatedClusterRequests, CreateStatefulSetPodsInOrderWithTheSameNames) {
    ClusterWithRequests t;
    t.node("a");
    PodBatch web = controlled_batch(Controller::stateful_set, 3);
    web.start_up = 10s;
    ASSERT_TRUE(t.simulated.apply(web, start));
    for (const Duration at : {0s, 10s, 20s, 30s}) {
        t.simulated.reach(start + at);
        t.simulated.schedule(start + at);
    }
    EXPECT_EQ(t.pods(), (Pods{"web-0", "web-1", "web-2"}));
    ASSERT_TRUE(t.simulated.evict(t.eviction("web-1"), start + 30s));
    t.simulated.schedule(start + 30s);
    EXPECT_EQ(t.pods(), (Pods{"web-0", "web-1", "web-2"})) << "the replacement has the same name";
}

TEST(SimulatedClusterRequests, RestartTheRunTimeOfAnEvictedJobPod) {
    ClusterWithRequests t;
    t.node("a");
    PodBatch job = controlled_batch(Controller::job, 1);
    job.duration = 10min;
    ASSERT_TRUE(t.simulated.apply(job, start));
    t.simulated.schedule(start);
    ASSERT_TRUE(t.simulated.evict(t.eviction("web-1"), start + 5min));
    t.simulated.schedule(start + 5min);
    EXPECT_EQ(t.pods(), Pods{"web-2"});
    t.simulated.reach(start + 15min);
    t.simulated.schedule(start + 15min);
    EXPECT_EQ(t.pods(), Pods{}) << "completed";
    EXPECT_EQ(t.simulated.pending(), 0);
}

TEST(SimulatedClusterRequests, ChangeTaintsAndSchedulabilityOfANode) {
    ClusterWithRequests t;
    t.node("a");
    ASSERT_TRUE(t.simulated.change({.node = "a",
                                    .set_taints = {{.key = "x", .effect = Effect::no_schedule}},
                                    .unschedulable = true,
                                    .annotations = {{"capstan.io/cordoned", "true"}}},
                                   start));
    ASSERT_TRUE(t.simulated.apply(controlled_batch(Controller::none, 1), start));
    t.simulated.schedule(start);
    EXPECT_EQ(t.simulated.pending(), 1);
    ASSERT_TRUE(
        t.simulated.change({.node = "a", .drop_taints = {"x"}, .unschedulable = false}, start));
    t.simulated.schedule(start);
    EXPECT_EQ(t.simulated.pending(), 0);
    EXPECT_EQ(t.simulated.change({.node = "b"}, start).error().code, ErrorCode::not_found);
}

TEST(SimulatedClusterRequests, IgnoreExpendablePodsInARecheck) {
    ClusterWithRequests t;
    t.node("a");
    PodBatch web = controlled_batch(Controller::none, 1);
    web.pod.spec.priority = -11;
    ASSERT_TRUE(t.simulated.apply(web, start));
    t.simulated.schedule(start);
    EXPECT_TRUE(t.simulated.recheck({.node = "a", .expendable_below = -10}));
    EXPECT_EQ(t.simulated.recheck({.node = "a", .expendable_below = -11}).error().code,
              ErrorCode::conflict);
    EXPECT_FALSE(t.simulated.recheck({.node = "a"}));
}

TEST(SimulatedClusterRequests, CountPodsThatNeverPreemptInARecheck) {
    ClusterWithRequests t;
    t.node("a");
    PodBatch web = controlled_batch(Controller::none, 1);
    web.pod.spec.priority = -11;
    web.pod.spec.never_preempts = true;
    ASSERT_TRUE(t.simulated.apply(web, start));
    t.simulated.schedule(start);
    EXPECT_EQ(t.simulated.recheck({.node = "a", .expendable_below = -10}).error().code,
              ErrorCode::conflict);
}

TEST(SimulatedClusterRequests, BindPodsWithoutAScheduler) {
    ClusterWithRequests t;
    SimulatedCluster simulated(t.event_log, t.statistics, {}, false);
    const Resources resources{{"cpu", 4_cpu}, {"pods", 110}};
    simulated.add_node({.name = "a", .capacity = resources, .allocatable = resources}, "", start);
    ASSERT_TRUE(simulated.apply(controlled_batch(Controller::none, 1), start));
    simulated.schedule(start);
    EXPECT_EQ(simulated.pending(), 1);
    ASSERT_TRUE(simulated.apply(Bind{"web-1", "a"}, start + 1min));
    EXPECT_EQ(simulated.pending(), 0);
    EXPECT_EQ(simulated.take_longest_wait(start + 2min), 1min);
    EXPECT_EQ(simulated.apply(Bind{"web-1", "a"}, start).error().code, ErrorCode::conflict);
    EXPECT_EQ(simulated.apply(Bind{"web-2", "a"}, start).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace capstan::simulator
