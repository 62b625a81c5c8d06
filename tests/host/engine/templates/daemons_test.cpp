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
GroupTemplate made(const World& world, const Settings& settings = {}) {
    return make_templates(world.snapshot(), settings, noon).at(0);
}

/// A group without nodes, whose cloud describes nodes of 1 core.
World described() {
    World world;
    world.group("web");
    world.describe("web", amounts(1000)).labels = {{"disk", "ssd"}};
    return world;
}

/// A group with one node.
World with_node() {
    World world;
    world.group("web");
    world.node("web-1", "web");
    return world;
}

std::int64_t free_cpu(const World& world, const Settings& settings = {}) {
    return made(world, settings).node->free.amount("cpu");
}

TEST(TemplateDaemons, AreTheDaemonSetAndStaticPodsOfTheNode) {
    World world = with_node();
    world.pod("web", "web-1");
    world.daemon("cni", "cni-1", "web-1");
    world.daemon("old", "old-1", "web-1").deleted = noon;
    world.daemon("cni", "cni-2", "web-2");
    world.pod("static", "web-1").annotations = {{"kubernetes.io/config.mirror", "x"}};
    world.pod("owned-by-node", "web-1").owner = {.kind = "Node", .name = "web-1"};
    const GroupTemplate web = made(world);
    EXPECT_THAT(web.shape.daemons, SizeIs(3));
    EXPECT_EQ(web.node->free, amounts(4000 - 50 - 100 - 100, 16384, 107));
    EXPECT_EQ(web.shape.allocatable, amounts(4000));
}

TEST(TemplateDaemons, CountADaemonSetOnceWhileItReplacesAPod) {
    World world = with_node();
    world.daemon("cni", "cni-1", "web-1");
    world.daemon("cni", "cni-2", "web-1");
    EXPECT_THAT(made(world).shape.daemons, SizeIs(1));
}

TEST(TemplateDaemons, AreEqualForEqualNodesOfTwoGroups) {
    World world;
    world.daemon_set("cni");
    for (const std::string group : {"a", "b"}) {
        world.group(group);
        world.node(group + "-1", group);
        // The controller pins each pod to its node, so that no two specs are equal.
        world.daemon("cni", "cni-" + group, group + "-1").spec.affinity_required = {
            {.fields = {{.key = "metadata.name", .values = {group + "-1"}}}}};
    }
    const auto templates = make_templates(world.snapshot(), Settings(), noon);
    EXPECT_THAT(templates.at(0).shape.daemons, SizeIs(1));
    EXPECT_EQ(templates.at(0).shape, templates.at(1).shape);
}

TEST(TemplateDaemons, KeepTheRequestsOfTheRunningPod) {
    World world = with_node();
    world.daemon_set("cni");
    world.daemon("cni", "cni-1", "web-1").spec.requests = {{"cpu", 700}};
    EXPECT_EQ(free_cpu(world), 3300);
}

TEST(TemplateDaemons, IncludeMissingDaemonSetsOnlyIfForced) {
    World world = with_node();
    world.daemon_set("cni");
    world.daemon_set("logs");
    world.daemon("cni", "cni-1", "web-1");
    EXPECT_EQ(free_cpu(world), 3950);
    Settings force;
    force.force_daemon_sets = true;
    EXPECT_EQ(free_cpu(world, force), 3900);
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
             Case{"anywhere", [](snapshot::PodSpec&) {}, true},
             Case{"selected", [](snapshot::PodSpec& s) { s.node_selector = {{"disk", "ssd"}}; },
                  true},
             Case{"elsewhere", [](snapshot::PodSpec& s) { s.node_selector = {{"disk", "hdd"}}; },
                  false},
             Case{"affine",
                  [&](snapshot::PodSpec& s) { s.affinity_required = {needs(Operator::in, "ssd")}; },
                  true},
             Case{"averse",
                  [&](snapshot::PodSpec& s) {
                      s.affinity_required = {needs(Operator::not_in, "ssd")};
                  },
                  false},
             Case{"just fits", [](snapshot::PodSpec& s) { s.requests = {{"cpu", 1000}}; }, true},
             Case{"too large", [](snapshot::PodSpec& s) { s.requests = {{"cpu", 1001}}; }, false},
         }) {
        World world = described();
        c.change(world.daemon_set("d").spec);
        EXPECT_THAT(made(world).shape.daemons, SizeIs(c.runs ? 1 : 0)) << c.what;
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
        World world;
        world.group("web");
        world.describe("web", amounts(1000)).taints = {{.key = c.taint, .effect = c.effect}};
        snapshot::DaemonSetObject& d = world.daemon_set("d");
        if (c.tolerates) d.spec.tolerations = {{.key = c.taint, .op = Toleration::Op::exists}};
        EXPECT_THAT(made(world).shape.daemons, SizeIs(c.runs ? 1 : 0)) << c.taint;
    }
}

