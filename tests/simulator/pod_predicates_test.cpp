#include "simulator/pod_predicates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include <capstan/well_known.hpp>

#include "engine/node_marks.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "run_start.hpp"

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;
using engine::snapshot::PodObject;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Time pods_wall = start + 24h;
const engine::snapshot::PodOwner replica_set_owner{
    .kind = "ReplicaSet", .api_group = "apps", .name = "web", .uid = "u"};
const Resources four_cores{{"cpu", 4000}, {"memory", std::int64_t{16} << 30}, {"pods", 110}};

/// Node n1 with pods, which were created at the start.
struct PodPredicatesTest : ::testing::Test {
    PodPredicatesTest() { node({.name = "n1"}); }

    void node(engine::snapshot::NodeObject object) {
        if (object.capacity.empty()) object.capacity = object.allocatable = four_cores;
        builder.set(object);
    }
    /// A pod of a ReplicaSet in shop.
    static PodObject replica(const std::string& name = "web-1") {
        return {.ns = "shop",
                .name = name,
                .labels = {{"app", "web"}},
                .owner = replica_set_owner,
                .node_name = "n1",
                .created = start};
    }
    /// The cluster with this pod alone.
    engine::snapshot::Cluster with(const PodObject& pod) {
        builder.remove_pod("shop", "web-1");
        builder.remove_pod("kube-system", "web-1");
        builder.set(pod);
        return builder.build();
    }
    static engine::PodIndex only_pod(const engine::snapshot::Cluster& cluster) {
        return cluster.pods_on(*cluster.find_node("n1")).front();
    }
    std::string unmovable(const PodObject& pod) {
        const engine::snapshot::Cluster cluster = with(pod);
        return why_unmovable(cluster, only_pod(cluster), settings, pods_wall);
    }
    void budget(const std::string& name, std::optional<LabelSelector> selector,
                const std::string& ns = "shop") {
        builder.set(engine::snapshot::DisruptionBudgetObject{
            .ns = ns, .name = name, .selector = std::move(selector)});
    }

    engine::snapshot::ClusterBuilder builder;
    engine::Settings settings;
};

TEST_F(PodPredicatesTest, CountPodsForWhichANodeStays) {
    struct Case {
        const char* what;
        PodObject pod;
        bool belongs, expendable, counted;
    };
    PodObject of_daemon_set = replica(), mirror = replica(), terminating = replica();
    of_daemon_set.owner.kind = "DaemonSet";
    mirror.annotations = {{std::string(well_known::mirror_pod_annotation), ""}};
    terminating.deleted = start;
    const auto of_priority = [](std::int32_t priority, bool never_preempts = false) {
        PodObject out = replica();
        out.spec.priority = priority;
        out.spec.never_preempts = never_preempts;
        return out;
    };
    for (const auto& [what, pod, belongs, expendable, counted] :
         {Case{"a replica", replica(), false, false, true},
          Case{"a pod of a DaemonSet", of_daemon_set, true, false, false},
          Case{"a mirror pod", mirror, true, false, false},
          Case{"a terminating pod", terminating, false, false, false},
          Case{"priority -11", of_priority(-11), false, true, false},
          Case{"priority -10", of_priority(-10), false, false, true},
          Case{"priority -11, preempts never", of_priority(-11, true), false, false, true}}) {
        const engine::snapshot::Cluster cluster = with(pod);
        const engine::PodIndex index = only_pod(cluster);
        EXPECT_EQ(belongs_to_node(cluster, index), belongs) << what;
        EXPECT_EQ(is_expendable(cluster, index, settings), expendable) << what;
        EXPECT_EQ(counts(cluster, index, settings), counted) << what;
    }
}

TEST_F(PodPredicatesTest, SafeToEvictDecidesBeforeOwnerAndVolumes) {
    const auto annotated = [](const char* value) {
        PodObject out = replica();
        out.owner = {};
        out.spec.local_volumes = {"cache"};
        out.annotations = {{std::string(well_known::safe_to_evict_annotation), value}};
        return out;
    };
    EXPECT_EQ(unmovable(annotated("true")), "");
    EXPECT_EQ(unmovable(annotated("false")), "is annotated as not safe to evict");
    EXPECT_EQ(unmovable(annotated("on-completion")), "is safe to evict only on completion");
    EXPECT_EQ(unmovable(annotated("True")), "has no controller") << "not a value that is known";
}

TEST_F(PodPredicatesTest, PodsOfTheNodeMoveWhateverTheirAnnotations) {
    PodObject pod = replica();
    pod.annotations = {{std::string(well_known::safe_to_evict_annotation), "false"}};
    pod.owner.kind = "DaemonSet";
    EXPECT_EQ(unmovable(pod), "");
    pod.owner = replica_set_owner;
    pod.spec.priority = -100;
    EXPECT_EQ(unmovable(pod), "") << "it is expendable";
}

