/// A small cluster, and the pods and template nodes that a test asks about.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/scheduling/placement.hpp"
#include "engine/snapshot/cluster_builder.hpp"
#include "engine/snapshot/default_spread.hpp"

namespace capstan::engine::scheduling {

struct TestNode {
    std::int64_t cpu = 1'000'000, memory = 1'000'000, pods = 110;
    Labels labels{};
    std::vector<Taint> taints{};
    // Only of a template node:
    std::vector<PodGroupId> daemons{};
    std::map<std::string, std::optional<int>> csi_limits{};
    std::set<std::string> csi_migrated{};
};

struct TestPod {
    std::int64_t cpu = 0, memory = 0;
    Labels labels{};
    snapshot::PodSpec spec{};  ///< `cpu` and `memory` are added to its requests
    std::string ns = "default";
    std::vector<std::string> claims{};
    std::optional<Time> deleted{};
};

/// Short forms of selectors and terms.
inline LabelSelector app(std::string value) {
    return {.match_labels = {{"app", std::move(value)}}};
}
inline snapshot::PodTerm near(std::string key, LabelSelector selector) {
    return {.selector = std::move(selector), .topology_key = std::move(key)};
}
inline snapshot::SpreadConstraint over(std::string key, LabelSelector selector, int max_skew = 1) {
    return {.max_skew = max_skew, .topology_key = std::move(key), .selector = std::move(selector)};
}
inline constexpr const char* zone_key = "topology.kubernetes.io/zone";
inline TestNode in_zone(const std::string& zone) { return {.labels = {{zone_key, zone}}}; }
inline constexpr const char* hostname_key = "kubernetes.io/hostname";

class SchedulingCluster {
public:
    /// Adds a node of the cluster, with a hostname label.
    void node(const std::string& name, const TestNode& node) {
        snapshot::NodeObject object{.name = name, .labels = node.labels, .taints = node.taints};
        object.labels.try_emplace(hostname_key, name);
        object.capacity = object.allocatable = resources(node);
        builder.set(object);
    }
    void bound(const std::string& name, const std::string& node, const TestPod& pod) {
        snapshot::PodObject object = make(pod);
        object.name = name;
        object.node_name = node;
        object.phase = snapshot::PodPhase::running;
        builder.set(object);
    }
    PodGroupIndex pod_group(const TestPod& pod) {
        pod_groups.push_back(builder.add_equivalence_group(make(pod)));
        return static_cast<PodGroupIndex>(pod_groups.size() - 1);
    }
    PodGroupId daemon(const TestPod& pod) { return builder.add_equivalence_group(make(pod)); }
    TemplateNodeId template_node(const TestNode& node) {
        template_nodes.push_back({.labels = node.labels,
                                  .taints = node.taints,
                                  .allocatable = resources(node),
                                  .daemons = node.daemons,
                                  .csi_limits = node.csi_limits,
                                  .csi_migrated = node.csi_migrated});
        return static_cast<TemplateNodeId>(template_nodes.size() - 1);
    }
    CompiledPredicates predicates() {
        return CompiledPredicates(snapshot::with_default_spread(builder.build(), defaults),
                                  pod_groups, template_nodes);
    }

    snapshot::ClusterBuilder builder;
    std::vector<snapshot::DefaultSpread> defaults{};

private:
    static snapshot::PodObject make(const TestPod& pod) {
        snapshot::PodObject object{.ns = pod.ns, .spec = pod.spec, .labels = pod.labels};
        if (pod.cpu != 0) object.spec.requests.set("cpu", pod.cpu);
        if (pod.memory != 0) object.spec.requests.set("memory", pod.memory);
        object.claims = pod.claims;
        object.deleted = pod.deleted;
        return object;
    }
    static Resources resources(const TestNode& node) {
        Resources out;
        out.set("cpu", node.cpu);
        out.set("memory", node.memory);
        out.set("pods", node.pods);
        return out;
    }

    std::vector<PodGroupId> pod_groups;
    std::vector<TemplateNode> template_nodes;
};

}  // namespace capstan::engine::scheduling
