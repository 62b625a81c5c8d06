// What plugins see of the simulated cluster's pods and workloads, and how they scale workloads.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "run_start.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {
namespace {

/// A cluster with one node, whose changes are tracked.
struct TrackedCluster : Observer {
    EventLog event_log{start, *this};
    RunStatistics statistics{start};
    SimulatedCluster simulated{event_log, statistics};

    TrackedCluster() {
        const Resources resources{{"cpu", 4_cpu}, {"memory", 16_GiB}, {"pods", 110}};
        simulated.add_node(
            {.name = "n", .capacity = resources, .allocatable = resources, .ready = true}, "group",
            start);
        simulated.track_changes();
    }
    void add(const std::string& name, int count, Controller controller) {
        const PodBatch batch{
            .pod = {.ns = "shop", .name = name, .spec = {.requests = {{"cpu", 1_cpu}}}},
            .count = count,
            .controller = controller};
        EXPECT_TRUE(simulated.apply(batch, start));
    }
    /// "shop/Deployment/web: 3 of 3, 3 ready"
    std::vector<std::string> workloads() {
        std::vector<std::string> out;
        for (const WorkloadState& w : simulated.take_changed_workloads())
            out.push_back(w.id + (w.is_there ? ": " + std::to_string(w.present) + " of " +
                                                   std::to_string(w.wanted) + ", " +
                                                   std::to_string(w.ready) + " ready"
                                             : ": gone"));
        return out;
    }
    std::vector<std::string> pods() {
        std::vector<std::string> out;
        for (const PodState& pod : simulated.take_changed_pods())
            out.push_back(pod.object.name + (!pod.is_there                  ? " gone"
                                             : pod.object.node_name.empty() ? " pending"
                                             : pod.is_ready                 ? " ready"
                                                                            : " bound"));
        return out;
    }
};

using States = std::vector<std::string>;

TEST(SimulatedClusterWorkloads, ShowsWhatHasChanged) {
    TrackedCluster t;
    t.add("web", 2, Controller::replica_set);
    t.add("job", 1, Controller::job);
    t.simulated.schedule(start);
    EXPECT_EQ(t.workloads(), States{"shop/Deployment/web: 2 of 2, 2 ready"});
    EXPECT_EQ(t.pods(), (States{"web-1 ready", "web-2 ready", "job-1 ready"}));
    EXPECT_EQ(t.workloads(), States{});
    EXPECT_EQ(t.pods(), States{});
}

TEST(SimulatedClusterWorkloads, AreScaledByTheirIds) {
    TrackedCluster t;
    t.add("web", 1, Controller::replica_set);
    t.simulated.schedule(start);
    t.workloads();
    t.pods();
    ASSERT_TRUE(t.simulated.scale_workload("shop/Deployment/web", 5, start));
    t.simulated.schedule(start);
    EXPECT_EQ(t.workloads(), States{"shop/Deployment/web: 5 of 5, 4 ready"});
    EXPECT_EQ(t.pods(), (States{"web-2 ready", "web-3 ready", "web-4 ready", "web-5 pending"}));
    ASSERT_TRUE(t.simulated.scale_workload("shop/Deployment/web", 3, start));
    EXPECT_EQ(t.workloads(), States{"shop/Deployment/web: 3 of 3, 3 ready"});
    EXPECT_EQ(t.pods(), (States{"web-4 gone", "web-5 gone"}));
    EXPECT_FALSE(t.simulated.scale_workload("shop/Deployment/other", 3, start));
}

TEST(SimulatedClusterWorkloads, VanishWithTheirPods) {
    TrackedCluster t;
    t.add("web", 1, Controller::stateful_set);
    t.workloads();
    ASSERT_TRUE(t.simulated.apply(Remove{"shop/web"}, start));
    EXPECT_EQ(t.workloads(), States{"shop/StatefulSet/web: gone"});
    EXPECT_FALSE(t.simulated.scale_workload("shop/StatefulSet/web", 3, start));
}

/// Two ReplicaSets of one Deployment, as during an update.
TEST(SimulatedClusterWorkloads, ShrinkTheSmallerReplicaSetOfADeploymentFirst) {
    TrackedCluster t;
    Objects objects;
    const auto pod = [&](const std::string& set, const std::string& name, const char* cpu) {
        objects.pods.push_back(
            {.ns = "shop",
             .name = name,
             .spec = {.requests = {{"cpu", parse_cpu(cpu).value()}}},
             .owner = {.kind = "ReplicaSet", .api_group = "apps", .name = set, .uid = set}});
        objects.scaled["shop/ReplicaSet/" + set] = {"shop/Deployment/web", 3};
    };
    pod("web-old", "web-old-1", "1");
    pod("web-new", "web-new-1", "500m");
    pod("web-new", "web-new-2", "500m");
    t.simulated.fill(objects, start);
    EXPECT_EQ(t.workloads(), States{"shop/Deployment/web: 3 of 3, 0 ready"});
    t.pods();
    ASSERT_TRUE(t.simulated.scale_workload("shop/Deployment/web", 1, start));
    EXPECT_EQ(t.pods(), (States{"web-new-2 gone", "web-old-1 gone"}));
    ASSERT_TRUE(t.simulated.scale_workload("shop/Deployment/web", 2, start));
    EXPECT_EQ(t.workloads(), States{"shop/Deployment/web: 2 of 2, 0 ready"});
}

}  // namespace
}  // namespace capstan::simulator
