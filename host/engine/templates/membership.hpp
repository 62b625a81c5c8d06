/// Which node belongs to which group, and which machines have no node yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/snapshot.hpp"

namespace capstan::engine::templates {

/// A machine.
struct MachineIndex {
    std::uint32_t group = 0;    ///< index into Snapshot::groups
    std::uint32_t machine = 0;  ///< index into Group::machines
    bool operator==(const MachineIndex&) const = default;
};

/// A node belongs to the group of the machine that has the node's provider id as its id. A node
/// without a provider id belongs to the group of the machine that has the node's name as its
/// Machine::node_name or as its id. Nodes that are in no group are never changed.
struct Membership {
    std::vector<std::optional<MachineIndex>> machine_of;  ///< by NodeIndex
    std::vector<std::vector<snapshot::NodeIndex>> nodes;  ///< by group, ascending
    /// By MachineIndex::group and MachineIndex::machine, whether the machine has a node.
    std::vector<std::vector<bool>> joined;
    /// Likewise, whether an earlier group has a machine with the same id.
    std::vector<std::vector<bool>> foreign;
};

/// If several machines share an id, the first one counts.
Membership make_membership(const Snapshot& snapshot);

/// Whether `node` is the node of `machine`.
bool is_node_of(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                const Machine& machine);

/// The machine of a node; NULL: it is in no group. Borrows from the snapshot.
const Machine* find_machine(const Snapshot& snapshot, const Membership& membership,
                            snapshot::NodeIndex node) noexcept;

}  // namespace capstan::engine::templates
