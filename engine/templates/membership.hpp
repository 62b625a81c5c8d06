/// Which node belongs to which group, and which machines have no node yet.
#pragma once

#include <array>
#include <cstdint>
#include <map>
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

/// A node belongs to the group of the machine that has the node's provider id as its id. If no
/// listed machine has it, the names are compared: the last segment of the provider id ("i-1" of
/// "aws:///zone/i-1"), the node's name and its hostname label with the last segment of the
/// machine's id, the id, and Machine::node_name. If none is the same, these names and the addresses
/// of the node are compared with Machine::addresses.
///
///     no provider id, or one without the machine's scheme    each of the names counts
///     a provider id of the machine's scheme                  the last segment has to be the same
///     a name that two machines without a node have           counts for neither
///     an address that two machines or two nodes have         counts for none
///     a node that is older than the machine                  does not have its address
///
/// A node whose provider id is that of a listed machine is never the node of another one. A machine
/// has one node by its provider id. If several nodes have it, for example after a change of the
/// host name, the machine's node is one that is ready, among these one with pods, among these the
/// youngest. The others are in no group: that one of them is not ready or has no pods says nothing
/// about the machine. Nodes that are in no group are never changed.
struct Membership {
    std::vector<std::optional<MachineIndex>> machine_of;  ///< by NodeIndex
    std::vector<std::vector<NodeIndex>> nodes;            ///< by group, ascending
    /// By MachineIndex::group and MachineIndex::machine, whether the machine has a node.
    std::vector<std::vector<bool>> joined;
    /// Likewise, whether an earlier group has a machine with the same id.
    std::vector<std::vector<bool>> counted_elsewhere;
    /// By a machine's node: another ready node with the machine's provider id. If both are ready,
    /// one of the provider ids is wrong, and the machine may be that of the other node.
    std::map<NodeIndex, NodeIndex> ready_twins;
};

/// If several machines share an id, the first one counts.
Membership make_membership(const Snapshot& snapshot);

/// Whether `node` is the node of `machine`. Whether other nodes or machines have the same names or
/// addresses is not checked.
bool is_node_of(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                const Machine& machine);
/// The names above, without addresses; unknown ones are empty. Borrows its arguments.
std::array<std::string_view, 3> names_of(const Machine& machine);
std::array<std::string_view, 3> names_of(const snapshot::Cluster& cluster,
                                         const snapshot::NodeRow& node);

/// The machine of a node; NULL: it is in no group. Borrows from the snapshot.
const Machine* find_machine(const Snapshot& snapshot, const Membership& membership,
                            NodeIndex node) noexcept;

}  // namespace capstan::engine::templates