TEST_F(PodPredicatesTest, PodsOfJobsStayIfTheSettingsSaySo) {
    PodObject job = replica();
    job.owner = {.kind = "Job", .api_group = "batch", .name = "mail", .uid = "u"};
    EXPECT_EQ(unmovable(job), "");
    settings.scale_down.job_pods_unmovable = true;
    EXPECT_EQ(unmovable(job), "belongs to a Job");
    job.annotations = {{std::string(well_known::safe_to_evict_annotation), "true"}};
    EXPECT_EQ(unmovable(job), "belongs to a Job");
    settings.scale_down.safe_to_evict_frees_jobs = true;
    EXPECT_EQ(unmovable(job), "");
}

TEST_F(PodPredicatesTest, OnlyBudgetsThatSelectThePodCount) {
    const auto has_a_budget = [&] {
        const engine::snapshot::Cluster cluster = with(replica());
        return has_budget(cluster, only_pod(cluster));
    };
    budget("no-selector", std::nullopt);
    budget("other-app", LabelSelector{.match_labels = {{"app", "db"}}});
    budget("elsewhere", LabelSelector{}, "other");
    EXPECT_FALSE(has_a_budget());
    budget("all", LabelSelector{});
    EXPECT_TRUE(has_a_budget());
    EXPECT_EQ(unmovable(replica()), "");
    budget("web", LabelSelector{.match_labels = {{"app", "web"}}});
    EXPECT_EQ(unmovable(replica()), "has more than one PodDisruptionBudget");
    PodObject safe = replica();
    safe.annotations = {{std::string(well_known::safe_to_evict_annotation), "true"}};
    EXPECT_EQ(unmovable(safe), "has more than one PodDisruptionBudget")
        << "the API server evicts no such pod";
}

TEST_F(PodPredicatesTest, SystemPodsWithoutABudgetStayForAWhile) {
    PodObject pod = replica();
    pod.ns = "kube-system";
    const std::string recent = "is a recent kube-system pod without a PodDisruptionBudget";
    settings.scale_down.blocking_system_pod_disruption_timeout = 24h;
    EXPECT_EQ(unmovable(pod), recent) << "at the age of exactly a day";
    settings.scale_down.blocking_system_pod_disruption_timeout = 24h - 1ns;
    EXPECT_EQ(unmovable(pod), "");
    settings.scale_down.blocking_system_pod_disruption_timeout = 48h;
    EXPECT_EQ(unmovable(pod), recent);
    settings.scale_down.skip_nodes_with_system_pods = false;
    EXPECT_EQ(unmovable(pod), "");
    settings.scale_down.skip_nodes_with_system_pods = true;
    budget("all", LabelSelector{}, "kube-system");
    EXPECT_EQ(unmovable(pod), "");
}

TEST_F(PodPredicatesTest, EachLocalVolumeMustBeDeclaredSafe) {
    PodObject pod = replica();
    pod.spec.local_volumes = {"cache", "tmp"};
    const auto declare_safe = [&](const char* names) {
        pod.annotations = {{std::string(well_known::safe_to_evict_volumes_annotation), names}};
        return unmovable(pod);
    };
    EXPECT_EQ(unmovable(pod), "has local storage");
    EXPECT_EQ(declare_safe("cache"), "has local storage");
    EXPECT_EQ(declare_safe("cache-2,tmp"), "has local storage");
    EXPECT_EQ(declare_safe(""), "has local storage");
    EXPECT_EQ(declare_safe("tmp,cache"), "");
    EXPECT_EQ(declare_safe(" cache , tmp ,"), "");
    pod.annotations = {};
    settings.scale_down.skip_nodes_with_local_storage = false;
    EXPECT_EQ(unmovable(pod), "");
}

TEST_F(PodPredicatesTest, APodFitsUpToTheLastUnit) {
    PodObject pod = replica();
    pod.spec.requests = {{"cpu", 2000}, {"memory", 1024}};
    const engine::snapshot::Cluster cluster = with(pod);
    const auto fits = [&](const NodeTemplate& node) {
        return might_fit(cluster, only_pod(cluster), node);
    };
    EXPECT_TRUE(fits({.allocatable = {{"cpu", 2000}, {"memory", 1024}}}));
    EXPECT_FALSE(fits({.allocatable = {{"cpu", 1999}, {"memory", 1024}}}));
    EXPECT_FALSE(fits({.allocatable = {{"cpu", 2000}}})) << "the node has no memory at all";
    EXPECT_FALSE(fits({.taints = {{.key = "team", .value = "a"}}, .allocatable = four_cores}));
}

