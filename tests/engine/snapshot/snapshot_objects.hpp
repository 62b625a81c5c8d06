/// Nodes and pods of which a test sets only the relevant fields.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/snapshot/cluster_builder.hpp"

namespace capstan::engine::snapshot {

inline NodeObject node(std::string name, Resources allocatable = {{"cpu", 4000}, {"pods", 110}}) {
    NodeObject out;
    out.name = std::move(name);
    out.capacity = allocatable;
    out.allocatable = std::move(allocatable);
    return out;
}

inline PodObject pod(std::string name, std::string node = "", Resources requests = {{"cpu", 100}}) {
    PodObject out;
    out.name = std::move(name);
    out.spec.requests = std::move(requests);
    out.node_name = std::move(node);
    return out;
}

inline PodIndex find_pod(const Cluster& cluster, std::string_view name) {
    PodIndex at = 0;
    while (at < cluster.pod_count() && cluster.text(cluster.pod(at).name) != name) ++at;
    return at;  // one past the last: not found
}

inline std::int64_t amount(const Cluster& cluster, std::span<const std::int64_t> amounts,
                           std::string_view resource) {
    return amounts[cluster.find_resource(resource).value()];
}

/// The pods and the resources of the nodes, whatever the order in which objects were added.
inline std::string to_text(const Cluster& cluster) {
    std::string out;
    std::vector<std::string> pods;
    for (PodIndex i = 0; i < cluster.pod_count(); ++i) {
        const PodRow row = cluster.pod(i);
        pods.push_back(std::string(cluster.text(row.name)) + "@" +
                       std::string(cluster.text(row.node_name)) + " ");
    }
    std::sort(pods.begin(), pods.end());
    for (const std::string& pod : pods) out += pod;
    for (NodeIndex i = 0; i < cluster.node_count(); ++i) {
        out += "\n" + std::string(cluster.text(cluster.node(i).name));
        for (const std::string_view name : {"cpu", "memory", "pods", "nvidia.com/gpu"}) {
            if (!cluster.find_resource(name)) continue;
            out += " " + std::to_string(amount(cluster, cluster.requested(i), name)) + "/" +
                   std::to_string(amount(cluster, cluster.allocatable(i), name));
        }
    }
    return out;
}

}  // namespace capstan::engine::snapshot
