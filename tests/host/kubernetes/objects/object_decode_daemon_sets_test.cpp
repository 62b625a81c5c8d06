#include "kubernetes/objects/object_decode.hpp"

#include <gtest/gtest.h>

#include "../decoded.hpp"

namespace capstan::kubernetes::objects {
namespace {

TEST(DaemonSetDecode, ReadsThePodTemplate) {
    const auto result = decoded(decode_daemon_set, R"({
        "metadata":{"namespace":"kube-system","name":"agent","uid":"u","labels":{"of":"the set"}},
        "spec":{"template":{
            "metadata":{"labels":{"app":"agent"},"annotations":{"a":"b"}},
            "spec":{"hostNetwork":true,"priorityClassName":"system-node-critical",
                    "nodeSelector":{"os":"linux"},"tolerations":[{"operator":"Exists"}],
                    "containers":[{"ports":[{"containerPort":9100}],
                                   "resources":{"requests":{"cpu":"25m"}}}]}}}})");
    ASSERT_TRUE(result.value);
    EXPECT_TRUE(result.problems.empty());
    engine::snapshot::DaemonSetObject expected{.ns = "kube-system", .name = "agent", .uid = "u"};
    expected.labels = {{"app", "agent"}};
    expected.annotations = {{"a", "b"}};
    expected.spec.requests = {{"cpu", 25}};
    expected.spec.node_selector = {{"os", "linux"}};
    expected.spec.tolerations = {{.op = Toleration::Op::exists}};
    expected.spec.ports = {{.port = 9100}};
    expected.spec.priority_class = "system-node-critical";
    EXPECT_EQ(*result.value, expected);
}

TEST(DaemonSetDecode, UsesLimitsAsMissingRequests) {
    const auto result =
        decoded(decode_daemon_set, R"({"metadata":{"name":"d"},"spec":{"template":{"spec":{
        "containers":[
            {"resources":{"requests":{"cpu":"25m","memory":"100Mi"},"limits":{"cpu":"50m","memory":"250Mi"}}},
            {"resources":{"limits":{"cpu":"50m","memory":"250Mi"}}}],
        "initContainers":[{"resources":{"limits":{"cpu":"2"}}}]}}}})");
    ASSERT_TRUE(result.value);
    EXPECT_EQ(result.value->spec.requests, (Resources{{"cpu", 2000}, {"memory", 350_MiB}}));
}

TEST(DaemonSetDecode, RejectsMalformedDaemonSets) {
    const struct {
        const char* daemon_set;
        const char* problem;
    } cases[] = {
        {R"({"metadata":{"name":"d"}})", "/spec is missing"},
        {R"({"metadata":{"name":"d"},"spec":{}})", "/spec/template is missing"},
        {R"({"metadata":{"name":"d"},"spec":{"template":{"spec":{}}}})",
         "/spec/template/spec/containers is missing"},
        {R"({"metadata":{"name":"d"},"spec":{"template":{"spec":{"containers":[
             {"resources":{"requests":{"cpu":"a lot"}}}]}}}})",
         "/spec/template/spec/containers/0/resources/requests/cpu quantity \"a lot\": "},
        {R"({"spec":{"template":{"spec":{"containers":[]}}}})", "/metadata is missing"},
    };
    for (const auto& c : cases) {
        const auto result = decoded(decode_daemon_set, c.daemon_set);
        EXPECT_FALSE(result.value) << c.daemon_set;
        ASSERT_EQ(result.problems.size(), 1u) << c.daemon_set;
        EXPECT_TRUE(result.problems[0].starts_with(c.problem)) << result.problems[0];
    }
}

}  // namespace
}  // namespace capstan::kubernetes::objects
