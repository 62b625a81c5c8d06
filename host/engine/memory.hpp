/// What outlives a pass: requests, timers, back-offs, removals under way. A value that can be
/// saved, loaded and compared, so that a restart forgets none of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/time.hpp>

namespace capstan::engine {

/// A group that is left alone because growing it failed.
struct Backoff {
    Time since{};  ///< of the first failure in the row
    /// Nothing: until a machine that was asked for joins, or nothing is asked for any more.
    std::optional<Time> until{};
    Duration length{};  ///< the next failure in a row doubles it; zero where `until` is nothing
    Time last_failure{};
    ErrorCode code = ErrorCode::unavailable;
    std::string because{};   ///< what came back
    NodeGroupId found_by{};  ///< of a make: the group that found out; empty otherwise
    bool operator==(const Backoff&) const = default;
};

/// Machines of one make in one zone, of which a cloud had none left.
struct Make {
    PluginInstanceId cloud{};
    std::string machine_type{}, zone{};  ///< neither is empty
    bool spot = false;
    auto operator<=>(const Make&) const = default;
};

/// Machines that a group was asked for and that have not joined.
struct ScaleUpRequest {
    Time since{};
    /// The last moment at which it counts as under way; moved by each further increase.
    Time deadline{};
    int increase = 0;
    bool operator==(const ScaleUpRequest&) const = default;
};

/// A group whose target and number of machines disagree.
struct WrongSize {
    int current = 0, expected = 0;
    Time since{};  ///< as these two figures
    bool operator==(const WrongSize&) const = default;
};

/// A node that could go.
struct Unneeded {
    Time since{};
    bool ready = true;
    bool operator==(const Unneeded&) const = default;
};

/// How far the removal of a node has come.
enum class RemovalPhase : std::uint8_t {
    tainting,  ///< ToBeDeleted was asked for
    waiting,   ///< tainted; the scheduler gets time to see it
    draining,  ///< pods are evicted, and waited for
    delayed,   ///< empty; somebody delays the removal by annotation
    deleting,  ///< BeingDeleted was asked for, then the cloud was asked to remove the machine
    removed,   ///< the cloud agreed; the node is to vanish
    undoing,   ///< given up: taints, and a cordon of ours, are being taken off
};

/// A node that is being removed.
struct NodeRemoval {
    NodeGroupId group{};
    MachineId machine{};
    RemovalPhase phase = RemovalPhase::tainting;
    bool empty = false;     ///< it had no pods to move when it was chosen
    bool ready = true;      ///< it was, when it was chosen
    bool cordoned = false;  ///< by us; a foreign cordon is left alone
    Time since{};           ///< chosen
    Time phase_since{};
    std::optional<Time> unneeded_since{};
    /// By pod, "namespace/name/uid": when its eviction was last asked for and agreed to, or was
    /// last refused and why.
    struct Eviction {
        std::optional<Time> agreed{};
        std::optional<Time> refused{};
        std::string refused_because{};
        bool operator==(const Eviction&) const = default;
    };
    std::map<std::string, Eviction> evictions{};
    std::string because{};  ///< why it goes; while undoing why it was given up
    bool operator==(const NodeRemoval&) const = default;
};

/// Nodes to come on each of which a pass has put the same pods, in thought.
struct PlannedNodes {
    int nodes = 0;
    /// On one of them, by who looks after them (scale_up/planned_seats.hpp); never empty.
    std::map<std::string, int> pods{};
    bool operator==(const PlannedNodes&) const = default;
};

/// The moments after which removals rest for a while.
struct LastActions {
    std::optional<Time> scale_up{}, removal{}, failed_removal{};
    bool operator==(const LastActions&) const = default;
};

/// A group that its cloud was asked to make, and that it does not list yet.
struct GroupToCome {
    PluginInstanceId cloud{};
    GroupPlan plan{};
    int nodes = 0;        ///< that it is to have at once
    bool agreed = false;  ///< false: whether the cloud was asked at all is not known (yet)
    Time since{};
    Time deadline{};  ///< the last moment at which it is waited for
    bool operator==(const GroupToCome&) const = default;
};

struct Memory {
    /// False: this is the first pass since the autoscaler started; whoever loads a saved memory
    /// says so. What was done and not remembered is cleared away then.
    bool started = false;

    std::map<NodeGroupId, Backoff> backoffs{};
    std::map<Make, Backoff> make_backoffs{};
    /// Machines that failed and are still listed by their cloud: each counts as one failure of its
    /// group, however many passes see it.
    std::map<NodeGroupId, std::set<MachineId>> failed_machines{};
    std::map<NodeGroupId, ScaleUpRequest> requests{};
    /// Machines without a node, since when they have been seen so.
    std::map<NodeGroupId, std::map<MachineId, Time>> unjoined{};
    std::map<NodeGroupId, WrongSize> wrong_sizes{};
    /// What nodes to come are for: a pass that put pods on them in another way than the one that
    /// ordered them might find one node too few.
    std::map<NodeGroupId, std::vector<PlannedNodes>> planned{};

    std::map<NodeGroupId, GroupToCome> groups_to_come{};
    /// Autoprovisioned groups that are empty, since when they have been seen so.
    std::map<NodeGroupId, Time> empty_groups{};

    std::map<std::string, Unneeded, std::less<>> unneeded{};  ///< by node
    /// Where a class of pods last found room when its node was looked at, by the pod's
    /// "namespace/name": tried first the next time.
    std::map<std::string, std::string> hints{};
    std::map<std::string, NodeRemoval, std::less<>> removals{};  ///< by node
    LastActions last{};
    std::map<NodeGroupId, LastActions> last_of{};

    bool operator==(const Memory&) const = default;
};

}  // namespace capstan::engine
