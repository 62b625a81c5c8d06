#include "control_plane_fixture.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>

namespace capstan::e2e {
namespace {

constexpr auto fast_config = R"(
[pipeline]
clouds = ["simulated"]
[pipeline.scale_up]
expanders = ["least_waste"]
similarity = ["resources", "labels"]
[plugin.simulated]
grants = { state = true, kube = ["nodes:list,watch,create,delete"] }
[plugin.simulated.settings]
register_nodes = true
[scale_down]
delay_after_add = "3s"
delay_after_failure = "3s"
node_delete_delay_after_taint = "1s"
eviction_retry = "1s"
)";

/// The first part of a long text.
std::string beginning(const std::string& text) {
    constexpr std::size_t max_size = 20'000;
    return text.size() <= max_size ? text : text.substr(0, max_size) + "...\n";
}

}  // namespace

void ControlPlaneTest::SetUp() {
    if (const auto because = Cluster::missing_because()) GTEST_SKIP() << *because;
    cluster = std::make_unique<Cluster>();
}

void ControlPlaneTest::TearDown() {
    if (!cluster || !HasFailure()) return;
    std::cerr << "-- control plane --\n" << cluster->log();
    if (!cluster->is_ready()) return;
    for (const char* what : {"nodes", "pods", "events"})
        std::cerr << "-- " << what << " --\n"
                  << beginning(cluster->kubectl({"get", what, "-o", "wide"}));
}

std::string ControlPlaneTest::holder() const {
    return cluster->kubectl({"get", "lease", "cluster-autoscaler", "--namespace=kube-system",
                             "--ignore-not-found", "--output=jsonpath={.spec.holderIdentity}"});
}

bool ControlPlaneTest::has_ready_nodes(std::size_t count) const {
    const std::vector<NodeView> nodes = cluster->nodes();
    return nodes.size() == count && std::ranges::all_of(nodes, &NodeView::is_ready);
}

std::map<std::string, int> ControlPlaneTest::nodes_by_zone() const {
    std::map<std::string, int> out;
    for (const NodeView& node : cluster->nodes()) ++out[node.zone];
    return out;
}

int ControlPlaneTest::ready_pods() const {
    const std::string count =
        cluster->kubectl({"get", "deployment", "web", "--output=jsonpath={.status.readyReplicas}"});
    return count.empty() ? 0 : std::stoi(count);
}

void ControlPlaneTest::scale(int replicas) const {
    cluster->kubectl({"scale", "deployment", "web", "--replicas=" + std::to_string(replicas)});
}

void ControlPlaneTest::scale_to_two_a_node(PodWatch& pods) const {
    const auto by_node = pods.ready_by_node();
    for (const auto& [node, on_it] : by_node) {
        for (const std::string& pod : {on_it.at(0), on_it.at(1)})
            cluster->kubectl(
                {"annotate", "pod", pod, "controller.kubernetes.io/pod-deletion-cost=1"});
    }
    scale(static_cast<int>(2 * by_node.size()));
}

std::string cloud_in(const std::vector<std::string>& zones, int max,
                     const std::string& unneeded_time) {
    std::string out = fast_config + ("unneeded_time = \"" + unneeded_time + "\"\n");
    for (const std::string& zone : zones)
        out += "[[plugin.simulated.settings.groups]]\nid = \"web-" + zone + "\"\nzone = \"" + zone +
               "\"\nmax = " + std::to_string(max) +
               "\nboot = \"1s\"\nmachine = { cpu = \"4\", memory = \"16Gi\" }\n";
    return out;
}

std::string deployment(int replicas, const std::string& cpu, const std::vector<std::string>& spec) {
    std::string out = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n";
    out += "  replicas: " + std::to_string(replicas) + "\n";
    out += "  selector: {matchLabels: {app: web}}\n  template:\n";
    out += "    metadata: {labels: {app: web}}\n    spec:\n";
    out += "      containers: [{name: main, image: web, resources: {requests: {cpu: \"" + cpu +
           "\"}}}]\n";
    for (const std::string& line : spec) out += "      " + line + "\n";
    return out;
}

std::string budget(int ready_at_least) {
    return "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: "
           "{minAvailable: " +
           std::to_string(ready_at_least) + ", selector: {matchLabels: {app: web}}}\n";
}

}  // namespace capstan::e2e
