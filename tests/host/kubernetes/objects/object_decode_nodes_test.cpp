#include "kubernetes/objects/object_decode.hpp"

#include <gtest/gtest.h>

#include "../decoded.hpp"

namespace capstan::kubernetes::objects {
namespace {

TEST(NodeDecode, ReadsTheUsedMembers) {
    const auto result = decoded(decode_node, R"({
        "metadata":{"name":"n1","labels":{"zone":"a"},"annotations":{"x":"y"},"creationTimestamp":"1970-01-01T00:00:01Z"},
        "spec":{"providerID":"aws:///a/i-1","unschedulable":true,
                "taints":[{"key":"gpu","value":"yes","effect":"NoSchedule"},{"key":"old","effect":"NoExecute"}]},
        "status":{"capacity":{"cpu":"4","memory":"16Gi","pods":"110"},
                  "allocatable":{"cpu":"3920m","memory":"15Gi","pods":"110","nvidia.com/gpu":"1"},
                  "addresses":[{"type":"InternalIP","address":"10.0.0.1"},{"type":"Hostname","address":"n1"},
                               {"type":"Pager","address":"555"},{"type":"InternalIP"}],
                  "conditions":[{"type":"DiskPressure","status":"False"},
                                {"type":"Ready","status":"True","lastTransitionTime":"1970-01-01T00:00:02Z"}]}})");
    ASSERT_TRUE(result.value);
    EXPECT_TRUE(result.problems.empty());
    const engine::snapshot::NodeObject& node = *result.value;
    EXPECT_EQ(node.name, "n1");
    EXPECT_EQ(node.provider_id, "aws:///a/i-1");
    EXPECT_EQ(node.labels, (Labels{{"zone", "a"}}));
    EXPECT_EQ(node.annotations, (Labels{{"x", "y"}}));
    EXPECT_EQ(node.taints, (std::vector<Taint>{{"gpu", "yes", Effect::no_schedule},
                                               {"old", "", Effect::no_execute}}));
    EXPECT_EQ(node.capacity, (Resources{{"cpu", 4000}, {"memory", 16_GiB}, {"pods", 110}}));
    EXPECT_EQ(node.allocatable,
              (Resources{{"cpu", 3920}, {"memory", 15_GiB}, {"nvidia.com/gpu", 1}, {"pods", 110}}));
    EXPECT_TRUE(node.unschedulable);
    EXPECT_TRUE(node.ready);
    EXPECT_EQ(node.ready_since, Time(std::chrono::seconds(2)));
    EXPECT_EQ(node.created, Time(std::chrono::seconds(1)));
    EXPECT_EQ(node.addresses, (std::vector<std::string>{"10.0.0.1", "n1"}));
}

TEST(NodeDecode, IsReadyByConditionOrWithoutConditions) {
    const struct {
        const char* conditions;
        bool ready;
    } cases[] = {
        {"null", true},
        {"[]", true},
        {R"([{"type":"Ready","status":"True"}])", true},
        {R"([{"type":"Ready","status":"False"}])", false},
        {R"([{"type":"Ready","status":"Unknown"}])", false},
        {R"([{"type":"DiskPressure","status":"False"}])", false},
    };
    for (const auto& c : cases) {
        const auto result =
            decoded(decode_node, R"({"metadata":{"name":"n"},"status":{"conditions":)" +
                                     std::string(c.conditions) + "}}");
        ASSERT_TRUE(result.value) << c.conditions;
        EXPECT_EQ(result.value->ready, c.ready) << c.conditions;
    }
}

TEST(NodeDecode, UsesCapacityIfAllocatableIsMissing) {
    const auto result =
        decoded(decode_node, R"({"metadata":{"name":"n"},"status":{"capacity":{"cpu":"2"}}})");
    EXPECT_EQ(result.value->allocatable, (Resources{{"cpu", 2000}}));
}

TEST(NodeDecode, IgnoresMalformedResources) {
    const auto result = decoded(
        decode_node,
        R"({"metadata":{"name":"n"},"status":{"allocatable":{"cpu":"2","memory":"much"}}})");
    ASSERT_TRUE(result.value);
    EXPECT_EQ(result.value->allocatable, (Resources{{"cpu", 2000}}));
    EXPECT_EQ(result.problems.size(), 1u);
}

TEST(NodeDecode, RejectsMalformedNamesLabelsAndTaints) {
    const struct {
        const char* node;
        const char* problem;
    } cases[] = {
        {"{}", "/metadata is missing"},
        {R"({"metadata":{}})", "/metadata/name is missing"},
        {R"({"metadata":{"name":""}})", "/metadata/name is empty"},
        {R"({"metadata":{"name":"n","labels":{"a":1}}})",
         "/metadata/labels/a expects text, found a number (1)"},
        {R"({"metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"Never"}]}})",
         "/spec/taints/0/effect expects NoSchedule, PreferNoSchedule or NoExecute, found text "
         "(\"Never\")"},
        {R"({"metadata":{"name":"n"},"spec":{"taints":[{"effect":"NoSchedule"}]}})",
         "/spec/taints/0/key is missing"},
    };
    for (const auto& c : cases) {
        const auto result = decoded(decode_node, c.node);
        EXPECT_FALSE(result.value) << c.node;
        EXPECT_EQ(result.problems, std::vector<std::string>{c.problem}) << c.node;
    }
}

}  // namespace
}  // namespace capstan::kubernetes::objects
