/// Plain judgements about pods, by the letter of what they say: nothing of the engine's own rules.
#pragma once

#include <optional>
#include <string>

#include "engine/actions.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::simulation {

/// "default/web-7".
std::string name_of_pod(const engine::Cluster& cluster, engine::PodIndex pod);
/// The pod of an eviction; nothing: it is not on that node any more.
std::optional<engine::PodIndex> find_pod(const engine::Cluster& cluster,
                                         const engine::Eviction& eviction);

/// A DaemonSet's or a mirror pod: bound to its node, so nobody waits for it.
bool belongs_to_node(const engine::Cluster& cluster, engine::PodIndex pod);
/// Why it may not be moved off a node that works; empty: it may. Knows the annotations
/// safe-to-evict and safe-to-evict-local-volumes, owners, local volumes, and the system's pods: one
/// without a budget stays for its first hour.
std::string why_unmovable(const engine::Cluster& cluster, engine::PodIndex pod,
                          const engine::Settings& settings, Time now);

/// Whether resources, labels and taints are not enough to tell where it fits: then it depends on
/// the order in which pods are tried how many nodes they need.
bool wants_more_than_room(const engine::Cluster& cluster, engine::PodIndex pod,
                          const engine::Settings& settings);

/// Whether a node that is just like the group's others surely has room for the pod. False for all
/// that takes more than resources, labels and taints to tell.
bool surely_fits(const engine::Cluster& cluster, engine::PodIndex pod, const engine::Group& group,
                 const engine::Settings& settings);

}  // namespace capstan::simulation
