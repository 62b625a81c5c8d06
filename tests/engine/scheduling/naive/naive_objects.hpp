/// Short forms for test cases.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "naive/naive_scheduler.hpp"

namespace capstan::engine::scheduling::naive {

inline LabelSelector app(const std::string& value) { return {.match_labels = {{"app", value}}}; }

inline Pod pod(const std::string& app_name) {
    return {.name = app_name, .labels = {{"app", app_name}}};
}

/// A node with room for 100 pods; without a zone if `zone` is empty.
inline Node node(const std::string& name, const std::string& zone, std::vector<Pod> pods = {}) {
    Node out{.name = name,
             .labels = {{"kubernetes.io/hostname", name}},
             .allocatable = {{"cpu", 4000}, {"pods", 100}},
             .pods = std::move(pods)};
    if (!zone.empty()) out.labels["zone"] = zone;
    return out;
}

/// A character for each node: "F" if the pod fits, "-" if it does not.
inline std::string where(const NaiveCluster& naive_cluster, const Pod& pod) {
    std::string out;
    for (std::size_t i = 0; i < naive_cluster.nodes.size(); ++i)
        out += fits(naive_cluster, pod, i) ? 'F' : '-';
    return out;
}

}  // namespace capstan::engine::scheduling::naive
