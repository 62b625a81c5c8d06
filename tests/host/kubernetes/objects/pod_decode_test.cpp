#include "kubernetes/objects/pod_decode.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace capstan::kubernetes::objects {
namespace {

struct Decoded {
    PodEquivalenceGroup pod;
    std::vector<JsonProblem> problems;
};

Decoded decode(const std::string& text) {
    const boost::json::value document = boost::json::parse(text);
    JsonProblems problems(document);
    PodEquivalenceGroup pod = decode_pod(problems.root());
    return {std::move(pod), problems.kept()};
}

TEST(PodDecode, UsesKubernetesDefaults) {
    const Decoded decoded = decode("{}");
    EXPECT_TRUE(decoded.problems.empty());
    EXPECT_EQ(decoded.pod, (PodEquivalenceGroup{.ns = "default"}));
}

TEST(PodDecode, ReadsTheUsedMembers) {
    const Decoded decoded = decode(R"({
        "apiVersion": "v1", "kind": "Pod", "status": {"phase": "Pending"},
        "metadata": {"namespace": "shop", "name": "web-1", "uid": "x", "labels": {"app": "web"},
                     "annotations": {"a/b": "c"},
                     "ownerReferences": [{"kind": "Other", "name": "o"},
                                         {"kind": "ReplicaSet", "name": "web-5d9c", "controller": true}]},
        "spec": {"schedulerName": "mine", "priority": -10, "nodeSelector": {"disk": "ssd"},
                 "containers": [{"image": "i", "resources": {"requests": {"cpu": "250m"}}}],
                 "tolerations": [{"key": "dedicated", "value": "web", "effect": "NoSchedule"},
                                 {"operator": "Exists", "tolerationSeconds": 300}],
                 "affinity": {"podAffinity": {}, "nodeAffinity": {
                     "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                         {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
                          "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]}]},
                     "preferredDuringSchedulingIgnoredDuringExecution": [
                         {"weight": 7, "preference": {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}}]}}}
    })");
    EXPECT_TRUE(decoded.problems.empty());
    PodEquivalenceGroup expected{
        .ns = "shop", .example = "web-1", .owner_kind = "ReplicaSet", .owner_name = "web-5d9c"};
    expected.scheduler = "mine";
    expected.requests = {{"cpu", 250}};
    expected.labels = {{"app", "web"}};
    expected.annotations = {{"a/b", "c"}};
    expected.node_selector = {{"disk", "ssd"}};
    expected.affinity_required = {{.labels = {{.key = "zone", .values = {"a", "b"}}},
                                   .fields = {{"metadata.name", Operator::not_in, {"n1"}}}}};
    expected.affinity_preferred = {{.labels = {{"gpu", Operator::exists}}, .weight = 7}};
    expected.tolerations = {{.key = "dedicated", .value = "web", .effect = Effect::no_schedule},
                            {.op = Toleration::Op::exists}};
    expected.priority = -10;
    EXPECT_EQ(decoded.pod, expected);
}

TEST(PodDecode, TreatsAnEmptyRequiredAffinityAsMatchingNoNode) {
    const Decoded decoded = decode(R"({"spec":{"affinity":{"nodeAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]}}}}})");
    EXPECT_FALSE(selects(decoded.pod, {{"any", "label"}}, "node"));
}

TEST(PodDecode, TreatsAnUnknownOperatorAsMatchingNoNode) {
    const Decoded decoded = decode(R"({"spec":{"affinity":{"nodeAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
            {"matchExpressions":[{"key":"a","operator":"Is","values":["b"]}]}]}}}}})");
    EXPECT_FALSE(selects(decoded.pod, {{"a", "b"}}, "node"));
    ASSERT_EQ(decoded.problems.size(), 1u);
    EXPECT_EQ(decoded.problems[0].what,
              "expects In, NotIn, Exists, DoesNotExist, Gt or Lt, found text (\"Is\")");
}

TEST(PodDecode, ReportsThePointerOfEachMalformedMember) {
    const Decoded decoded = decode(R"({"metadata":{"labels":{"a/b":1},"name":7},
        "spec":{"containers":{},"priority":1.5,"tolerations":[null,{"operator":"Near"},{"effect":"Never"}]}})");
    const std::vector<JsonProblem> expected{
        {"/metadata/name", "expects text, found a number (7)"},
        {"/metadata/labels/a~1b", "expects text, found a number (1)"},
        {"/spec/containers", "expects an array, found an object"},
        {"/spec/tolerations/0", "expects an object, found null"},
        {"/spec/tolerations/1/operator", "expects Equal or Exists, found text (\"Near\")"},
        {"/spec/tolerations/2/effect",
         "expects NoSchedule, PreferNoSchedule or NoExecute, found text (\"Never\")"},
        {"/spec/priority",
         "expects an integer from -2147483648 to 2147483647, found a number (1.5)"},
    };
    EXPECT_EQ(decoded.problems, expected);
}

}  // namespace
}  // namespace capstan::kubernetes::objects