TEST(TemplateDaemons, AreLimitedToTheHighestPrioritiesThatFit) {
    World world = described();
    for (const auto& [name, priority] : std::vector<std::pair<const char*, std::int32_t>>{
             {"a", 0}, {"b", 2'000'001'000}, {"c", 10}}) {
        snapshot::DaemonSetObject& d = world.daemon_set(name);
        d.spec.requests = {{"cpu", 400}};
        d.spec.priority = priority;
    }
    const Snapshot snapshot = world.snapshot();
    const GroupTemplate web = make_templates(snapshot, Settings(), noon).at(0);
    std::vector<std::string> owners;
    for (const snapshot::PodGroupId id : web.shape.daemons) {
        owners.push_back(snapshot.cluster.equivalence_group(id).owner->name);
    }
    EXPECT_THAT(owners, ::testing::UnorderedElementsAre("b", "c"));
    EXPECT_EQ(web.node->free.amount("cpu"), 200);
}

TEST(TemplateDaemons, SubtractTheStaticPodsThatTheCloudReports) {
    World world = described();
    NodeTemplate& cloud = world.describe("web", amounts(1000));
    cloud.allocatable = amounts(900);
    cloud.free = amounts(700, 16000, 108);
    world.daemon_set("cni");
    const GroupTemplate web = made(world);
    EXPECT_EQ(web.node->allocatable, amounts(900));
    EXPECT_EQ(web.shape.allocatable, amounts(700, 16000, 108));
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
             Case{"a DaemonSet, and the cloud counts nothing", 1000, "kube-proxy", 950},
             Case{"a DaemonSet beside other static pods", 700, "kube-proxy", 750},
             Case{"a DaemonSet for which the cloud counts less", 980, "kube-proxy", 950},
         }) {
        World world = described();
        world.describe("web", amounts(1000)).free = amounts(c.cloud_free);
        if (c.daemon_set != nullptr) world.daemon_set(c.daemon_set);
        EXPECT_EQ(free_cpu(world), c.free) << c.what;
    }
}

TEST(TemplateDaemons, TreatKubeProxyInAnotherNamespaceAsAnyDaemonSet) {
    World world = described();
    world.describe("web", amounts(1000)).free = amounts(900);
    world.daemon_set("kube-proxy").ns = "apps";
    EXPECT_EQ(free_cpu(world), 850);
}

TEST(TemplateDaemons, CountStaticKubeProxyIfTheDaemonSetDoesNotMatch) {
    World world = described();
    world.describe("web", amounts(1000)).free = amounts(900);
    world.daemon_set("kube-proxy").spec.node_selector = {{"kubernetes.io/os", "windows"}};
    EXPECT_EQ(free_cpu(world), 900);
}

TEST(TemplateDaemons, AreEqualInTheTemplateNodeAndTheNodeTemplate) {
    World world = with_node();
    world.group("a");
    NodeTemplate& cloud = world.describe("a", amounts(8000));
    cloud.free = amounts(7500);
    for (const char* name : {"cni", "kube-proxy", "logs"}) world.daemon_set(name);
    world.daemon("cni", "cni-1", "web-1");
    const Snapshot snapshot = world.snapshot();
    for (const GroupTemplate& t : make_templates(snapshot, Settings(), noon)) {
        EXPECT_EQ(t.node->free, t.shape.allocatable - taken_by(snapshot.cluster, t.shape.daemons));
        EXPECT_EQ(t.node->labels, t.shape.labels);
        EXPECT_EQ(t.node->taints, t.shape.taints);
        EXPECT_THAT(t.shape.daemons, ::testing::Not(IsEmpty()));
    }
}

}  // namespace
}  // namespace capstan::engine::templates
