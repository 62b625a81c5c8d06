/// What is written on a node for its removal, and taken off again.
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
inline constexpr std::string_view deletion_candidate_taint = "DeletionCandidateOfClusterAutoscaler";
/// On a node that Capstan has cordoned, so that a cordon of another client is never lifted.
inline constexpr std::string_view cordoned_annotation = "capstan.io/cordoned";

bool has_taint(const snapshot::NodeRow& node, std::string_view key) noexcept;
/// Whether it carries a taint of a removal.
bool is_marked(const snapshot::NodeRow& node) noexcept;
/// Whether it carries the taint that this very removal has set, and no earlier or foreign one.
bool carries_mark_of(const NodeRemoval& removal, const snapshot::NodeRow& node) noexcept;
bool is_cordoned_by_us(const snapshot::Cluster& cluster, const snapshot::NodeRow& node) noexcept;

/// A taint whose value is the moment, in seconds since 1970.
Taint dated_taint(std::string_view key, Effect effect, Time time);

/// Says that the node is to go: nothing new is scheduled on it. Notes in `removal` with which value
/// and whether the cordon is ours.
NodeChange make_mark(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                     NodeRemoval& removal, const ScaleDownSettings& settings, const PassTime& time);
/// Says that its machine is being removed.
NodeChange make_announcement(std::string node, const NodeRemoval& removal, const PassTime& time);
/// Takes off all that, a cordon only where it is ours.
NodeChange make_unmark(std::string node, const NodeRemoval& removal);

}  // namespace capstan::engine
