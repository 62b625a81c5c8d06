/// Nodes without a machine that may belong to machines that seem to have no node.
///
/// A node whose provider id is absent, malformed or of another cluster, and whose names and
/// addresses are unknown or ambiguous, belongs to no machine. Its machine runs pods and looks as if
/// it had never joined:
///
///     group web   i-1, launched at 12:00, no node
///     node n1     registered at 12:01, in no group, of the machine type and zone of web
///
/// So i-1 is kept as long as n1 is there, and requests of web are not taken back: n1 may also be a
/// machine that the cloud's list does not have yet.
#pragma once

#include <string>
#include <vector>

#include "engine/health/group_counts.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::health {

/// Borrows its arguments.
class UnrecognizedNodes {
public:
    UnrecognizedNodes(const Snapshot& snapshot, const templates::Membership& membership,
                      const Memory& memory, const PassTime& time);

    /// The names of the nodes that may belong to the group, ascending. A node counts if
    ///
    ///     it carries a name (templates::names_of) or an address of a machine without a node, or
    ///     it registered after a machine without a node was launched or requested, and its labels
    ///     name no other machine type and no other zone.
    ///
    /// If the cloud does not say when a machine was launched, it may have been launched up to the
    /// provision time before a list first showed it, or at any time if it was there when the group
    /// was first seen. Nodes that are being removed do not count. For a group whose template is not
    /// of the control plane, nodes of the control plane without such a name or address do not count
    /// either.
    std::vector<std::string> of(const GroupCounts& group) const;

private:
    const Snapshot& snapshot_;
    const Memory& memory_;
    const PassTime& time_;
    std::vector<NodeIndex> strays_{};  ///< nodes in no group, ascending
};

/// "nodes n1, n2 (spec.providerID matches no machine)". `nodes`: not empty.
std::string describe_strays(const std::vector<std::string>& nodes);

/// For `doctor`, which knows no times but those of the clouds: a sentence for each group with
/// machines that are created or run without a node, and with nodes that may be theirs, by group.
std::vector<std::string> describe_unrecognized(const Snapshot& snapshot, Time now);

}  // namespace capstan::engine::health
