#include "engine/pods/pending.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "../test_cluster.hpp"

namespace capstan::engine::pods {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* delay_annotation = "cluster-autoscaler.kubernetes.io/pod-scale-up-delay";

/// Examples and counts, "default/a x2", in order.
std::vector<std::string> pending(const pods::PendingPods& pods) {
    std::vector<std::string> out;
    for (const PodCount& c : pods.pod_groups) {
        out.push_back(c.example + (c.count == 1 ? "" : " x" + std::to_string(c.count)));
    }
    return out;
}
std::vector<std::string> pending(const TestCluster& test_cluster, const Settings& settings = {}) {
    return pending(pods::find_pending(test_cluster.cluster(), settings, noon));
}

/// Skipped pods by reason, "1 being deleted".
std::vector<std::string> skipped_texts(const pods::PendingPods& pods) {
    std::vector<std::string> out;
    for (const SkippedPods& s : pods.skipped) {
        out.push_back(std::to_string(s.count) + " " + s.because);
    }
    return out;
}

TEST(PendingPods, AreEmptyForAnEmptyCluster) {
    const pods::PendingPods pods = pods::find_pending(TestCluster().cluster(), Settings(), noon);
    EXPECT_THAT(pods.pod_groups, IsEmpty());
    EXPECT_THAT(pods.skipped, IsEmpty());
    EXPECT_EQ(pods.wake_at, std::nullopt);
}

TEST(PendingPods, ReportTheReasonToSkipAPod) {
    struct Case {
        const char* what;
        std::function<void(snapshot::PodObject&)> change;
        const char* because;  ///< NULL: the pod counts
    };
    Settings settings;
    settings.allowed_scheduler_names = {"default-scheduler", "eager"};
    settings.bypassed_scheduler_names = {"eager"};
    const std::vector<Case> cases = {
        {"unschedulable", [](snapshot::PodObject&) {}, nullptr},
        {"not tried by the scheduler", [](snapshot::PodObject& p) { p.unscheduled_reason = ""; },
         "not marked unschedulable by the scheduler"},
        {"scheduler error", [](snapshot::PodObject& p) { p.unscheduled_reason = "SchedulerError"; },
         "not marked unschedulable by the scheduler"},
        {"being deleted", [](snapshot::PodObject& p) { p.deleted = noon; }, "being deleted"},
        {"gated", [](snapshot::PodObject& p) { p.gated = true; }, "waiting for a scheduling gate"},
        {"gated by reason",
         [](snapshot::PodObject& p) { p.unscheduled_reason = "SchedulingGated"; },
         "waiting for a scheduling gate"},
        {"nominated", [](snapshot::PodObject& p) { p.nominated_node = "node"; },
         "nominated to a node by preemption"},
        {"nominated to a removed node", [](snapshot::PodObject& p) { p.nominated_node = "gone"; },
         nullptr},
        {"scheduler not allowed", [](snapshot::PodObject& p) { p.spec.scheduler = "batch"; },
         "scheduler \"batch\" is not in scale_up.allowed_scheduler_names"},
        {"bypassed scheduler",
         [](snapshot::PodObject& p) { p.spec.scheduler = "eager", p.unscheduled_reason = ""; },
         nullptr},
        {"bypassed scheduler, tried", [](snapshot::PodObject& p) { p.spec.scheduler = "eager"; },
         nullptr},
        {"expendable", [](snapshot::PodObject& p) { p.spec.priority = -11; },
         "expendable: priority below -10 (scale_up.expendable_pods_priority_cutoff)"},
        {"below the cut-off with preemptionPolicy Never",
         [](snapshot::PodObject& p) { p.spec.priority = -11, p.spec.never_preempts = true; },
         nullptr},
        {"at the cut-off", [](snapshot::PodObject& p) { p.spec.priority = -10; }, nullptr},
        {"of a DaemonSet",
         [](snapshot::PodObject& p) { p.owner = {.kind = "DaemonSet", .name = "d"}; },
         "DaemonSet pods need no new node"},
        {"annotated as a DaemonSet's",
         [](snapshot::PodObject& p) {
             p.annotations = {{"cluster-autoscaler.kubernetes.io/daemonset-pod", "true"}};
         },
         "DaemonSet pods need no new node"},
        {"of a ReplicaSet",
         [](snapshot::PodObject& p) { p.owner = {.kind = "ReplicaSet", .name = "r"}; }, nullptr}};
    for (const Case& c : cases) {
        TestCluster test_cluster;
        test_cluster.node("node");
        c.change(test_cluster.pod("p"));
        const pods::PendingPods pods = pods::find_pending(test_cluster.cluster(), settings, noon);
        EXPECT_EQ(pods.pod_groups.empty(), c.because != nullptr) << c.what;
        const Reason of_pod = pods::why_skipped(test_cluster.cluster(), settings, {noon, noon}, 0);
        EXPECT_EQ(of_pod.sentence, c.because == nullptr ? "" : c.because) << c.what;
        EXPECT_EQ(of_pod.is_none(), c.because == nullptr) << c.what;
        if (c.because == nullptr) continue;
        EXPECT_THAT(skipped_texts(pods), ElementsAre("1 " + std::string(c.because))) << c.what;
    }
}

TEST(PendingPods, ExcludeBoundPods) {
    TestCluster test_cluster;
    test_cluster.node("node");
    test_cluster.pod("on-node", "node").unscheduled_reason = "Unschedulable";
    test_cluster.pod("on-a-node-that-went", "gone").unscheduled_reason = "Unschedulable";
    EXPECT_THAT(pending(test_cluster), IsEmpty());
}

TEST(PendingPods, AreNeverExpendableWithoutAPriority) {
    TestCluster test_cluster;
    test_cluster.pod("p");
    Settings settings;
    settings.expendable_pods_priority_cutoff = 1000;
    EXPECT_THAT(pending(test_cluster, settings), ElementsAre("default/p"));
}

TEST(PendingPods, AreGroupedUnderTheFirstName) {
    TestCluster test_cluster;
    for (const char* name : {"web-2", "web-1", "web-10"}) test_cluster.pod(name);
    test_cluster.pod("db").spec.requests = {{"cpu", 2000}};
    EXPECT_THAT(pending(test_cluster), ElementsAre("default/db", "default/web-1 x3"));
}

TEST(PendingPods, AreSortedByPriorityNamespaceAndName) {
    TestCluster test_cluster;
    test_cluster.pod("a").spec.priority = -5;
    test_cluster.pod("b");
    test_cluster.pod("c").spec.priority = 100;
    test_cluster.pod("d").ns = "apps";
    test_cluster.pod("e").spec.priority = 2'000'000'000;
    EXPECT_THAT(pending(test_cluster),
                ElementsAre("default/e", "default/c", "apps/d", "default/b", "default/a"));
}

TEST(PendingPods, DoNotDependOnTheOrderOfPods) {
    TestCluster forwards, backwards;
    const std::vector<std::string> names = {"a", "b", "c", "d"};
    const auto add = [](TestCluster& test_cluster, const std::string& name) {
        test_cluster.pod(name).spec.requests = {{"cpu", name < "c" ? 100 : 200}};
    };
    for (auto at = names.begin(); at != names.end(); ++at) add(forwards, *at);
    for (auto at = names.rbegin(); at != names.rend(); ++at) add(backwards, *at);
    EXPECT_EQ(pending(forwards), pending(backwards));
    EXPECT_THAT(pending(backwards), ElementsAre("default/a x2", "default/c x2"));
}

TEST(PendingPods, CountSkippedPodsByReason) {
    TestCluster test_cluster;
    test_cluster.pod("a").gated = true;
    test_cluster.pod("b").spec.priority = -100;
    test_cluster.pod("c").gated = true;
    test_cluster.pod("d");
    EXPECT_THAT(
        skipped_texts(pods::find_pending(test_cluster.cluster(), Settings(), noon)),
        ElementsAre("1 expendable: priority below -10 (scale_up.expendable_pods_priority_cutoff)",
                    "2 waiting for a scheduling gate"));
}

TEST(PendingPods, MustBeOlderThanTheDelay) {
    Settings settings;
    settings.new_pod_delay = 2min;
    struct Case {
        Duration age;
        bool counts;
    };
    // A pod from the future was created before the clock was set back.
    for (const Case& c :
         {Case{0s, false}, Case{2min - 1ns, false}, Case{2min, false}, Case{2min + 1ns, true},
          Case{1h, true}, Case{-2min, false}, Case{-2min - 1ns, true}}) {
        TestCluster test_cluster;
        test_cluster.pod("p").created = noon - c.age;
        const pods::PendingPods pods = pods::find_pending(test_cluster.cluster(), settings, noon);
        EXPECT_EQ(!pods.pod_groups.empty(), c.counts) << c.age.count();
        if (c.counts) continue;
        EXPECT_THAT(skipped_texts(pods), ElementsAre("1 younger than 2m"));
        EXPECT_EQ(pods.wake_at, noon - c.age + 2min + 1ns);
    }
}

TEST(PendingPods, CountAtOnceWithoutADelay) {
    TestCluster test_cluster;
    test_cluster.pod("p").created = noon;
    EXPECT_THAT(pending(test_cluster), ElementsAre("default/p"));
}

TEST(PendingPods, WakeThePassForTheOldestYoungPod) {
    Settings settings;
    settings.new_pod_delay = 2min;
    TestCluster test_cluster;
    test_cluster.pod("younger").created = noon - 30s;
    test_cluster.pod("older").created = noon - 90s;
    EXPECT_EQ(pods::find_pending(test_cluster.cluster(), settings, noon).wake_at, noon + 30s + 1ns);
}

TEST(PendingPods, CanHaveALongerDelayButNotAShorterOne) {
    struct Case {
        const char* written;
        bool counts;
        std::vector<std::string> notes;
    };
    Settings settings;
    settings.new_pod_delay = 2min;
    const std::string about = std::string(delay_annotation) + " ";
    for (const Case& c :
         {Case{"10m", false, {}}, Case{"2m", true, {}},
          Case{"30s",
               true,
               {about + "\"30s\" is ignored: shorter than scale_up.new_pod_delay (2m)"}},
          Case{"soon", true, {about + "\"soon\" is ignored: duration \"soon\": missing number"}}}) {
        TestCluster test_cluster;
        snapshot::PodObject& pod = test_cluster.pod("p");
        pod.created = noon - 5min;
        pod.annotations = {{delay_annotation, c.written}};
        const pods::PendingPods pods = pods::find_pending(test_cluster.cluster(), settings, noon);
        EXPECT_EQ(!pods.pod_groups.empty(), c.counts) << c.written;
        EXPECT_EQ(pods.notes, c.notes) << c.written;
    }
}

TEST(PendingPods, AcceptADelayOfCenturies) {
    TestCluster test_cluster;
    test_cluster.pod("p").annotations = {{delay_annotation, "2562047h"}};
    const pods::PendingPods pods = pods::find_pending(test_cluster.cluster(), Settings(), noon);
    EXPECT_THAT(pods.pod_groups, IsEmpty());
    EXPECT_EQ(pods.wake_at, Time::max());
}

/// Adds a spread constraint over zones with a timeout of five minutes.
void add_spread_timeout(snapshot::PodObject& pod) {
    pod.spec.spread = {{.topology_key = "topology.kubernetes.io/zone"}};
    pod.annotations = {{"zalando.org/topology-spread-timeout", "5m"}};
}

TEST(PendingPods, DropASpreadConstraintThatHasTimedOut) {
    TestCluster test_cluster;
    for (const auto& [name, age] :
         {std::pair("new", 5min), std::pair("newer", 4min), std::pair("old", 6min)}) {
        snapshot::PodObject& pod = test_cluster.pod(name);
        add_spread_timeout(pod);
        pod.created = noon - age;
    }
    const snapshot::Cluster cluster = test_cluster.cluster();
    const pods::PendingPods pods = pods::find_pending(cluster, Settings(), noon);
    EXPECT_THAT(pending(pods), ElementsAre("default/new x2", "default/old"));
    EXPECT_EQ(cluster.equivalence_group(pods.pod_groups[0].equivalence_group).lapsed,
              pods.pod_groups[1].equivalence_group);
    EXPECT_EQ(pods.wake_at, noon + Duration(1)) << "pod new times out next";
}

TEST(PendingPods, DoNotWakeThePassForSkippedPods) {
    TestCluster test_cluster;
    snapshot::PodObject& gated = test_cluster.pod("gated");
    add_spread_timeout(gated);
    gated.gated = true;
    gated.created = noon;
    EXPECT_EQ(pods::find_pending(test_cluster.cluster(), Settings(), noon).wake_at, std::nullopt);
}

TEST(PendingPods, KeepTheSpreadConstraintWhenTheyLoseTheirNode) {
    TestCluster test_cluster;
    test_cluster.node("a");
    add_spread_timeout(test_cluster.pod("moves", "a"));  // created an hour ago
    const snapshot::Cluster cluster = test_cluster.cluster();
    const PodIndex pod = 0;
    const pods::PendingPods pods = pods::find_pending(cluster, Settings(), noon, {&pod, 1});
    ASSERT_THAT(pending(pods), ElementsAre("default/moves"));
    EXPECT_EQ(pods.pod_groups[0].equivalence_group, cluster.equivalence_group_of(pod));
    EXPECT_EQ(pods.wake_at, std::nullopt);
}

TEST(PendingPods, AreLimitedToTheOldest) {
    TestCluster test_cluster;
    for (const char* name : {"d", "c", "b", "a"}) test_cluster.pod(name).created = noon - 1min;
    test_cluster.pod("elder").created = noon - 2min;
    test_cluster.pod("gone").deleted = noon;
    test_cluster.pod("z").ns = "a-namespace";  // created an hour ago
    Settings settings;
    const std::string rest = " oldest (scale_up.max_unschedulable_pods_considered)";
    settings.max_pods_considered = 4;
    const pods::PendingPods pods = pods::find_pending(test_cluster.cluster(), settings, noon);
    EXPECT_THAT(pending(pods), ElementsAre("a-namespace/z", "default/a x3"));
    EXPECT_THAT(skipped_texts(pods), ElementsAre("1 being deleted", "2 not among the 4" + rest));
    const snapshot::Cluster cluster = test_cluster.cluster();
    for (PodIndex pod = 0; pod < cluster.pod_count(); ++pod) {
        const std::string_view name = cluster.text(cluster.pod(pod).name);
        const bool is_left_out = name == "c" || name == "d";
        EXPECT_EQ(pods::why_skipped(cluster, settings, {noon, noon}, pod).code ==
                      ReasonCode::pod_limit_reached,
                  is_left_out)
            << name;
    }
    for (const int limit : {0, 6, 7, -1}) {
        settings.max_pods_considered = limit;
        EXPECT_THAT(pending(test_cluster, settings), ElementsAre("a-namespace/z", "default/a x5"))
            << limit;
    }
    settings.max_pods_considered = 1;
    EXPECT_THAT(pending(test_cluster, settings), ElementsAre("a-namespace/z"));
}

TEST(NominatedPods, AreListedByNodeWithoutDeletedAndExpendablePods) {
    TestCluster test_cluster;
    test_cluster.node("b");
    test_cluster.node("a");
    test_cluster.pod("p1").nominated_node = "b";
    test_cluster.pod("p2").nominated_node = "a";
    test_cluster.pod("p3").nominated_node = "b";
    snapshot::PodObject& deleted_pod = test_cluster.pod("deleted");
    deleted_pod.nominated_node = "b";
    deleted_pod.deleted = noon;
    snapshot::PodObject& expendable = test_cluster.pod("expendable");
    expendable.nominated_node = "a";
    expendable.spec.priority = -100;
    test_cluster.pod("lost").nominated_node = "gone";
    const snapshot::Cluster cluster = test_cluster.cluster();
    std::vector<std::string> nodes;
    for (const pods::Nomination& n : pods::find_nominated(cluster, Settings())) {
        nodes.emplace_back(cluster.text(cluster.node(n.node).name));
    }
    EXPECT_THAT(nodes, ElementsAre("a", "b", "b"));
}

TEST(NominatedPods, AreNotPending) {
    TestCluster test_cluster;
    test_cluster.node("a");
    test_cluster.pod("p1").nominated_node = "a";
    test_cluster.pod("p2").nominated_node = "gone";
    EXPECT_THAT(pods::find_nominated(test_cluster.cluster(), Settings()), ::testing::SizeIs(1));
    EXPECT_THAT(pending(test_cluster), ElementsAre("default/p2"));
}

TEST(PendingPods, UseTheWallClockForTheirAge) {
    TestCluster test_cluster;
    test_cluster.pod("p").created = noon + 1h - 1min;
    Settings settings;
    settings.new_pod_delay = 5min;
    const pods::PendingPods pods =
        pods::find_pending(test_cluster.cluster(), settings, {noon, noon + 1h});
    EXPECT_THAT(pods.pod_groups, IsEmpty());
    EXPECT_EQ(pods.wake_at, noon + 4min + 1ns);
}

}  // namespace
}  // namespace capstan::engine::pods
