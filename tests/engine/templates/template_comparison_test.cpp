#include "engine/templates/template_comparison.hpp"

#include <gmock/gmock.h>

#include "../pass_case.hpp"
#include "engine/pass/explain.hpp"

namespace capstan::engine::templates {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

/// "label team: a | b: differs"; "-" if one of the two lacks the field.
std::vector<std::string> lines_of(const std::vector<TemplateField>& fields) {
    std::vector<std::string> out;
    for (const TemplateField& field : fields)
        out.push_back(field.name + ": " + field.from_template.value_or("-") + " | " +
                      field.from_node.value_or("-") + (field.is_same() ? "" : ": " + field.mark));
    return out;
}

std::vector<std::string> compared(const NodeTemplate& from_cloud, const NodeTemplate& from_node,
                                  const std::string& provider_id = {}) {
    return lines_of(compare_fields(from_cloud, from_node, provider_id, {}));
}

TEST(TemplateFields, AreListedInAFixedOrderWithBothValues) {
    const NodeTemplate from_cloud{.machine_type = "n2",
                                  .zone = "a",
                                  .arch = "amd64",
                                  .os = "linux",
                                  .labels = {{"team", "x"}},
                                  .taints = {{"dedicated", "gpu", Effect::no_schedule}},
                                  .capacity = {{"cpu", 4_cpu}},
                                  .allocatable = {{"cpu", 3900}}};
    NodeTemplate from_node = from_cloud;
    from_node.zone = "b";
    from_node.allocatable.set("cpu", 3920);
    EXPECT_THAT(compared(from_cloud, from_node),
                ElementsAre("machine type: n2 | n2", "zone: a | b: differs", "arch: amd64 | amd64",
                            "os: linux | linux", "capacity cpu: 4 | 4",
                            "allocatable cpu: 3900m | 3920m: 0.5% more", "label team: x | x",
                            "taint dedicated: gpu:NoSchedule | gpu:NoSchedule"));
}

TEST(TemplateFields, ShowDifferencesOfAmountsAsPercentages) {
    const struct {
        std::optional<std::int64_t> from_cloud, from_node;
        const char* mark;
    } cases[] = {{1000, 1000, ""},
                 {1000, 990, "1% less"},
                 {1000, 1012, "1.2% more"},
                 {100000, 99999, "differs"},
                 {1000, 0, "not on node"},
                 {1000, std::nullopt, "not on node"},
                 {0, 1000, "not in template"},
                 {std::nullopt, 1000, "not in template"}};
    for (const auto& [from_cloud, from_node, mark] : cases) {
        NodeTemplate of_cloud, of_node;
        if (from_cloud) of_cloud.capacity.set("example.com/a", *from_cloud);
        if (from_node) of_node.capacity.set("example.com/a", *from_node);
        EXPECT_THAT(compare_fields(of_cloud, of_node, {}, {}),
                    ElementsAre(Field(&TemplateField::mark, mark)))
            << from_cloud.value_or(-1) << " " << from_node.value_or(-1);
    }
}

TEST(TemplateFields, IgnoreZeroAmounts) {
    EXPECT_THAT(compared({.capacity = {{"hugepages-1Gi", 0}}}, {}), IsEmpty());
    EXPECT_THAT(compared({}, {.allocatable = {{"hugepages-1Gi", 0}}}), IsEmpty());
}

TEST(TemplateFields, ShowFieldsThatOnlyOneSideHas) {
    const NodeTemplate from_cloud{.labels = {{"a", "1"}, {"c", ""}},
                                  .taints = {{"x", "", Effect::no_execute}}};
    const NodeTemplate from_node{.machine_type = "n2", .labels = {{"b", "2"}, {"c", "3"}}};
    EXPECT_THAT(compared(from_cloud, from_node),
                ElementsAre("machine type: - | n2: not in template", "label a: 1 | -: not on node",
                            "label b: - | 2: not in template", "label c:  | 3: differs",
                            "taint x: NoExecute | -: not on node"));
}

TEST(TemplateFields, ReplaceLabelsThatRepeatAField) {
    const NodeTemplate from_node{.labels = {{"kubernetes.io/arch", "arm64"},
                                            {"kubernetes.io/os", "linux"},
                                            {"beta.kubernetes.io/os", "linux"},
                                            {"node.kubernetes.io/instance-type", "t2a"},
                                            {"failure-domain.beta.kubernetes.io/zone", "a"},
                                            {"topology.kubernetes.io/region", "r"}}};
    EXPECT_THAT(
        compared({.arch = "arm64", .os = "linux"}, from_node),
        ElementsAre("machine type: - | t2a: not in template", "zone: - | a: not in template",
                    "arch: arm64 | arm64", "os: linux | linux",
                    "label topology.kubernetes.io/region: - | r: not in template"));
}

TEST(TemplateFields, IgnoreLabelsThatIdentifyTheNode) {
    const NodeTemplate from_node{.name = "web-1",
                                 .labels = {{"kubernetes.io/hostname", "web-1.internal"},
                                            {"example.com/node", "web-1"},
                                            {"example.com/instance", "i-0a"},
                                            {"example.com/group", "web"}}};
    EXPECT_THAT(
        compared({.labels = {{"kubernetes.io/hostname", "new"}}}, from_node, "aws:///a/i-0a"),
        ElementsAre("label example.com/group: - | web: not in template"));
}

TEST(TemplateFields, IgnoreTransientTaintsAndCombineTaintsOfOneKey) {
    const NodeTemplate from_node{
        .taints = {{"node.kubernetes.io/not-ready", "", Effect::no_schedule},
                   {"a", "1", Effect::no_schedule},
                   {"a", "1", Effect::no_execute}}};
    EXPECT_THAT(compared({}, from_node),
                ElementsAre("taint a: - | 1:NoExecute, 1:NoSchedule: not in template"));
}

struct ComparedGroup : PassCase {
    ComparedGroup() {
        test_cluster.group("web", 2);
        test_cluster.describe("web", amounts(4000)).labels = {{"team", "x"}};
    }
    pass::GroupAnswer answer() {
        const Snapshot snapshot = test_cluster.snapshot();
        const Policies with = policies();
        return *pass::explain_pass(snapshot, memory, with, settings, call_context)
                    .group(NodeGroupId("web"));
    }
    TemplateComparison compare() { return answer().comparison; }
};

TEST(TemplateComparison, UsesTheYoungestSuitableNode) {
    ComparedGroup c;
    c.test_cluster.node("a-old", "web");
    c.test_cluster.node("b-young", "web").created = noon - 30min;
    c.test_cluster.node("c-cordoned", "web").created = noon - 20min;
    c.test_cluster.change_node("c-cordoned").unschedulable = true;
    snapshot::NodeObject& fresh = c.test_cluster.node("d-fresh", "web");
    fresh.created = noon - 2min;
    fresh.ready_since = noon - 30s;
    c.test_cluster.node("e-unready", "web").created = noon - 10min;
    c.test_cluster.change_node("e-unready").ready = false;
    const TemplateComparison comparison = c.compare();
    EXPECT_EQ(comparison.node, "b-young");
    EXPECT_EQ(comparison.not_compared_because, "");
    EXPECT_EQ(comparison.remark, "");
    EXPECT_THAT(lines_of(comparison.fields), Contains("label team: x | -: not on node"));
    EXPECT_EQ(comparison.differences(), 4u)
        << "the label, and the allocatable amounts, which the cloud does not report";
}

TEST(TemplateComparison, UsesTheTemplateOfTheCloudEvenIfANodeIsTheTemplate) {
    ComparedGroup c;
    c.settings.template_source = TemplateSource::mixed;
    c.test_cluster.node("a", "web").capacity.set("cpu", 8000);
    const pass::GroupAnswer answer = c.answer();
    EXPECT_EQ(answer.template_source, "from node a");
    EXPECT_THAT(lines_of(answer.comparison.fields), Contains("capacity cpu: 4 | 8: 100% more"));
}

TEST(TemplateComparison, ExplainsWhyNoNodeIsComparable) {
    ComparedGroup c;
    EXPECT_EQ(c.compare().not_compared_because, "the group has no node");
    EXPECT_THAT(c.compare().fields, IsEmpty());
    c.test_cluster.node("a", "web").ready = false;
    EXPECT_EQ(c.compare().not_compared_because, "its only node, a, is not ready");
    c.test_cluster.node("b", "web").unschedulable = true;
    EXPECT_EQ(c.compare().not_compared_because,
              "none of its 2 nodes can serve as a template: a is not ready");
    EXPECT_EQ(c.compare().node, "");
}

TEST(TemplateComparison, ExplainsWhyNoTemplateIsAvailable) {
    ComparedGroup c;
    c.test_cluster.node("a", "web");
    c.test_cluster.change_group("web").described = nullptr;
    EXPECT_EQ(c.compare().not_compared_because, "the cloud does not describe new nodes");
    EXPECT_EQ(c.compare().node, "a");
    c.test_cluster.change_group("web").undescribed_because = "image ami-1 is not there";
    EXPECT_EQ(c.compare().not_compared_because, "image ami-1 is not there");
}

TEST(TemplateComparison, ExplainsExpectedDifferences) {
    ComparedGroup c;
    c.test_cluster.node("a", "web");
    c.test_cluster.change_group("web").group.template_fingerprint = "v2";
    EXPECT_EQ(c.compare().remark, "") << "the template of the node is unknown";
    c.test_cluster.change_group("web").machines.front().template_fingerprint = "v1";
    c.test_cluster.change_group("web").group.debug = "";
    EXPECT_EQ(c.compare().remark, "the node was created from another template (v1) than new nodes");
    c.test_cluster.change_group("web").group.debug = "web, made from lt-1, version 2";
    EXPECT_EQ(c.compare().remark,
              "the node was created from another template (v1) than new nodes (web, made from "
              "lt-1, version 2)");
    c.test_cluster.change_group("web").group.template_fingerprint = "";
    EXPECT_EQ(c.compare().remark, "") << "the cloud has no fingerprints of templates";
    c.test_cluster.describe("web", amounts(4000)).fingerprint = "v2";
    EXPECT_NE(c.compare().remark, "");
    c.test_cluster.change_group("web").group.template_fingerprint = "v2";
    c.test_cluster.change_group("web").machines.front().template_fingerprint = "v2";
    EXPECT_EQ(c.compare().remark, "");
    c.test_cluster.describe("web", amounts(4000)).variants = 3;
    EXPECT_EQ(c.compare().remark, "the template has the smallest values of 3 machine types");
}

}  // namespace
}  // namespace capstan::engine::templates
