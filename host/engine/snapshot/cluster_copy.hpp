/// A cluster's objects, told again.
#pragma once

#include <functional>
#include <string_view>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_sink.hpp"

namespace capstan::engine::snapshot {

NodeObject node_object(const Cluster& cluster, const NodeRow& row);
PodObject pod_object(const Cluster& cluster, const PodRow& row);

/// All of it. What the cluster's builder kept of objects that are gone stays behind, so a copy into
/// a new builder frees that memory.
void copy(const Cluster& cluster, ClusterSink& to);

/// The objects of one kind, in no particular order; `ns` is empty where the kind has none.
void for_each_name(const Cluster& cluster, ObjectKind kind,
                   const std::function<void(std::string_view ns, std::string_view name)>& act);

}  // namespace capstan::engine::snapshot
