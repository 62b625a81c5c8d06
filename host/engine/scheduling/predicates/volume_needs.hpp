/// What the volumes of a class of pods ask of a node, worked out once for all its pods:
/// VolumeBinding and VolumeZone as conditions on the node's labels, VolumeRestrictions as claims
/// that no other pod may use, NodeVolumeLimits as handles to attach.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/labels.hpp>

#include "engine/scheduling/predicates/node_facts.hpp"
#include "engine/scheduling/predicates/refusal.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::engine::scheduling {

/// Volumes by CSI driver, each once however many pods use it.
using VolumesByDriver = std::map<std::string, std::set<std::string>, std::less<>>;

/// Holds on a node where one of the terms does.
struct VolumeCondition {
    Predicate predicate = Predicate::volume_binding;  ///< or volume_zone
    std::vector<NodeSelectorTerm> any_of{};           ///< empty: holds nowhere
    std::string sentence{};                           ///< what is said where it does not hold
    bool operator==(const VolumeCondition&) const = default;
};

struct VolumeNeeds {
    /// No node will do, whatever it is like; nothing: some may.
    std::optional<Refusal> refusal{};
    /// All must hold. Those of VolumeBinding come first.
    std::vector<VolumeCondition> conditions{};
    /// ReadWriteOncePod claims, as "namespace/name".
    std::set<std::string> exclusive{};
    /// All claims, the same way.
    std::set<std::string> claims{};
    /// What a node attaches for such a pod.
    VolumesByDriver attached{};
    bool operator==(const VolumeNeeds&) const = default;
};

/// Those of a pod of the class. A free volume is not reserved: two claims, of one pod or of two,
/// may count on the same one. [any thread]
VolumeNeeds find_volume_needs(const snapshot::Cluster& cluster,
                              snapshot::PodGroupId equivalence_group);

/// The limits of the node's CSINode; empty: none. [any thread]
std::map<std::string, std::optional<int>> attach_limits(const snapshot::Cluster& cluster,
                                                        snapshot::NodeIndex node);

// What one claim asks of a node's labels.

/// Where the volume is: by its node affinity (VolumeBinding), by its labels (VolumeZone).
std::vector<VolumeCondition> conditions_of(const snapshot::VolumeObject& volume);

/// Where an unbound claim that waits for its first consumer finds a free volume, or is given one.
std::vector<VolumeCondition> conditions_of(const snapshot::ClaimObject& claim,
                                           const snapshot::StorageClassObject& of,
                                           const snapshot::ClusterObjects& objects);

}  // namespace capstan::engine::scheduling
