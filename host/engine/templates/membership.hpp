/// Which node belongs to which group, and which machines have no node yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/snapshot.hpp"

namespace capstan::engine::templates {

/// A machine by its group and its place in Group::machines.
struct MachineIndex {
    std::uint32_t group = 0;
    std::uint32_t machine = 0;
    bool operator==(const MachineIndex&) const = default;
};

/// A node belongs to the group that has a machine of its provider id; without a provider id, of the
/// group whose machine has its name as Machine::node_name or as its id. Nodes of no group are never
/// changed.
struct Membership {
    std::vector<std::optional<MachineIndex>> machine_of;  ///< by NodeIndex
    std::vector<std::vector<snapshot::NodeIndex>> nodes;  ///< by group, ascending
    /// By group, then by place in Group::machines: whether it has a node.
    std::vector<std::vector<bool>> joined;
    /// By group, then by place in Group::machines: whether an earlier group has the same machine.
    std::vector<std::vector<bool>> foreign;
};

/// Of machines that share an id the first by group counts.
Membership make_membership(const Snapshot& snapshot);

/// Whether it is the node of that machine.
bool is_node_of(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                const Machine& machine);

/// The machine of a node, or NULL; borrows from the snapshot.
const Machine* find_machine(const Snapshot& snapshot, const Membership& membership,
                            snapshot::NodeIndex node) noexcept;

}  // namespace capstan::engine::templates
