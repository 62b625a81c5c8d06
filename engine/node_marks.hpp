/// The marks that a removal writes on a node and takes off again: taints, a cordon, annotations.
#pragma once

#include <string>
#include <string_view>

#include "engine/actions.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

inline constexpr std::string_view to_be_deleted_taint = "ToBeDeletedByClusterAutoscaler";
inline constexpr std::string_view being_deleted_taint = "BeingDeletedByClusterAutoscaler";
/// On a node whose machine is about to leave (health/leaving_nodes.hpp).
inline constexpr std::string_view leaving_taint = "capstan.io/leaving";
inline constexpr std::string_view deletion_candidate_taint = "DeletionCandidateOfClusterAutoscaler";
/// On a node that Capstan has cordoned, so that a cordon of another client is never lifted.
inline constexpr std::string_view cordoned_annotation = "capstan.io/cordoned";

bool has_taint(const snapshot::NodeRow& node, std::string_view key) noexcept;
/// Whether the node carries ToBeDeleted or BeingDeleted.
bool is_marked(const snapshot::NodeRow& node) noexcept;
/// Whether the node carries the ToBeDeleted taint of this very removal: the value is the one that
/// the removal set, not that of an earlier removal or of another client.
bool carries_mark_of(const NodeRemoval& removal, const snapshot::NodeRow& node) noexcept;
bool is_cordoned_by_us(const snapshot::Cluster& cluster, const snapshot::NodeRow& node) noexcept;

/// A taint with the time as its value, in seconds since 1970.
Taint dated_taint(std::string_view key, Effect effect, Time time);

/// Taints the node with ToBeDeleted, so that no new pod is scheduled there, and cordons it if the
/// settings say so. Records the taint's value, and whether the cordon is ours, in `removal`.
NodeChange make_mark(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                     NodeRemoval& removal, const ScaleDownSettings& settings, const PassTime& time);
/// Taints the node with BeingDeleted: its machine is about to be removed.
NodeChange make_announcement(std::string node, const NodeRemoval& removal, const PassTime& time);
/// Takes both taints off, and the cordon if it is ours.
NodeChange make_unmark(std::string node, const NodeRemoval& removal);

}  // namespace capstan::engine