TEST_F(PodPredicatesTest, APodFitsOnlyNodesOfItsSelectorAndTolerations) {
    PodObject pod = replica();
    pod.spec.node_selector = {{"pool", "a"}};
    pod.spec.tolerations = {{.key = "team", .op = Toleration::Op::exists}};
    const engine::snapshot::Cluster cluster = with(pod);
    const auto fits = [&](Labels labels) {
        return might_fit(cluster, only_pod(cluster),
                         {.labels = std::move(labels),
                          .taints = {{.key = "team", .value = "a"}},
                          .allocatable = four_cores});
    };
    EXPECT_TRUE(fits({{"pool", "a"}, {"zone", "z"}}));
    EXPECT_FALSE(fits({{"pool", "b"}}));
    EXPECT_FALSE(fits({}));
}

struct SurelyFits : PodPredicatesTest {
    /// Whether a new node with these resources surely has room for a pod of 2 cores.
    bool on(const Resources& allocatable, const engine::snapshot::PodSpec& spec = {}) {
        PodObject pod = replica();
        pod.spec = spec;
        pod.spec.requests.set("cpu", 2000);
        const engine::snapshot::Cluster cluster = with(pod);
        const engine::Group group{.described = std::make_shared<const NodeTemplate>(
                                      NodeTemplate{.allocatable = allocatable})};
        return surely_fits(cluster, only_pod(cluster), group, settings);
    }
    void daemon_set(const std::string& name, std::int64_t cpu) {
        engine::snapshot::DaemonSetObject set{.ns = "kube-system", .name = name};
        set.spec.requests = {{"cpu", cpu}};
        builder.set(std::move(set));
    }
};

TEST_F(SurelyFits, APodBesideTheDaemonSetsOfANewNode) {
    EXPECT_TRUE(on({{"cpu", 2000}, {"pods", 1}}));
    EXPECT_FALSE(on({{"cpu", 1999}, {"pods", 1}}));
    EXPECT_FALSE(on({{"cpu", 2000}, {"pods", 0}}));
    daemon_set("proxy", 100);
    daemon_set("logs", 50);
    EXPECT_FALSE(on({{"cpu", 2149}, {"pods", 3}}));
    EXPECT_FALSE(on({{"cpu", 2150}, {"pods", 2}}));
    EXPECT_TRUE(on({{"cpu", 2150}, {"pods", 3}}));
    EXPECT_TRUE(on({{"cpu", 2150}})) << "the template has no limit of pods";
}

TEST_F(SurelyFits, NoPodWithFurtherConstraints) {
    engine::snapshot::PodSpec spec;
    spec.requests = {{"example.com/fpga", 1}};
    EXPECT_FALSE(on({{"cpu", 4000}}, spec)) << "the template does not have that resource";
    spec = {.uses_resource_claims = true};
    EXPECT_FALSE(on({{"cpu", 4000}}, spec));
    spec = {.priority = -1};
    EXPECT_FALSE(on({{"cpu", 4000}}, spec));
    spec = {.priority = 0};
    EXPECT_TRUE(on({{"cpu", 4000}}, spec));
    settings.default_spread.emplace_back();
    EXPECT_FALSE(on({{"cpu", 4000}})) << "the scheduler may spread it";
    spec = {.has_soft_spread = true};
    EXPECT_TRUE(on({{"cpu", 4000}}, spec)) << "it has a constraint of its own";
}

TEST_F(SurelyFits, NothingOnAGroupWithoutATemplate) {
    const engine::snapshot::Cluster cluster = with(replica());
    EXPECT_FALSE(surely_fits(cluster, only_pod(cluster), engine::Group{}, settings));
}

struct MayPreempt : PodPredicatesTest {
    /// Whether a pod of 4 cores may take the place of the pods on n1.
    bool in_place_of(const std::vector<PodObject>& pods, bool never_preempts = false) {
        PodObject pending{.ns = "shop", .name = "web-1", .node_name = "n0"};
        pending.spec.requests = {{"cpu", 4000}};
        pending.spec.never_preempts = never_preempts;
        node({.name = "n0", .unschedulable = true});
        builder.set(pending);
        for (const PodObject& pod : pods) builder.set(pod);
        const engine::snapshot::Cluster cluster = builder.build();
        const engine::PodIndex index = cluster.pods_on(*cluster.find_node("n0")).front();
        for (const PodObject& pod : pods) builder.remove_pod(pod.ns, pod.name);
        return may_preempt(cluster, index, settings);
    }
    static PodObject running(const std::string& name, std::int64_t cpu, std::int32_t priority) {
        PodObject out = replica(name);
        out.spec.requests = {{"cpu", cpu}};
        out.spec.priority = priority;
        return out;
    }
};

