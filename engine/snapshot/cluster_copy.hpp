/// A cluster's objects, made again from its rows.
#pragma once

#include <functional>
#include <string_view>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/cluster_sink.hpp"

namespace capstan::engine::snapshot {

/// The objects that these rows were made of, except for annotations that are not kept.
NodeObject node_object(const Cluster& cluster, const NodeRow& row);
PodObject pod_object(const Cluster& cluster, const PodRow& row);

/// Sets all objects of the cluster in `to`. Memory that the cluster's builder holds for objects
/// that are gone is not copied, so a copy into a new builder frees it.
void copy(const Cluster& cluster, ClusterSink& to);

/// Calls `act` for every object of a kind, in no particular order; `ns` is empty if the kind has no
/// namespace.
void for_each_name(const Cluster& cluster, ObjectKind kind,
                   const std::function<void(std::string_view ns, std::string_view name)>& act);

}  // namespace capstan::engine::snapshot
