#include "kubernetes/objects/pod_decode.hpp"

#include <gtest/gtest.h>

#include "../decoded.hpp"

namespace capstan::kubernetes::objects {
namespace {

using engine::snapshot::PodTerm;
using engine::snapshot::SpreadConstraint;

TEST(PodConstraints, ReadRequiredTermsAndIgnorePreferredOnes) {
    const auto result = decoded(decode_pod_terms, R"({
        "requiredDuringSchedulingIgnoredDuringExecution":[{
            "labelSelector":{"matchLabels":{"app":"web"},
                             "matchExpressions":[{"key":"tier","operator":"NotIn","values":["db"]}]},
            "namespaces":["shop"], "namespaceSelector":{"matchLabels":{"team":"a"}},
            "topologyKey":"zone", "matchLabelKeys":["hash"], "mismatchLabelKeys":["tenant"]}],
        "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{}}]})");
    const PodTerm expected{
        .selector = LabelSelector{{{"app", "web"}}, {{"tier", Operator::not_in, {"db"}}}},
        .namespaces = {"shop"},
        .namespace_selector = LabelSelector{{{"team", "a"}}, {}},
        .topology_key = "zone",
        .match_label_keys = {"hash"},
        .mismatch_label_keys = {"tenant"}};
    EXPECT_EQ(result.value, std::vector{expected});
    EXPECT_TRUE(result.problems.empty());
}

TEST(PodConstraints, DistinguishAMissingSelectorFromAnEmptyOne) {
    const auto result = decoded(decode_pod_terms, R"({
        "requiredDuringSchedulingIgnoredDuringExecution":[
            {"topologyKey":"zone"}, {"topologyKey":"zone","labelSelector":{},"namespaceSelector":{}}]})");
    const std::vector<PodTerm> expected{{.topology_key = "zone"},
                                        {.selector = LabelSelector{},
                                         .namespace_selector = LabelSelector{},
                                         .topology_key = "zone"}};
    EXPECT_EQ(result.value, expected);
}

TEST(PodConstraints, KeepOnlyHardTopologySpread) {
    const auto result = decoded(decode_spread, R"([
        {"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway"},
        {"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"},
        {"maxSkew":1,"topologyKey":"host","whenUnsatisfiable":"DoNotSchedule","minDomains":3,
         "labelSelector":{"matchLabels":{"app":"web"}},"matchLabelKeys":["hash"],
         "nodeAffinityPolicy":"Ignore","nodeTaintsPolicy":"Honor"}])");
    const std::vector<SpreadConstraint> expected{{.max_skew = 2, .topology_key = "zone"},
                                                 {.max_skew = 1,
                                                  .topology_key = "host",
                                                  .selector = LabelSelector{{{"app", "web"}}, {}},
                                                  .min_domains = 3,
                                                  .honor_affinity = false,
                                                  .honor_taints = true,
                                                  .match_label_keys = {"hash"}}};
    EXPECT_EQ(result.value, expected);
    EXPECT_TRUE(result.problems.empty());
}

TEST(PodConstraints, ReportInvalidTopologySpread) {
    const auto result = decoded(decode_spread, R"([
        {"topologyKey":"","whenUnsatisfiable":"DoNotSchedule","maxSkew":0,"nodeTaintsPolicy":"Maybe"},
        {"whenUnsatisfiable":"Sometimes"}, 7])");
    const std::vector<std::string> expected{
        "/0/maxSkew expects an integer from 1 to 2147483647, found a number (0)",
        "/0/topologyKey is empty",
        "/0/nodeTaintsPolicy expects Honor or Ignore, found text (\"Maybe\")",
        "/1/whenUnsatisfiable expects DoNotSchedule or ScheduleAnyway, found text (\"Sometimes\")",
        "/2 expects an object, found a number (7)"};
    EXPECT_EQ(result.problems, expected);
}

TEST(PodConstraints, RejectComparisonsOfLabels) {
    const auto result = decoded(decode_pod_terms, R"({
        "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone","labelSelector":
            {"matchExpressions":[{"key":"n","operator":"Gt","values":["1"]}]}}]})");
    ASSERT_EQ(result.problems.size(), 1u);
    EXPECT_NE(
        result.problems[0].find("expects In, NotIn, Exists or DoesNotExist, found text (\"Gt\")"),
        std::string::npos);
}

}  // namespace
}  // namespace capstan::kubernetes::objects
