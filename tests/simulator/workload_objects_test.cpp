#include "simulator/workload_objects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include <boost/json/parse.hpp>

namespace capstan::simulator {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

SharedReplicas web_balancer() {
    return {.ns = "shop",
            .name = "web",
            .replicas = 10,
            .labels = {{"app", "web"}},
            .targets = {{.name = "web-a", .weight = 3, .min = 1, .max = 6}, {.name = "web-b"}}};
}

json::value balancer_object(const SharedReplicas& shared,
                            const std::function<Duration(Duration)>& timed = {}) {
    return make_balancer_object(
        shared, [](const std::string&) { return std::string("Deployment"); }, timed);
}

TEST(BalancerObject, DistributesByWeight) {
    EXPECT_EQ(balancer_object(web_balancer()), json::parse(R"({
        "apiVersion": "balancer.x-k8s.io/v1alpha1", "kind": "Balancer",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "replicas": 10,
            "selector": {"matchLabels": {"app": "web"}},
            "targets": [
                {"name": "web-a", "minReplicas": 1, "maxReplicas": 6,
                 "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web-a"}},
                {"name": "web-b", "minReplicas": 0,
                 "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web-b"}}],
            "policy": {"policyName": "proportional",
                       "proportions": {"targetProportions": {"web-a": 3, "web-b": 1}}}}})"));
}

TEST(BalancerObject, DistributesInOrderWithATimeoutAtTheSpeedOfTheRun) {
    SharedReplicas shared = web_balancer();
    shared.in_order = true;
    shared.startup_timeout = 10min;
    EXPECT_EQ(balancer_object(shared).at_pointer("/spec/policy"), json::parse(R"({
        "policyName": "priority", "priorities": {"targetOrder": ["web-a", "web-b"]},
        "fallback": {"startupTimeout": "10m"}})"));
    const auto twice_as_fast = [](Duration time) { return time / 2; };
    EXPECT_EQ(
        balancer_object(shared, twice_as_fast).at_pointer("/spec/policy/fallback/startupTimeout"),
        "5m");
}

TEST(BalancerObject, NamesTheKindOfEachTarget) {
    Input input;
    const auto add_batch = [&](const char* ns, const char* name, Controller controller) {
        input.steps.emplace_back().actions.push_back(
            {.what = PodBatch{.pod = {.ns = ns, .name = name}, .controller = controller}});
    };
    add_batch("shop", "web-a", Controller::stateful_set);
    add_batch("other", "web-b", Controller::stateful_set);
    add_batch("shop", "web-b", Controller::replica_set);
    add_balancers({web_balancer()}, input);
    ASSERT_EQ(input.plugin_objects.size(), 1u);
    const json::value object = json::parse(input.plugin_objects.front());
    EXPECT_EQ(object.at_pointer("/spec/targets/0/scaleTargetRef/kind"), "StatefulSet");
    EXPECT_EQ(object.at_pointer("/spec/targets/1/scaleTargetRef/kind"), "Deployment")
        << "the StatefulSet of that name is in another namespace";
}

TEST(BalancerObject, IsReadBack) {
    const BalancerState state = read_balancer_state(balancer_object(web_balancer()).as_object());
    EXPECT_EQ(state.name, "shop/web");
    EXPECT_EQ(state.replicas, 10);
    ASSERT_EQ(state.targets.size(), 2u);
    EXPECT_EQ(state.targets[0].name, "web-a");
    EXPECT_EQ(state.targets[0].workload, "shop/Deployment/web-a");
    EXPECT_EQ(state.targets[0].min, 1);
    EXPECT_EQ(state.targets[0].max, 6);
    EXPECT_EQ(state.targets[1].min, 0);
    EXPECT_EQ(state.targets[1].max, std::nullopt);
}

TEST(BalancerObject, IsReadWithDefaultsAndWithoutMalformedTargets) {
    const auto read_state = [](const char* text) {
        return read_balancer_state(json::parse(text).as_object());
    };
    const BalancerState empty = read_state(R"({"metadata": {"name": "web", "namespace": "shop"}})");
    EXPECT_EQ(empty.name, "shop/web");
    EXPECT_EQ(empty.replicas, 1);
    EXPECT_TRUE(empty.targets.empty());
    const BalancerState mixed = read_state(R"({"metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": 0, "targets": [7, {"name": "a"}, "b"]}})");
    EXPECT_EQ(mixed.replicas, 0);
    ASSERT_EQ(mixed.targets.size(), 1u);
    EXPECT_EQ(mixed.targets[0].name, "a");
}

TEST(WorkloadObject, SelectsTheLabelOfItsPods) {
    const WorkloadState workload{.id = "shop/Deployment/web",
                                 .ns = "shop",
                                 .kind = "Deployment",
                                 .name = "web",
                                 .wanted = 5,
                                 .present = 4,
                                 .ready = 3};
    const json::value object = make_workload_object(workload);
    EXPECT_EQ(object.at_pointer("/metadata/name"), "web");
    EXPECT_EQ(object.at_pointer("/spec/replicas"), 5);
    EXPECT_EQ(object.at_pointer("/status"),
              json::parse(R"({"replicas": 4, "readyReplicas": 3, "availableReplicas": 3})"));
    const auto label_of_pod = [](const char* workload_id) {
        const json::value pod = make_pod_object(
            {.object = {.ns = "shop", .name = "web-1"}, .workload = workload_id}, Time{});
        return pod.at_pointer("/metadata/labels").at(workload_label);
    };
    EXPECT_EQ(object.at_pointer("/spec/selector/matchLabels").at(workload_label),
              label_of_pod("shop/Deployment/web"));
    EXPECT_NE(label_of_pod("shop/Deployment/web"), label_of_pod("shop/Deployment/db"));
    EXPECT_LE(label_of_pod("shop/Deployment/web").as_string().size(), 63u);
}

TEST(WorkloadObject, IsUpdatedInPlace) {
    json::object object{{"metadata", json::object{{"resourceVersion", "7"}}}};
    set_replicas({.wanted = 2, .present = 1}, object);
    EXPECT_EQ(json::value(object), json::parse(R"({
        "metadata": {"resourceVersion": "7"}, "spec": {"replicas": 2},
        "status": {"replicas": 1, "readyReplicas": 0, "availableReplicas": 0}})"));
}

TEST(PodOfAWorkload, HasConditionsOnceItHasANode) {
    PodState pod{.object = {.ns = "shop", .name = "web-1"}, .workload = "shop/Deployment/web"};
    const Time wall = time_from_unix_ns(1'577'836'800'000'000'000);
    const json::object pending = make_pod_object(pod, wall);
    EXPECT_FALSE(pending.at("status").as_object().contains("conditions"));
    pod.object.node_name = "n1";
    const json::value starting = make_pod_object(pod, wall);
    EXPECT_EQ(starting.at_pointer("/status/conditions"), json::parse(R"([
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2020-01-01T00:00:00Z"},
        {"type": "Ready", "status": "False", "lastTransitionTime": "2020-01-01T00:00:00Z"}])"));
    pod.is_ready = true;
    EXPECT_EQ(json::value(make_pod_object(pod, wall)).at_pointer("/status/conditions/1/status"),
              "True");
}

TEST(PodOfAWorkload, HasNoLabelWithoutAWorkload) {
    const json::value pod = make_pod_object({.object = {.ns = "shop", .name = "lone"}}, Time{});
    const json::value* const labels = pod.at("metadata").as_object().if_contains("labels");
    EXPECT_TRUE(labels == nullptr || !labels->as_object().contains(workload_label));
}

}  // namespace
}  // namespace capstan::simulator