TEST_F(MayPreempt, ExpendablePodsThatTakeItsRoom) {
    EXPECT_TRUE(in_place_of({running("low", 3000, -20)}));
    EXPECT_FALSE(in_place_of({running("low", 3000, -10)})) << "not expendable";
    EXPECT_FALSE(in_place_of({})) << "there is nothing to preempt";
    EXPECT_FALSE(in_place_of({running("low", 3000, -20), running("high", 1, 0)}))
        << "the rest is too small";
    EXPECT_FALSE(in_place_of({running("low", 3000, -20)}, true));
}

TEST_F(MayPreempt, OnlyPodsOfNodesThatTakePods) {
    node({.name = "n1", .unschedulable = true});
    EXPECT_FALSE(in_place_of({running("low", 3000, -20)}));
    node({.name = "n1", .ready = false});
    EXPECT_FALSE(in_place_of({running("low", 3000, -20)}));
    node(
        {.name = "n1", .taints = {{.key = std::string(engine::to_be_deleted_taint), .value = ""}}});
    EXPECT_TRUE(in_place_of({running("low", 3000, -20)})) << "that taint comes and goes";
}

TEST_F(PodPredicatesTest, ATemplateFromANodeHasNothingThatComesAndGoes) {
    node({.name = "n1",
          .labels = {{"kubernetes.io/hostname", "n1"}, {"pool", "a"}},
          .taints = {{.key = "node.kubernetes.io/unreachable", .value = ""},
                     {.key = "ToBeDeletedByClusterAutoscaler", .value = "1"},
                     {.key = "DeletionCandidateOfClusterAutoscaler", .value = "1"},
                     {.key = "team", .value = "a"}}});
    const engine::snapshot::Cluster cluster = builder.build();
    const NodeTemplate made = template_from_node(cluster, *cluster.find_node("n1"));
    EXPECT_EQ(made.labels, (Labels{{"pool", "a"}}));
    EXPECT_THAT(made.taints, ElementsAre(Taint{.key = "team", .value = "a"}));
    EXPECT_EQ(made.allocatable, four_cores);
}

TEST_F(PodPredicatesTest, AnEvictedPodIsFoundOnlyOnItsNode) {
    node({.name = "n2"});
    const engine::snapshot::Cluster cluster = with(replica());
    const auto index = find_pod(cluster, {.ns = "shop", .pod = "web-1", .node = "n1"});
    ASSERT_TRUE(index);
    EXPECT_EQ(name_of_pod(cluster, *index), "shop/web-1");
    EXPECT_FALSE(find_pod(cluster, {.ns = "shop", .pod = "web-1", .node = "n2"}));
    EXPECT_FALSE(find_pod(cluster, {.ns = "other", .pod = "web-1", .node = "n1"}));
    EXPECT_FALSE(find_pod(cluster, {.ns = "shop", .pod = "web-1", .node = "gone"}));
}

TEST_F(PodPredicatesTest, AClusterIsHealthyUpToItsLimitOfUnreadyNodes) {
    settings.ok_total_unready_count = 2;
    for (const char* const name : {"u1", "u2"}) node({.name = name, .ready = false});
    EXPECT_TRUE(is_cluster_healthy(builder.build(), settings));
    node({.name = "u3", .ready = false});
    EXPECT_FALSE(is_cluster_healthy(builder.build(), settings));
}

TEST(RemovedMachines, AreThoseThatTheirCloudsAgreedToRemove) {
    const auto names_of_removed = [](const engine::Results& results) {
        const engine::Decision decision{
            .removals = {{.group = NodeGroupId("web"),
                          .machines = {MachineId("m1"), MachineId("m2")},
                          .nodes = {"n1", "n2"}},
                         {.group = NodeGroupId("db"), .machines = {MachineId("m3")}}}};
        std::vector<std::string> out;
        for (const RemovedMachine& removed : find_removed(decision, results))
            out.push_back(removed.group.value() + " " + removed.machine.value() + " " +
                          removed.node);
        return out;
    };
    EXPECT_THAT(names_of_removed({.removals = {{}, {}}}),
                ElementsAre("web m1 n1", "web m2 n2", "db m3 "));
    EXPECT_THAT(
        names_of_removed(
            {.removals = {{Error{.code = ErrorCode::conflict, .message = "busy", .subject = "m1"}},
                          {Error{ErrorCode::unavailable, "no answer"}}}}),
        ElementsAre("web m2 n2"));
    EXPECT_THAT(names_of_removed({}), IsEmpty()) << "a dry run";
}

TEST(RemovedMachines, AreWorkingUnlessTheyFailedOrNeverJoined) {
    using engine::RemovalCause;
    for (const auto& [cause, works] :
         {std::pair(RemovalCause::underutilized, true), std::pair(RemovalCause::empty, true),
          std::pair(RemovalCause::unready, true), std::pair(RemovalCause::never_joined, false),
          std::pair(RemovalCause::failed, false)})
        EXPECT_EQ(removes_working_nodes({.cause = cause}), works) << engine::name_of(cause);
}

}  // namespace
}  // namespace capstan::simulator
