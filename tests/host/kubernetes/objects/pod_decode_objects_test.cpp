#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "../decoded.hpp"
#include "kubernetes/objects/pod_decode.hpp"

namespace capstan::kubernetes::objects {
namespace {

TEST(PodObject, ReadsNodePhaseAndOwner) {
    const auto result = decoded(decode_pod_object, R"({
        "metadata":{"namespace":"shop","name":"web-0","uid":"u","creationTimestamp":"1970-01-01T00:00:01Z",
            "deletionTimestamp":"1970-01-01T00:01:00Z",
            "ownerReferences":[{"kind":"Other","name":"o","uid":"x"},
                {"apiVersion":"apps/v1","kind":"StatefulSet","name":"web","uid":"y","controller":true}]},
        "spec":{"nodeName":"n1","priority":7,"priorityClassName":"high","containers":[],
            "volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"data-0"}},
                       {"name":"s","ephemeral":{}},{"name":"tmp","emptyDir":{}}],
            "terminationGracePeriodSeconds":90,
            "resourceClaims":[{"name":"gpu"}]},
        "status":{"phase":"Running","nominatedNodeName":"n2"}})");
    EXPECT_TRUE(result.problems.empty());
    EXPECT_TRUE(result.value.is_complete);
    const engine::snapshot::PodObject& pod = result.value.pod;
    EXPECT_EQ(pod.ns + "/" + pod.name + " " + pod.uid, "shop/web-0 u");
    EXPECT_EQ(pod.owner,
              (engine::snapshot::PodOwner{
                  .kind = "StatefulSet", .api_group = "apps", .name = "web", .uid = "y"}));
    EXPECT_EQ(pod.claims, (std::vector<std::string>{"data-0", "web-0-s"}));
    EXPECT_EQ(pod.node_name, "n1");
    EXPECT_EQ(pod.nominated_node, "n2");
    EXPECT_EQ(pod.phase, engine::snapshot::PodPhase::running);
    EXPECT_EQ(pod.created, Time(std::chrono::seconds(1)));
    EXPECT_EQ(pod.deleted, Time(std::chrono::seconds(60)));
    EXPECT_EQ(pod.spec.priority, 7);
    EXPECT_EQ(pod.spec.priority_class, "high");
    EXPECT_TRUE(pod.spec.uses_resource_claims);
    EXPECT_TRUE(pod.spec.uses_local_storage);
    EXPECT_EQ(pod.spec.local_volumes, (std::vector<std::string>{"tmp"}));
    EXPECT_EQ(pod.spec.termination_grace, std::chrono::seconds(90));
    EXPECT_FALSE(pod.gated);
}

TEST(PodObject, ReadsThePreemptionPolicy) {
    const struct {
        const char* written;
        bool never_preempts, problem;
    } cases[] = {{"null", false, false},
                 {"\"PreemptLowerPriority\"", false, false},
                 {"\"Never\"", true, false},
                 {"\"Sometimes\"", false, true}};
    for (const auto& c : cases) {
        const auto result = decoded(
            decode_pod_object, R"({"spec":{"preemptionPolicy":)" + std::string(c.written) + "}}");
        EXPECT_EQ(result.value.pod.spec.never_preempts, c.never_preempts) << c.written;
        EXPECT_EQ(!result.problems.empty(), c.problem) << c.written;
    }
}

TEST(PodObject, ReadsTheGracePeriodLikeTheKubelet) {
    using std::chrono::seconds;
    const struct {
        const char* written;
        std::optional<Duration> grace;
        bool problem;
    } cases[] = {{"null", std::nullopt, false},        {"0", seconds(0), false},
                 {"30", seconds(30), false},           {"-1", seconds(1), false},
                 {"1e15", seconds(2147483647), false}, {"\"30\"", std::nullopt, true}};
    for (const auto& c : cases) {
        const auto result =
            decoded(decode_pod_object,
                    R"({"spec":{"terminationGracePeriodSeconds":)" + std::string(c.written) + "}}");
        EXPECT_EQ(result.value.pod.spec.termination_grace, c.grace) << c.written;
        EXPECT_EQ(!result.problems.empty(), c.problem) << c.written;
    }
}

TEST(PodObject, ReadsWhyAPodIsPending) {
    const struct {
        const char* pod;
        const char* reason;
        bool gated;
    } cases[] = {
        {R"({"status":{"phase":"Pending"}})", "", false},
        {R"({"status":{"conditions":[{"type":"Ready","status":"False","reason":"No"},
             {"type":"PodScheduled","status":"False","reason":"Unschedulable"}]}})",
         "Unschedulable", false},
        {R"({"status":{"conditions":[{"type":"PodScheduled","status":"True","reason":"x"}]}})", "",
         false},
        {R"({"status":{"conditions":[{"type":"PodScheduled","status":"False"}]}})", "", false},
        {R"({"spec":{"schedulingGates":[{"name":"g"}]},
             "status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}})",
         "SchedulingGated", true},
        {R"({"spec":{"schedulingGates":[]}})", "", false},
    };
    for (const auto& c : cases) {
        const auto result = decoded(decode_pod_object, c.pod);
        EXPECT_EQ(result.value.pod.unscheduled_reason, c.reason) << c.pod;
        EXPECT_EQ(result.value.pod.gated, c.gated) << c.pod;
        EXPECT_EQ(result.value.pod.phase, engine::snapshot::PodPhase::pending) << c.pod;
        EXPECT_TRUE(result.problems.empty()) << c.pod;
    }
}

