/// Clusters for tests of removals: a group "web" with one node and its pods.
#pragma once

#include "../test_cluster.hpp"
#include "engine/drainability/candidates.hpp"
#include "engine/drainability/drain_rules/drain_rules.hpp"

namespace capstan::engine {

/// A group with one ready node of 4 cores.
inline TestCluster one_node() {
    TestCluster test_cluster;
    test_cluster.group("web", 1);
    test_cluster.node("web-1", "web");
    return test_cluster;
}

/// A pod of a ReplicaSet on the node, which can be moved.
inline snapshot::PodObject& replica(TestCluster& test_cluster, std::string name,
                                    std::string node = "web-1") {
    snapshot::PodObject& pod = test_cluster.pod(std::move(name), std::move(node));
    pod.phase = snapshot::PodPhase::running;
    pod.owner = {.kind = "ReplicaSet", .api_group = "apps", .name = "frontend", .uid = "rs"};
    return pod;
}

inline void annotate(snapshot::PodObject& pod, const char* key, const char* value) {
    pod.annotations[std::string("cluster-autoscaler.kubernetes.io/") + key] = value;
}

inline void owned_by(snapshot::PodObject& pod, std::string kind, std::string group = {}) {
    pod.owner = {.kind = kind, .api_group = std::move(group), .name = "its-owner", .uid = "u"};
    pod.owner.job_among_owners = kind == "Job";
}

/// Finds a pod by name.
inline std::optional<PodIndex> find_pod(const snapshot::Cluster& cluster, std::string_view name) {
    for (PodIndex pod = 0; pod < cluster.pod_count(); ++pod) {
        if (cluster.text(cluster.pod(pod).name) == name) return pod;
    }
    return std::nullopt;
}

inline std::vector<std::string> names(const snapshot::Cluster& cluster,
                                      const std::vector<PodIndex>& pods) {
    std::vector<std::string> out;
    for (const PodIndex pod : pods) out.emplace_back(cluster.text(cluster.pod(pod).name));
    return out;
}

}  // namespace capstan::engine
