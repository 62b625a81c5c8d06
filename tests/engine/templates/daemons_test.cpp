#include "engine/templates/daemons.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "../test_cluster.hpp"
#include "engine/templates/templates.hpp"

namespace capstan::engine::templates {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The template of the only group.
GroupTemplate template_of(const TestCluster& test_cluster, const Settings& settings = {}) {
    return make_templates(test_cluster.snapshot(), settings, noon).at(0);
}

/// A group without nodes, whose cloud describes nodes of 1 core.
TestCluster described_group() {
    TestCluster test_cluster;
    test_cluster.group("web");
    test_cluster.describe("web", amounts(1000)).labels = {{"disk", "ssd"}};
    return test_cluster;
}

/// A group with one node.
TestCluster group_with_node() {
    TestCluster test_cluster;
    test_cluster.group("web");
    test_cluster.node("web-1", "web");
    return test_cluster;
}

std::int64_t free_cpu(const TestCluster& test_cluster, const Settings& settings = {}) {
    return template_of(test_cluster, settings).node->free.amount("cpu");
}

TEST(TemplateDaemons, AreTheDaemonSetAndStaticPodsOfTheNode) {
    TestCluster test_cluster = group_with_node();
    test_cluster.pod("web", "web-1");
    test_cluster.daemon("cni", "cni-1", "web-1");
    test_cluster.daemon("old", "old-1", "web-1").deleted = noon;
    test_cluster.daemon("cni", "cni-2", "web-2");
    test_cluster.pod("static", "web-1").annotations = {{"kubernetes.io/config.mirror", "x"}};
    test_cluster.pod("owned-by-node", "web-1").owner = {.kind = "Node", .name = "web-1"};
    const GroupTemplate web = template_of(test_cluster);
    EXPECT_THAT(web.template_node.daemons, SizeIs(3));
    EXPECT_EQ(web.node->free, amounts(4000 - 50 - 100 - 100, 16384, 107));
    EXPECT_EQ(web.template_node.allocatable, amounts(4000));
}

TEST(TemplateDaemons, CountADaemonSetOnceWhileItReplacesAPod) {
    TestCluster test_cluster = group_with_node();
    test_cluster.daemon("cni", "cni-1", "web-1");
    test_cluster.daemon("cni", "cni-2", "web-1");
    EXPECT_THAT(template_of(test_cluster).template_node.daemons, SizeIs(1));
}

TEST(TemplateDaemons, AreEqualForEqualNodesOfTwoGroups) {
    TestCluster test_cluster;
    test_cluster.daemon_set("cni");
    for (const std::string group : {"a", "b"}) {
        test_cluster.group(group);
        test_cluster.node(group + "-1", group);
        // The controller pins each pod to its node, so that no two specs are equal.
        test_cluster.daemon("cni", "cni-" + group, group + "-1").spec.affinity_required = {
            {.fields = {{.key = "metadata.name", .values = {group + "-1"}}}}};
    }
    const auto templates = make_templates(test_cluster.snapshot(), Settings(), noon);
    EXPECT_THAT(templates.at(0).template_node.daemons, SizeIs(1));
    EXPECT_EQ(templates.at(0).template_node, templates.at(1).template_node);
}

TEST(TemplateDaemons, KeepTheRequestsOfTheRunningPod) {
    TestCluster test_cluster = group_with_node();
    test_cluster.daemon_set("cni");
    test_cluster.daemon("cni", "cni-1", "web-1").spec.requests = {{"cpu", 700}};
    EXPECT_EQ(free_cpu(test_cluster), 3300);
}

TEST(TemplateDaemons, IncludeMissingDaemonSetsOnlyIfForced) {
    TestCluster test_cluster = group_with_node();
    test_cluster.daemon_set("cni");
    test_cluster.daemon_set("logs");
    test_cluster.daemon("cni", "cni-1", "web-1");
    EXPECT_EQ(free_cpu(test_cluster), 3950);
    Settings force;
    force.force_daemon_sets = true;
    EXPECT_EQ(free_cpu(test_cluster, force), 3900);
}

TEST(TemplateDaemons, AreTheDaemonSetsThatMatchACloudTemplate) {
    struct Case {
        const char* what;
        std::function<void(snapshot::PodSpec&)> change;
        bool runs;
    };
    const auto needs = [](Operator op, const char* value) {
        return NodeSelectorTerm{.labels = {{.key = "disk", .op = op, .values = {value}}}};
    };
    for (const Case& c : {
             Case{"no constraint", [](snapshot::PodSpec&) {}, true},
             Case{"selected", [](snapshot::PodSpec& s) { s.node_selector = {{"disk", "ssd"}}; },
                  true},
             Case{"not selected", [](snapshot::PodSpec& s) { s.node_selector = {{"disk", "hdd"}}; },
                  false},
             Case{"required by affinity",
                  [&](snapshot::PodSpec& s) { s.affinity_required = {needs(Operator::in, "ssd")}; },
                  true},
             Case{"excluded by affinity",
                  [&](snapshot::PodSpec& s) {
                      s.affinity_required = {needs(Operator::not_in, "ssd")};
                  },
                  false},
             Case{"just fits", [](snapshot::PodSpec& s) { s.requests = {{"cpu", 1000}}; }, true},
             Case{"too large", [](snapshot::PodSpec& s) { s.requests = {{"cpu", 1001}}; }, false},
         }) {
        TestCluster test_cluster = described_group();
        c.change(test_cluster.daemon_set("d").spec);
        EXPECT_THAT(template_of(test_cluster).template_node.daemons, SizeIs(c.runs ? 1 : 0))
            << c.what;
    }
}

TEST(TemplateDaemons, MustTolerateLastingTaints) {
    struct Case {
        const char* taint;
        Effect effect;
        bool tolerates, runs;
    };
    for (const Case& c :
         {Case{"dedicated", Effect::no_schedule, false, false},
          Case{"dedicated", Effect::no_schedule, true, true},
          Case{"dedicated", Effect::prefer_no_schedule, false, true},
          // Every DaemonSet pod tolerates this one without saying so.
          Case{"node.kubernetes.io/unschedulable", Effect::no_schedule, false, true}}) {
        TestCluster test_cluster;
        test_cluster.group("web");
        test_cluster.describe("web", amounts(1000)).taints = {{.key = c.taint, .effect = c.effect}};
        snapshot::DaemonSetObject& d = test_cluster.daemon_set("d");
        if (c.tolerates) d.spec.tolerations = {{.key = c.taint, .op = Toleration::Op::exists}};
        EXPECT_THAT(template_of(test_cluster).template_node.daemons, SizeIs(c.runs ? 1 : 0))
            << c.taint;
    }
}

TEST(TemplateDaemons, AreLimitedToTheHighestPrioritiesThatFit) {
    TestCluster test_cluster = described_group();
    for (const auto& [name, priority] : std::vector<std::pair<const char*, std::int32_t>>{
             {"a", 0}, {"b", 2'000'001'000}, {"c", 10}}) {
        snapshot::DaemonSetObject& d = test_cluster.daemon_set(name);
        d.spec.requests = {{"cpu", 400}};
        d.spec.priority = priority;
    }
    const Snapshot snapshot = test_cluster.snapshot();
    const GroupTemplate web = make_templates(snapshot, Settings(), noon).at(0);
    std::vector<std::string> owners;
    for (const PodGroupId id : web.template_node.daemons) {
        owners.push_back(snapshot.cluster.equivalence_group(id).owner->name);
    }
    EXPECT_THAT(owners, ::testing::UnorderedElementsAre("b", "c"));
    EXPECT_EQ(web.node->free.amount("cpu"), 200);
}

TEST(TemplateDaemons, SubtractTheStaticPodsThatTheCloudReports) {
    TestCluster test_cluster = described_group();
    NodeTemplate& cloud = test_cluster.describe("web", amounts(1000));
    cloud.allocatable = amounts(900);
    cloud.free = amounts(700, 16000, 108);
    test_cluster.daemon_set("cni");
    const GroupTemplate web = template_of(test_cluster);
    EXPECT_EQ(web.node->allocatable, amounts(900));
    EXPECT_EQ(web.template_node.allocatable, amounts(700, 16000, 108));
    EXPECT_EQ(web.node->free, amounts(650, 16000, 107));
}

TEST(TemplateDaemons, CountKubeProxyOnce) {
    struct Case {
        const char* what;
        std::int64_t cloud_free;  ///< of 1000m
        const char* daemon_set;   ///< NULL: none
        std::int64_t free;
    };
    for (const Case& c : {
             Case{"a static pod", 900, nullptr, 900},
             Case{"a DaemonSet", 900, "kube-proxy", 950},
             Case{"a DaemonSet of another name", 900, "kube-proxy-arm64", 950},
             Case{"another DaemonSet", 900, "cni", 850},
             Case{"a DaemonSet that the cloud does not count", 1000, "kube-proxy", 950},
             Case{"a DaemonSet and other static pods", 700, "kube-proxy", 750},
             Case{"a DaemonSet for which the cloud counts less", 980, "kube-proxy", 950},
         }) {
        TestCluster test_cluster = described_group();
        test_cluster.describe("web", amounts(1000)).free = amounts(c.cloud_free);
        if (c.daemon_set != nullptr) test_cluster.daemon_set(c.daemon_set);
        EXPECT_EQ(free_cpu(test_cluster), c.free) << c.what;
    }
}

TEST(TemplateDaemons, TreatKubeProxyInAnotherNamespaceAsAnyDaemonSet) {
    TestCluster test_cluster = described_group();
    test_cluster.describe("web", amounts(1000)).free = amounts(900);
    test_cluster.daemon_set("kube-proxy").ns = "apps";
    EXPECT_EQ(free_cpu(test_cluster), 850);
}

TEST(TemplateDaemons, CountStaticKubeProxyIfTheDaemonSetDoesNotMatch) {
    TestCluster test_cluster = described_group();
    test_cluster.describe("web", amounts(1000)).free = amounts(900);
    test_cluster.daemon_set("kube-proxy").spec.node_selector = {{"kubernetes.io/os", "windows"}};
    EXPECT_EQ(free_cpu(test_cluster), 900);
}

TEST(TemplateDaemons, AreEqualInTheTemplateNodeAndTheNodeTemplate) {
    TestCluster test_cluster = group_with_node();
    test_cluster.group("a");
    NodeTemplate& cloud = test_cluster.describe("a", amounts(8000));
    cloud.free = amounts(7500);
    for (const char* name : {"cni", "kube-proxy", "logs"}) test_cluster.daemon_set(name);
    test_cluster.daemon("cni", "cni-1", "web-1");
    const Snapshot snapshot = test_cluster.snapshot();
    for (const GroupTemplate& t : make_templates(snapshot, Settings(), noon)) {
        EXPECT_EQ(t.node->free, t.template_node.allocatable -
                                    taken_by(snapshot.cluster, t.template_node.daemons));
        EXPECT_EQ(t.node->labels, t.template_node.labels);
        EXPECT_EQ(t.node->taints, t.template_node.taints);
        EXPECT_THAT(t.template_node.daemons, ::testing::Not(IsEmpty()));
    }
}

}  // namespace
}  // namespace capstan::engine::templates