TEST(PodObject, HasNoPriorityBeforeAdmission) {
    EXPECT_FALSE(decoded(decode_pod_object, "{}").value.pod.spec.priority);
    EXPECT_EQ(decoded(decode_pod, "{}").value.priority, 0);
}

TEST(PodObject, DistinguishesSoftFromHardSpread) {
    const std::string hard =
        R"({"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"})";
    const std::string soft =
        R"({"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway"})";
    const struct {
        std::string written;
        std::size_t hard;
        bool soft;
    } cases[] = {{"null", 0, false},
                 {"[]", 0, false},
                 {"[" + hard + "]", 1, false},
                 {"[" + soft + "]", 0, true},
                 {"[" + soft + "," + hard + "]", 1, true}};
    for (const auto& c : cases) {
        const auto result = decoded(decode_pod_object,
                                    R"({"spec":{"topologySpreadConstraints":)" + c.written + "}}");
        EXPECT_EQ(result.value.pod.spec.spread.size(), c.hard) << c.written;
        EXPECT_EQ(result.value.pod.spec.has_soft_spread, c.soft) << c.written;
    }
}

/// A decoded pod may never request less or fit on more nodes than the real one; the opposite is
/// safe.
TEST(PodObject, IsIncompleteIfItWouldSeemEasierToSchedule) {
    const struct {
        const char* pod;
        bool complete;
    } cases[] = {
        {R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"many"}}}]}})", false},
        {R"({"spec":{"containers":{}}})", false},
        {R"({"spec":{"initContainers":[{"resources":{"limits":{"cpu":[]}}}]}})", false},
        {R"({"spec":{"overhead":{"cpu":"-1"}}})", false},
        {R"({"spec":{"nodeSelector":{"disk":7}}})", false},
        {R"({"spec":{"affinity":7}})", false},
        {R"({"spec":{"affinity":{"podAntiAffinity":[]}}})", false},
        {R"({"spec":{"topologySpreadConstraints":[{"whenUnsatisfiable":"Never"}]}})", false},
        {R"({"spec":{"containers":[{"ports":[{"hostPort":-1}]}]}})", false},
        {R"({"spec":{"volumes":[{"persistentVolumeClaim":{}}]}})", false},
        {R"({"spec":{"nodeName":1}})", false},
        {R"({"metadata":{"labels":[]}})", false},
        {R"({"metadata":{"namespace":1}})", false},
        {R"({"metadata":{"annotations":7}})", true},
        {R"({"metadata":{"creationTimestamp":"today"}})", true},
        {R"({"metadata":{"ownerReferences":{}}})", true},
        {R"({"spec":{"priority":"high"}})", true},
        {R"({"spec":{"tolerations":[{"operator":"Gt","key":"cost","value":"5"}]}})", true},
        {R"({"spec":{"tolerations":[{"key":5,"operator":"Exists"}]}})", true},
        {R"({"spec":{"affinity":{"nodeAffinity":[]}}})", true},
        {R"({"status":{"phase":"Dreaming"}})", true},
    };
    for (const auto& c : cases) {
        const auto result = decoded(decode_pod_object, c.pod);
        EXPECT_EQ(result.value.is_complete, c.complete) << c.pod;
        EXPECT_EQ(result.problems.size(), 1u) << c.pod;
        EXPECT_TRUE(result.value.pod.spec.tolerations.empty()) << c.pod;
    }
}

TEST(PodObject, MatchesNoNodeIfItsNodeAffinityIsMalformed) {
    for (const char* affinity :
         {"[]", R"({"requiredDuringSchedulingIgnoredDuringExecution":7})",
          R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":{}}})",
          R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
              {"matchExpressions":[{"key":"a","operator":"Exists"},{"key":"b","operator":"NotIn","values":[1]}]}]}})"}) {
        const auto result = decoded(
            decode_pod, R"({"spec":{"affinity":{"nodeAffinity":)" + std::string(affinity) + "}}}");
        EXPECT_FALSE(selects(result.value, {{"a", ""}}, "n")) << affinity;
        EXPECT_FALSE(result.problems.empty()) << affinity;
    }
}

TEST(PodObject, ReportsUnsupportedTolerationOperators) {
    const auto result = decoded(
        decode_pod_object, R"({"spec":{"tolerations":[{"key":"c","operator":"Lt","value":"5"}]}})");
    EXPECT_EQ(result.problems,
              std::vector<std::string>{"/spec/tolerations/0/operator is Lt, which is not "
                                       "supported; the toleration is ignored"});
}

}  // namespace
}  // namespace capstan::kubernetes::objects
