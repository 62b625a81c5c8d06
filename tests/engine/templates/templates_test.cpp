#include "engine/templates/templates.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "../test_cluster.hpp"

namespace capstan::engine::templates {
namespace {

using ::testing::HasSubstr;

Settings settings_with(TemplateSource source) {
    Settings out;
    out.template_source = source;
    return out;
}

/// The template of the only group.
GroupTemplate first_template(const TestCluster& test_cluster, const Settings& settings = {}) {
    return make_templates(test_cluster.snapshot(), settings, noon).at(0);
}

/// A group "web" with two nodes of 4 cores; its cloud describes nodes of 8.
TestCluster two_nodes() {
    TestCluster test_cluster;
    test_cluster.group("web");
    test_cluster.describe("web", amounts(8000));
    test_cluster.node("web-1", "web");
    test_cluster.node("web-2", "web").labels = {{"second", "yes"}};
    return test_cluster;
}

TEST(Templates, UseTheYoungestNode) {
    TestCluster test_cluster;
    test_cluster.group("web");
    test_cluster.node("web-1", "web").created = noon - 2h;
    snapshot::NodeObject& second = test_cluster.node("web-2", "web");
    second.created = noon - 1h;
    second.ready_since = noon - 1h;
    EXPECT_EQ(first_template(test_cluster).because, "from node web-2");
    second.unschedulable = true;
    EXPECT_EQ(first_template(test_cluster).because, "from node web-1");
}

TEST(Templates, LeaveOutWhatOnlySomeNodesHave) {
    TestCluster test_cluster;
    test_cluster.group("web");
    NodeTemplate& described = test_cluster.describe("web", amounts(8000));
    described.labels["pool"] = "web";
    snapshot::NodeObject& first = test_cluster.node("web-1", "web");
    first.taints = {{.key = "remediator", .effect = Effect::no_schedule}};
    first.labels = {{"by-hand", "yes"}, {"pool", "web"}, {"both", "1"}};
    test_cluster.node("web-2", "web").labels = {{"both", "2"}};
    const GroupTemplate web = first_template(test_cluster);
    EXPECT_EQ(web.because,
              "from node web-1, without taint remediator, label by-hand, which node web-2 lacks");
    EXPECT_TRUE(web.node->taints.empty());
    EXPECT_FALSE(web.node->labels.contains("by-hand"));
    EXPECT_EQ(web.node->labels.at("both"), "1");
    EXPECT_EQ(web.node->labels.at("pool"), "web") << "the cloud describes it";
}

TEST(Templates, UseTheFirstSuitableNode) {
    struct Case {
        const char* what;
        std::function<void(snapshot::NodeObject&)> change;
        bool fit;
    };
    for (const Case& c : {
             Case{"unchanged", [](snapshot::NodeObject&) {}, true},
             Case{"unready", [](snapshot::NodeObject& n) { n.ready = false; }, false},
             Case{"ready for less than a minute",
                  [](snapshot::NodeObject& n) { n.ready_since = noon - 1min + 1ns; }, false},
             Case{"ready for a minute",
                  [](snapshot::NodeObject& n) { n.ready_since = noon - 1min; }, true},
             Case{"ready in half a minute: the clocks differ",
                  [](snapshot::NodeObject& n) { n.ready_since = noon + 30s; }, false},
             Case{"ready before the clock was set back",
                  [](snapshot::NodeObject& n) { n.ready_since = noon + 1min; }, true},
             Case{"cordoned", [](snapshot::NodeObject& n) { n.unschedulable = true; }, false},
             Case{"being deleted",
                  [](snapshot::NodeObject& n) {
                      n.taints = {{.key = "ToBeDeletedByClusterAutoscaler"}};
                  },
                  false},
             Case{"tainted", [](snapshot::NodeObject& n) { n.taints = {{.key = "dedicated"}}; },
                  true},
         }) {
        TestCluster test_cluster;
        test_cluster.group("web");
        test_cluster.node("web-2", "web");
        c.change(test_cluster.node("web-1", "web"));
        EXPECT_THAT(first_template(test_cluster).because,
                    ::testing::StartsWith(c.fit ? "from node web-1" : "from node web-2"))
            << c.what;
    }
}

TEST(Templates, IgnoreNodesWhoseMachineIsBeingDeleted) {
    TestCluster test_cluster;
    test_cluster.group("web");
    test_cluster.node("web-1");
    test_cluster.machine("web", "web-1", MachineState::deleting);
    test_cluster.node("web-2", "web");
    EXPECT_EQ(first_template(test_cluster).because, "from node web-2");
}

TEST(Templates, UseTheCloudIfNoNodeIsSuitableOrIfConfigured) {
    TestCluster unready;
    unready.group("web");
    unready.describe("web", amounts(8000));
    unready.node("web-1", "web").ready = false;
    EXPECT_EQ(first_template(unready).node->capacity, amounts(8000));
    EXPECT_EQ(first_template(two_nodes()).node->capacity, amounts(4000));
    const GroupTemplate clouds = first_template(two_nodes(), settings_with(TemplateSource::cloud));
    EXPECT_EQ(clouds.node->capacity, amounts(8000));
    EXPECT_EQ(clouds.because, "from the cloud");
}

TEST(Templates, UseAnyNodeAsALastResort) {
    TestCluster test_cluster;
    Group& group = test_cluster.group("web");
    test_cluster.node("web-1", "web").unschedulable = true;
    group.undescribed_because = "describe web: AccessDenied";
    const GroupTemplate fallback = first_template(test_cluster);
    EXPECT_EQ(fallback.because, "from node web-1, which is cordoned; describe web: AccessDenied");
    EXPECT_NE(fallback.node, nullptr);
    const GroupTemplate none = first_template(test_cluster, settings_with(TemplateSource::cloud));
    EXPECT_EQ(none.node, nullptr);
    EXPECT_EQ(none.template_node, scheduling::TemplateNode());
    EXPECT_EQ(none.because, "describe web: AccessDenied");
}

TEST(Templates, ExplainWhyTheyAreMissing) {
    TestCluster test_cluster;
    test_cluster.group("web");
    EXPECT_EQ(first_template(test_cluster).because,
              "the cloud does not describe new nodes, and the group has no node");
}

TEST(Templates, AreMadeForOtherGroupsIfOneIsMissing) {
    TestCluster test_cluster;
    test_cluster.group("a");
    test_cluster.group("b");
    test_cluster.describe("b", amounts(8000));
    const auto all = make_templates(test_cluster.snapshot(), Settings(), noon);
    EXPECT_EQ(all.at(0).node, nullptr);
    EXPECT_NE(all.at(1).node, nullptr);
}

TEST(Templates, DropLabelsAndTaintsOfTheIndividualNode) {
    TestCluster test_cluster;
    test_cluster.group("web");
    snapshot::NodeObject& node = test_cluster.node("web-1", "web");
    node.labels = {{"kubernetes.io/hostname", "web-1"}, {"team", "shop"}};
    node.taints = {{.key = "dedicated"}, {.key = "node.kubernetes.io/disk-pressure"}};
    const GroupTemplate web = first_template(test_cluster);
    const Labels labels = {{"kubernetes.io/hostname", "new-node"}, {"team", "shop"}};
    EXPECT_EQ(web.node->name, "template-node-for-web");
    EXPECT_EQ(web.node->labels, labels);
    EXPECT_EQ(web.template_node.labels, labels);
    EXPECT_EQ(web.node->taints, std::vector<Taint>{{.key = "dedicated"}});
    EXPECT_EQ(web.template_node.taints, std::vector<Taint>{{.key = "dedicated"}});
}

TEST(Templates, DropStartupTaintsOfTheCloud) {
    TestCluster test_cluster;
    test_cluster.group("web");
    test_cluster.describe("web", amounts(8000)).taints = {
        {.key = "startup-taint.cluster-autoscaler.kubernetes.io/cni"}, {.key = "dedicated"}};
    EXPECT_EQ(first_template(test_cluster).template_node.taints,
              std::vector<Taint>{{.key = "dedicated"}});
}

TEST(Templates, GetWellKnownLabelsIfFromTheCloud) {
    TestCluster test_cluster;
    test_cluster.group("web");
    NodeTemplate& cloud = test_cluster.describe("web", amounts(8000));
    cloud.machine_type = "m5";
    cloud.arch = "arm64";
    cloud.labels = {{"failure-domain.beta.kubernetes.io/zone", "a"},
                    {"topology.kubernetes.io/region", "eu"},
                    {"kubernetes.io/arch", "amd64"}};
    const GroupTemplate web = first_template(test_cluster);
    EXPECT_EQ(web.template_node.labels,
              (Labels{{"kubernetes.io/hostname", "new-node"},
                      {"kubernetes.io/arch", "amd64"},
                      {"beta.kubernetes.io/arch", "amd64"},
                      {"node.kubernetes.io/instance-type", "m5"},
                      {"beta.kubernetes.io/instance-type", "m5"},
                      {"topology.kubernetes.io/zone", "a"},
                      {"failure-domain.beta.kubernetes.io/zone", "a"},
                      {"topology.kubernetes.io/region", "eu"},
                      {"failure-domain.beta.kubernetes.io/region", "eu"}}));
    EXPECT_EQ(web.node->zone, "a");
}

TEST(Templates, HaveTheMachineTypeAndZoneOfTheNode) {
    TestCluster test_cluster;
    test_cluster.group("web");
    test_cluster.node("web-1", "web").labels = {{"beta.kubernetes.io/instance-type", "m5"},
                                                {"topology.kubernetes.io/zone", "a"},
                                                {"kubernetes.io/arch", "amd64"}};
    const GroupTemplate web = first_template(test_cluster);
    EXPECT_EQ(web.node->machine_type, "m5");
    EXPECT_EQ(web.node->zone, "a");
    EXPECT_EQ(web.node->arch, "amd64");
    EXPECT_EQ(web.node->labels.count("node.kubernetes.io/instance-type"), 0u);
}

TEST(Templates, GetResourcesThatOnlyTheCloudReports) {
    TestCluster test_cluster = two_nodes();
    Resources capacity = amounts(8000);
    capacity.set("nvidia.com/gpu", 2);
    test_cluster.describe("web", capacity);
    const GroupTemplate web = first_template(test_cluster);
    EXPECT_EQ(web.node->capacity.amount("cpu"), 4000);
    EXPECT_EQ(web.template_node.allocatable.amount("nvidia.com/gpu"), 2);
}

TEST(Templates, Allow110PodsByDefault) {
    TestCluster test_cluster;
    test_cluster.group("web");
    test_cluster.describe("web", {{"cpu", 8000}});
    EXPECT_EQ(first_template(test_cluster).template_node.allocatable.amount("pods"), 110);
    test_cluster.describe("web", {{"cpu", 8000}, {"pods", 30}});
    EXPECT_EQ(first_template(test_cluster).template_node.allocatable.amount("pods"), 30);
}

TEST(Templates, UseTheReservesOfNodesOfTheType) {
    TestCluster test_cluster;
    test_cluster.group("web");
    test_cluster.describe("web", amounts(8000)).machine_type = "m5";
    snapshot::NodeObject& other = test_cluster.node("other-1");
    other.labels = {{"node.kubernetes.io/instance-type", "m5"}};
    other.allocatable = amounts(3500);
    test_cluster.csi_node({.name = "other-1", .limits = {{"ebs", 25}}, .migrated = {"ebs"}});
    const GroupTemplate web = first_template(test_cluster);
    EXPECT_EQ(web.node->allocatable, amounts(3500));
    EXPECT_EQ(web.template_node.csi_limits.at("ebs"), 25);
    EXPECT_TRUE(web.template_node.csi_migrated.contains("ebs"));
    EXPECT_THAT(web.because, HasSubstr("1 node of type m5"));

    Settings not_learning;
    not_learning.reserve_from_nodes = false;
    EXPECT_EQ(first_template(test_cluster, not_learning).node->allocatable, amounts(8000));
    EXPECT_TRUE(first_template(test_cluster, not_learning).template_node.csi_limits.empty());
}

TEST(Templates, HaveTheAttachLimitsOfTheNode) {
    TestCluster test_cluster = two_nodes();
    test_cluster.csi_node({.name = "web-1", .limits = {{"ebs", 25}}, .migrated = {"ebs"}});
    const GroupTemplate web = first_template(test_cluster);
    EXPECT_EQ(web.template_node.csi_limits.at("ebs"), 25);
    EXPECT_TRUE(web.template_node.csi_migrated.contains("ebs"));
}

// Upstream caches templates, so a changed DaemonSet may have no effect for a long time.
TEST(Templates, ReflectChangesImmediately) {
    TestCluster test_cluster = two_nodes();
    const auto before = first_template(test_cluster);
    test_cluster.daemon("logs", "logs-1", "web-1");
    EXPECT_EQ(first_template(test_cluster).node->free.amount("cpu"),
              before.node->free.amount("cpu") - 50);
}

TEST(Templates, DoNotDependOnTheOrderOfNodes) {
    TestCluster forwards, backwards;
    for (TestCluster* test_cluster : {&forwards, &backwards}) test_cluster->group("web");
    const std::vector<std::string> nodes = {"web-1", "web-2", "web-3"};
    for (auto at = nodes.begin(); at != nodes.end(); ++at) forwards.node(*at, "web");
    for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) backwards.node(*at, "web");
    EXPECT_EQ(*first_template(forwards).node, *first_template(backwards).node);
    EXPECT_EQ(first_template(forwards).because, first_template(backwards).because);
}

}  // namespace
}  // namespace capstan::engine::templates
