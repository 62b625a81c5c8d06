#include "simulator/live/manifests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "live_case.hpp"

namespace capstan::simulator::live {
namespace {

namespace json = boost::json;

json::object parsed(std::string_view text) {
    return json::parse({text.data(), text.size()}).as_object();
}

PodBatch batch_of(const std::string& pods) {
    const Input input = input_of("[[step]]\npods = [" + pods + "]\n");
    return std::get<PodBatch>(input.steps.at(0).actions.at(0).what);
}

TEST(LiveManifests, CreateADeploymentForReplicas) {
    const Manifest made = make_manifest(
        batch_of(R"({ name = "web", namespace = "shop", count = 3, cpu = "500m", replicas = true, )"
                 R"(spread = ["zone"], start_up = "5s", grace = "1500ms", tolerations = ["spot"], )"
                 R"(node_selector = { pool = "a" } })"));
    EXPECT_EQ(made.resource, "deployments.apps");
    EXPECT_EQ(made.ns, "shop");
    EXPECT_EQ(made.object, parsed(R"({"metadata":{"name":"web","labels":{"app":"web"}},"spec":{
        "replicas":3,"selector":{"matchLabels":{"app":"web"}},"template":{
        "metadata":{"labels":{"app":"web"},
                    "annotations":{"simulation.capstan.io/start-up":"5s"}},
        "spec":{"containers":[{"name":"main","image":"web:1","resources":{"requests":{"cpu":"500m"}}}],
                "schedulerName":"default-scheduler","priority":0,
                "nodeSelector":{"pool":"a"},"tolerations":[{"operator":"Exists","key":"spot"}],
                "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone",
                    "whenUnsatisfiable":"DoNotSchedule",
                    "nodeAffinityPolicy":"Honor","nodeTaintsPolicy":"Ignore",
                    "labelSelector":{"matchLabels":{"app":"web"}}}],
                "terminationGracePeriodSeconds":2}}}})"));
}

TEST(LiveManifests, CreateAJobForPodsWithADuration) {
    const Manifest made =
        make_manifest(batch_of(R"({ name = "mail", count = 2, duration = "1m" })"));
    EXPECT_EQ(made.resource, "jobs.batch");
    const json::value object = made.object;
    EXPECT_EQ(object.at_pointer("/spec/parallelism"), 2);
    EXPECT_EQ(object.at_pointer("/spec/completions"), 2);
    EXPECT_EQ(object.at_pointer("/spec/template/spec/restartPolicy"), "Never");
    EXPECT_EQ(object.at_pointer("/spec/template/metadata/annotations")
                  .at("simulation.capstan.io/run-for"),
              "1m");
}

TEST(LiveManifests, CreateBarePods) {
    const PodBatch batch = batch_of(R"({ name = "lone", anti_affinity = ["hostname"] })");
    EXPECT_EQ(workload_of(batch), "");
    const json::value pod = make_pod(batch, "lone").object;
    EXPECT_EQ(pod.at_pointer("/metadata/name"), "lone");
    EXPECT_EQ(pod.at_pointer("/spec/affinity/podAntiAffinity/"
                             "requiredDuringSchedulingIgnoredDuringExecution/0/topologyKey"),
              "kubernetes.io/hostname");
}

TEST(LiveManifests, CreateBudgetsOfANumberOrPercentage) {
    const Input input = input_of(R"(
[[budget]]
name = "web"
labels = { app = "web" }
min_available = "50%"
[[budget]]
name = "all"
max_unavailable = 1
)");
    EXPECT_EQ(make_manifest(input.budgets.at(0)).object.at("spec"),
              parsed(R"({"selector":{"matchLabels":{"app":"web"}},"minAvailable":"50%"})"));
    EXPECT_EQ(make_manifest(input.budgets.at(1)).object.at("spec"),
              parsed(R"({"selector":{},"maxUnavailable":1})"));
}

TEST(LiveManifests, CreateAServiceThatSelectsItsPods) {
    const Input input = input_of(R"(
[[service]]
name = "web"
namespace = "shop"
[[service]]
name = "front"
labels = { tier = "front" }
)");
    const Manifest web = make_manifest(input.objects.services.at(0));
    EXPECT_EQ(web.resource, "services");
    EXPECT_EQ(web.ns, "shop");
    EXPECT_EQ(web.object.at("spec").at("selector"), parsed(R"({"app":"web"})"));
    EXPECT_EQ(make_manifest(input.objects.services.at(1)).object.at("spec").at("selector"),
              parsed(R"({"tier":"front"})"));
}

TEST(LiveManifests, CreateAReadyNodeWithAHostnameLabel) {
    const Input input = input_of(R"(
[[node]]
name = "system"
cpu = "4"
memory = "16Gi"
taints = ["dedicated=system:NoSchedule"]
)");
    const json::value node = make_manifest(input.objects.nodes.at(0)).object;
    EXPECT_EQ(node.at_pointer("/metadata/labels").at("kubernetes.io/hostname"), "system");
    EXPECT_EQ(node.at_pointer("/spec/taints/0"),
              parsed(R"({"key":"dedicated","effect":"NoSchedule","value":"system"})"));
    EXPECT_EQ(node.at_pointer("/status/capacity"),
              parsed(R"({"cpu":"4","memory":"16Gi","pods":"110"})"));
    EXPECT_EQ(node.at_pointer("/status/conditions/0/status"), "True");
}

}  // namespace
}  // namespace capstan::simulator::live
