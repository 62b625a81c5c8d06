/// What the volumes of a pod equivalence group ask of a node, worked out once for all its pods.
/// VolumeBinding and VolumeZone become conditions on the node's labels and name, VolumeRestrictions
/// becomes claims that no other pod may use, NodeVolumeLimits becomes volumes to attach.
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

/// The handles of volumes by CSI driver.
using VolumesByDriver = std::map<std::string, std::set<std::string>, std::less<>>;

/// A condition that a node meets if it matches one of the terms.
struct VolumeCondition {
    Predicate predicate = Predicate::volume_binding;  ///< or volume_zone
    std::vector<NodeSelectorTerm> any_of{};           ///< empty: no node meets it
    std::string sentence{};  ///< the refusal on a node that does not meet it
    bool operator==(const VolumeCondition&) const = default;
};

/// What the claims and in-tree volumes of one pod need.
struct VolumeNeeds {
    /// The refusal of every node; absent: some nodes may pass.
    std::optional<Refusal> refusal{};
    /// The node has to meet all conditions. Those of VolumeBinding come first.
    std::vector<VolumeCondition> conditions{};
    /// ReadWriteOncePod claims, as "namespace/name".
    std::set<std::string> exclusive{};
    /// All claims, as "namespace/name".
    std::set<std::string> claims{};
    /// The CSI volumes that a node attaches for such a pod.
    VolumesByDriver attached{};
    /// The in-tree volumes, by the driver that replaces their plugin. A node attaches them by this
    /// driver if its CSINode says so (snapshot::CsiNodeObject::migrated).
    VolumesByDriver in_tree{};
    bool operator==(const VolumeNeeds&) const = default;
};

/// Whether pods of the equivalence group have volumes with needs. [any thread]
bool has_volumes(const snapshot::PodGroupRow& row) noexcept;

/// The needs of a pod of the equivalence group. A free volume is not reserved: two claims, of one
/// pod or of two, may count on the same volume. [any thread]
VolumeNeeds find_volume_needs(const snapshot::Cluster& cluster, PodGroupId equivalence_group);

/// The node's CSINode; NULL: it has none. [any thread]
const snapshot::CsiNodeObject* find_csi_node(const snapshot::Cluster& cluster, NodeIndex node);

// What one claim asks of a node's labels.

/// The conditions for reaching a bound volume: its node affinity (VolumeBinding) and its zone and
/// region labels (VolumeZone).
std::vector<VolumeCondition> conditions_of(const snapshot::VolumeObject& volume);

/// The conditions for an unbound claim of a WaitForFirstConsumer class: a free volume, or room to
/// provision one.
std::vector<VolumeCondition> conditions_of(const snapshot::ClaimObject& claim,
                                           const snapshot::StorageClassObject& of,
                                           const snapshot::ClusterObjects& objects);

}  // namespace capstan::engine::scheduling
