// What an autoscaler asks of the simulated cluster, and the controllers that answer to it.
#include <gtest/gtest.h>

#include "simulation/simulated_cluster.hpp"
#include "story_start.hpp"

namespace capstan::simulation {
namespace {

using namespace std::chrono_literals;

struct AskedWorld : Observer {
    EventLog story{start, *this};
    RunStatistics statistics{start};
    SimulatedCluster world{story, statistics};

    void node(const std::string& name, MilliCpu cpu = 4_cpu) {
        const Resources resources{{"cpu", cpu}, {"memory", 16_GiB}, {"pods", 110}};
        world.add_node({.name = name, .capacity = resources, .allocatable = resources}, "group",
                       start);
    }
    /// Names of all pods with a node, "web-1", and those on their way out "web-1 ends".
    std::set<std::string> pods() {
        const engine::snapshot::Cluster cluster = world.cluster();
        std::set<std::string> out;
        for (engine::snapshot::NodeIndex n = 0; n < cluster.node_count(); ++n) {
            for (const engine::snapshot::PodIndex pod : cluster.pods_on(n)) {
                const engine::snapshot::PodRow row = cluster.pod(pod);
                out.insert(std::string(cluster.text(row.name)) + (row.deleted ? " ends" : ""));
            }
        }
        return out;
    }
    engine::Eviction eviction(const std::string& name) {
        const engine::snapshot::Cluster cluster = world.cluster();
        for (engine::snapshot::NodeIndex n = 0; n < cluster.node_count(); ++n) {
            for (const engine::snapshot::PodIndex pod : cluster.pods_on(n)) {
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

TEST(WorldRequests, AnEvictedPodTakesItsTimeAndIsReplacedAtOnce) {
    AskedWorld t;
    t.node("a");
    PodBatch web = controlled_batch(Controller::replica_set, 1);
    web.stop_time = 20s;
    ASSERT_TRUE(t.world.apply(web, start));
    t.world.schedule(start);
    ASSERT_TRUE(t.world.evict(t.eviction("web-1"), start));
    t.world.schedule(start);
    EXPECT_EQ(t.pods(), (Pods{"web-1 ends", "web-2"}));
    EXPECT_EQ(t.world.next_due(), start + 20s);
    t.world.reach(start + 20s);
    EXPECT_EQ(t.pods(), Pods{"web-2"});
}

TEST(WorldRequests, GraceIsTheLongestItMayTake) {
    AskedWorld t;
    t.node("a");
    PodBatch web = controlled_batch(Controller::none, 1);
    web.stop_time = 1h;
    ASSERT_TRUE(t.world.apply(web, start));
    t.world.schedule(start);
    engine::Eviction eviction = t.eviction("web-1");
    eviction.grace = 5s;
    ASSERT_TRUE(t.world.evict(eviction, start));
    EXPECT_EQ(t.world.next_due(), start + 5s);
}

TEST(WorldRequests, APodOfAnotherUidIsLeftAlone) {
    AskedWorld t;
    t.node("a");
    ASSERT_TRUE(t.world.apply(controlled_batch(Controller::none, 1), start));
    t.world.schedule(start);
    engine::Eviction eviction = t.eviction("web-1");
    eviction.uid = "another";
    EXPECT_EQ(t.world.evict(eviction, start).error().code, ErrorCode::not_found);
    EXPECT_EQ(t.pods(), Pods{"web-1"});
}

TEST(WorldRequests, ABudgetWaitsUntilTheReplacementIsReady) {
    AskedWorld t;
    t.node("a");
    PodBatch web = controlled_batch(Controller::replica_set, 2);
    web.start_up = 30s;
    ASSERT_TRUE(t.world.apply(web, start));
    ASSERT_TRUE(t.world.apply(
        Budget{.name = "b", .selector = {.match_labels = {{"app", "web"}}}, .max_unavailable = 1},
        start));
    t.world.schedule(start);
    t.world.reach(start + 30s);
    ASSERT_TRUE(t.world.evict(t.eviction("web-1"), start + 30s));
    t.world.schedule(start + 30s);
    EXPECT_EQ(t.world.evict(t.eviction("web-2"), start + 30s).error().code, ErrorCode::throttled);
    t.world.reach(start + 60s);
    EXPECT_TRUE(t.world.evict(t.eviction("web-2"), start + 60s));
}

TEST(WorldRequests, AStatefulSetComesOneAfterTheOtherUnderItsNames) {
    AskedWorld t;
    t.node("a");
    PodBatch web = controlled_batch(Controller::stateful_set, 3);
    web.start_up = 10s;
    ASSERT_TRUE(t.world.apply(web, start));
    for (const Duration at : {0s, 10s, 20s, 30s}) {
        t.world.reach(start + at);
        t.world.schedule(start + at);
    }
    EXPECT_EQ(t.pods(), (Pods{"web-0", "web-1", "web-2"}));
    ASSERT_TRUE(t.world.evict(t.eviction("web-1"), start + 30s));
    t.world.schedule(start + 30s);
    EXPECT_EQ(t.pods(), (Pods{"web-0", "web-1", "web-2"})) << "the same name again";
}

TEST(WorldRequests, AJobsPodStartsOver) {
    AskedWorld t;
    t.node("a");
    PodBatch job = controlled_batch(Controller::job, 1);
    job.duration = 10min;
    ASSERT_TRUE(t.world.apply(job, start));
    t.world.schedule(start);
    ASSERT_TRUE(t.world.evict(t.eviction("web-1"), start + 5min));
    t.world.schedule(start + 5min);
    EXPECT_EQ(t.pods(), Pods{"web-2"});
    t.world.reach(start + 15min);
    t.world.schedule(start + 15min);
    EXPECT_EQ(t.pods(), Pods{}) << "and is done";
    EXPECT_EQ(t.world.pending(), 0);
}

TEST(WorldRequests, ANodeIsChangedAllOfItAndTheSchedulerKeepsOffAtOnce) {
    AskedWorld t;
    t.node("a");
    ASSERT_TRUE(t.world.change({.node = "a",
                                .set_taints = {{.key = "x", .effect = Effect::no_schedule}},
                                .unschedulable = true,
                                .annotations = {{"capstan.io/cordoned", "true"}}},
                               start));
    ASSERT_TRUE(t.world.apply(controlled_batch(Controller::none, 1), start));
    t.world.schedule(start);
    EXPECT_EQ(t.world.pending(), 1);
    ASSERT_TRUE(t.world.change({.node = "a", .drop_taints = {"x"}, .unschedulable = false}, start));
    t.world.schedule(start);
    EXPECT_EQ(t.world.pending(), 0);
    EXPECT_EQ(t.world.change({.node = "b"}, start).error().code, ErrorCode::not_found);
}

TEST(WorldRequests, ALookAtANodeCountsNoExpendablePods) {
    AskedWorld t;
    t.node("a");
    PodBatch web = controlled_batch(Controller::none, 1);
    web.pod.spec.priority = -11;
    ASSERT_TRUE(t.world.apply(web, start));
    t.world.schedule(start);
    EXPECT_TRUE(t.world.recheck({.node = "a", .expendable_below = -10}));
    EXPECT_EQ(t.world.recheck({.node = "a", .expendable_below = -11}).error().code,
              ErrorCode::conflict);
    EXPECT_FALSE(t.world.recheck({.node = "a"}));
}

TEST(WorldRequests, WithoutASchedulerPodsAreBoundByHand) {
    AskedWorld t;
    SimulatedCluster world(t.story, t.statistics, {}, false);
    const Resources resources{{"cpu", 4_cpu}, {"pods", 110}};
    world.add_node({.name = "a", .capacity = resources, .allocatable = resources}, "", start);
    ASSERT_TRUE(world.apply(controlled_batch(Controller::none, 1), start));
    world.schedule(start);
    EXPECT_EQ(world.pending(), 1);
    ASSERT_TRUE(world.apply(Bind{"web-1", "a"}, start + 1min));
    EXPECT_EQ(world.pending(), 0);
    EXPECT_EQ(world.take_longest_wait(start + 2min), 1min);
    EXPECT_EQ(world.apply(Bind{"web-1", "a"}, start).error().code, ErrorCode::conflict);
    EXPECT_EQ(world.apply(Bind{"web-2", "a"}, start).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace capstan::simulation
