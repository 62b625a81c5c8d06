// Pods with impossible requirements, and numbers near overflow.
#include <gmock/gmock.h>

#include <limits>

#include "label_sets.hpp"
#include "suggestions.hpp"

namespace capstan::provisioning {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ProvisioningLimits, SuggestNoGroupForAContradictingPod) {
    PodEquivalenceGroup pods = pod("p", {{"disk", "ssd"}});
    pods.affinity_required = {{.labels = {{.key = "disk", .op = Operator::in, .values = {"hdd"}}}}};
    const Suggestions found = suggest({pods}, {machine("m", 4)});
    EXPECT_THAT(found.groups, IsEmpty());
    ASSERT_EQ(found.left_out.size(), 1u);
    EXPECT_EQ(
        found.left_out[0].because,
        R"(no pod fits on a new machine; default/p: requires label disk=hdd, and also "ssd")");
}

TEST(ProvisioningLimits, SuggestNoLabelThatANodeCannotHave) {
    const auto because = [](std::string key, std::string value) {
        PodEquivalenceGroup pods = pod("p");
        pods.affinity_required = {
            {.labels = {
                 {.key = std::move(key), .op = Operator::in, .values = {std::move(value)}}}}};
        const Suggestions found = suggest({pods}, {machine("m", 4)});
        return found.left_out.empty() ? std::string() : found.left_out[0].because;
    };
    // The cloud or Kubernetes sets these labels; a plan cannot.
    for (const char* key :
         {"kubernetes.io/role", "kops.k8s.io/instancegroup", "topology.kubernetes.io/rack",
          "cloud.google.com/gke-accelerator", "cloud.google.com/gke-nodepool",
          "topology.gke.io/zone", "eks.amazonaws.com/nodegroup", "topology.k8s.aws/zone-id",
          "kubernetes.azure.com/mode", "karpenter.sh/capacity-type",
          "karpenter.k8s.aws/instance-family", "feature.node.kubernetes.io/cpu-cpuid.AVX512F",
          "beta.kubernetes.io/fluentd-ds-ready"}) {
        EXPECT_THAT(because(key, "x"),
                    HasSubstr("requires label " + std::string(key) + "=x, which"))
            << key;
        EXPECT_THAT(because(key, "x"), HasSubstr("only the cloud or Kubernetes sets")) << key;
    }
    for (const std::string& value :
         {std::string("two words"), std::string("-a"), std::string(64, 'a')}) {
        EXPECT_THAT(because("team", value), HasSubstr("which is not a valid label value")) << value;
    }
    EXPECT_EQ(because("team", std::string(63, 'a')), "");
    EXPECT_EQ(because("team", ""), "");
    for (const char* key :
         {"node-role.kubernetes.io/web", "node-restriction.kubernetes.io/team",
          "x.node-restriction.kubernetes.io/team", "node.kubernetes.io/pool", "example.com/google"})
        EXPECT_EQ(because(key, "web"), "") << key;
    EXPECT_EQ(because("notkubernetes.io/pool", "web"), "");
}

TEST(ProvisioningLimits, SuggestOneTaintPerKeyAndEffect) {
    PodEquivalenceGroup torn = pod("p");
    torn.tolerations = {tolerates_team("b"), tolerates_team("a"), tolerates_team("c")};
    torn.tolerations.back().effect = Effect::no_execute;
    EXPECT_THAT(brief(suggest({torn}, {machine("m", 4)}, {.dedicated = Dedicated::toleration})),
                ElementsAre("m{}!team=a:NoSchedule!team=c:NoExecute"));
}

TEST(ProvisioningLimits, SuggestTheMostPopularSetsIfAllPodsNeedDifferentNodes) {
    std::vector<PodEquivalenceGroup> pods;
    for (int i = 0; i < 2000; ++i) {
        const std::string name = std::to_string(i);
        pods.push_back(pod("p" + name, {{"job", name}}, i < 70 ? 2 : 3));
        if (i % 2 == 0) continue;  // every other one is dedicated
        pods.back().tolerations = {
            {.key = "job", .op = Toleration::Op::equal, .value = name, .effect = {}}};
    }
    const Suggestions found = suggest(pods, {machine("m", 4, {"a", "b"})});
    EXPECT_EQ(found.groups.size(), 2 * max_sets);
    for (const auto& [plan, because] : found.groups) EXPECT_EQ(because.substr(0, 10), "for 3 pods");
    ASSERT_EQ(found.left_out.size(), 1u);
    EXPECT_EQ(found.left_out[0].because,
              "5834 pods would need label sets beyond the 32 most popular sets");
}

TEST(ProvisioningLimits, DoNotOverflow) {
    std::vector<PodEquivalenceGroup> pods{pod("a", {{"x", "1"}}, 3), pod("b", {{"x", "2"}}, 4)};
    MachineType huge = machine("m", 4);
    for (PodEquivalenceGroup& each : pods)
        each.requests = {{"cpu", std::numeric_limits<std::int64_t>::max()}};
    huge.capacity = {{"cpu", std::numeric_limits<std::int64_t>::max()},
                     {"nvidia.com/gpu", std::numeric_limits<std::int64_t>::max()},
                     {"amd.com/gpu", 1}};
    huge.allocatable = huge.capacity;
    const Suggestions found =
        suggest_groups({.pods = pods, .machines = {&huge, 1}, .room = {{"gpu", 1}}},
                       {.popularity = Popularity::cpu});
    EXPECT_THAT(found.groups, IsEmpty());
    EXPECT_THAT(brief(suggest(pods, {huge}, {.popularity = Popularity::cpu})),
                ElementsAre("m{x=1}", "m{x=2}"));
}

}  // namespace
}  // namespace capstan::provisioning
