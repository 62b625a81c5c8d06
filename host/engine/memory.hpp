/// What outlives a pass: requests, timers, back-offs, removals under way. A value that can be
/// saved, loaded and compared, so that a restart forgets none of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/labels.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>
#include <capstan/time.hpp>

namespace capstan::engine {

/// A group that is backed off because growing it failed.
struct Backoff {
    Time since{};  ///< of the first failure in the row
    /// Nothing: until a machine that was asked for joins, or nothing is asked for any more.
    std::optional<Time> until{};
    Duration length{};  ///< the next failure in a row doubles it; zero where `until` is nothing
    Time last_failure{};
    ErrorCode code = ErrorCode::unavailable;
    std::string because{};   ///< what came back
    NodeGroupId found_by{};  ///< of a make: the group that found out; empty otherwise
    /// Until a machine joins, and none is asked for: its request was given back to the cluster's
    /// limits (scale_up/kept_requests.hpp). The nodes that the group has had since, at the fewest;
    /// nothing: not given back.
    std::optional<int> given_back{};
    bool operator==(const Backoff&) const = default;
};

/// A cloud that is backed off as a whole after failures in a row: nothing is asked of it.
struct CloudBackoff {
    Time since{};       ///< of the first failure in the row
    Time until{};       ///< the first moment at which it is asked again
    Duration length{};  ///< the next failure in a row doubles it
    Time last_failure{};
    int failures = 0;
    ErrorCode code = ErrorCode::throttled;
    std::string because{};  ///< what came back
    bool operator==(const CloudBackoff&) const = default;
};

/// Increases of a group in a row that failed for a reason that says nothing about it.
struct FailedCalls {
    int count = 0;
    Time last{};
    std::optional<Time> not_before{};  ///< as the cloud asked with the last of them
    bool operator==(const FailedCalls&) const = default;
};

/// Machines of one make in one zone, of which a cloud had none left.
struct InstanceOffering {
    PluginInstanceId cloud{};
    std::string machine_type{}, zone{};  ///< neither is empty
    bool spot = false;
    auto operator<=>(const InstanceOffering&) const = default;
};

/// Machines that a group was asked for and that have not joined.
struct ScaleUpRequest {
    Time since{};
    /// The last moment at which it counts as under way; moved by each further increase.
    Time deadline{};
    int increase = 0;
    bool operator==(const ScaleUpRequest&) const = default;
};

/// The target of a group by the answer to an increase, until the cloud's list shows this target.
struct AnsweredTarget {
    int target = 0;  ///< less what failed or was taken back since
    Time since{};
    Time deadline{};          ///< the last moment at which it counts
    bool agreed = false;      ///< false: the cloud was asked, and its answer is not known
    int unanswered = 0;       ///< the part of an agreed target from calls without an answer
    Time unanswered_until{};  ///< the last moment at which that part counts
    /// Machines that the target no longer holds and a list may still tell of.
    std::set<MachineId> ended{};
    bool operator==(const AnsweredTarget&) const = default;
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
    delayed,   ///< empty; an annotation delays the removal
    deleting,  ///< BeingDeleted was asked for, then the cloud was asked to remove the machine
    removed,   ///< the cloud agreed; the node is to vanish
    undoing,   ///< given up: taints, and a cordon of ours, are being taken off
};
std::string_view name_of(RemovalPhase phase) noexcept;  ///< "draining"
/// Whether the cloud has not been asked for the machine's removal yet.
bool is_revocable(RemovalPhase phase) noexcept;

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
    /// The target that counted in the pass that asked its cloud, and, once the cloud has agreed,
    /// that target without what the same decision took from the group. Nothing: not asked yet, or
    /// the cloud told none.
    std::optional<int> target{};
    std::string mark{};      ///< value of the taint that it was marked with; empty: not yet
    bool mark_seen = false;  ///< the cluster has shown the node with that mark
    bool asked = false;      ///< its cloud has, or may have, been asked to remove the machine
    /// By pod, "namespace/name/uid": when its eviction was last asked for and agreed to, or was
    /// last refused and why.
    struct Eviction {
        std::optional<Time> agreed{};
        std::optional<Time> refused{};
        std::string refused_because{};
        ErrorCode refused_code = ErrorCode::unavailable;
        /// Of the refusals in a row: the first one, and how many there were.
        std::optional<Time> refused_since{};
        int refusals = 0;
        /// Since when it has been refused each time for a reason that waiting does not change.
        std::optional<Time> barred_since{};
        bool operator==(const Eviction&) const = default;
    };
    std::map<std::string, Eviction> evictions{};
    std::string because{};  ///< why it goes; while undoing why it was given up
    bool operator==(const NodeRemoval&) const = default;
};

/// A removal that failed or was refused, and that is not tried again for a while.
struct RemovalBackoff {
    Time until{};       ///< the first moment at which it may be tried again
    Duration length{};  ///< the next failure in a row doubles it
    int failures = 0;   ///< in a row; zero: it is backed off for another reason
    std::string because{};
    bool operator==(const RemovalBackoff&) const = default;
};

/// Upcoming nodes to each of which a pass has assigned the same pods.
struct PlannedNodes {
    int nodes = 0;
    /// On one of them, by controller (scale_up/planned_assignments.hpp); never empty.
    std::map<std::string, int> pods{};
    bool operator==(const PlannedNodes&) const = default;
};

/// A group that a cloud lists, for when none does.
struct KnownGroup {
    PluginInstanceId cloud{};
    int nodes = 0;
    std::set<std::string> sample_nodes{};  ///< the first of them, by name; three at most
    bool operator==(const KnownGroup&) const = default;
};

/// The moments after which removals rest for a while.
struct LastActions {
    std::optional<Time> scale_up{}, removal{}, failed_removal{};
    bool operator==(const LastActions&) const = default;
};

/// A group that its cloud was asked to make, and that it does not list yet.
struct UpcomingNodeGroup {
    PluginInstanceId cloud{};
    GroupPlan plan{};
    int nodes = 0;        ///< that it is to have at once
    bool agreed = false;  ///< false: whether the cloud was asked at all is not known (yet)
    Time since{};
    Time deadline{};  ///< the last moment at which it is waited for
    bool operator==(const UpcomingNodeGroup&) const = default;
};

/// What a node of a group turned out to be. Without taints that pass, and without pods.
struct NodeTraits {
    Labels labels{};
    std::vector<Taint> taints{};
    Resources capacity{}, allocatable{};
    bool operator==(const NodeTraits&) const = default;
};

/// The last node of a group that was ready and unchanged for a minute.
struct ObservedNode {
    std::string node{};
    NodeTraits traits{};
    Time seen{};  ///< when the group last had a node that looks so, to the hour
    bool operator==(const ObservedNode&) const = default;
};

/// A node of a group that is ready, and looks as it does since `since`.
struct SettlingNode {
    NodeTraits traits{};
    Time since{};
    bool operator==(const SettlingNode&) const = default;
};

/// A cloud's template of a group, and what became of its nodes.
struct TemplateRecord {
    std::string fingerprint{};  ///< of the template
    Time since{};               ///< seen with this fingerprint; machines of before do not count
    std::optional<SettlingNode> settling{};
    std::optional<ObservedNode> observed{};
    /// The node that took no pod and backed the group off; empty: there is none.
    std::string idle_node{};
    bool operator==(const TemplateRecord&) const = default;
};
using TemplateRecords = std::map<NodeGroupId, TemplateRecord>;

/// All moments are on the clock of PassTime::now. Only those called `until` and `deadline` may be
/// to come.
struct Memory {
    /// False: this is the first pass since the autoscaler started; the loader of a saved memory
    /// sets it. Marks on nodes that no memory knows are cleared away in that pass.
    bool started = false;
    /// Groups that no pass has read since the autoscaler started: leftovers on their nodes are
    /// cleared away by the first pass that does.
    std::set<NodeGroupId> unread_since_start{};

    std::map<NodeGroupId, Backoff> backoffs{};
    std::map<InstanceOffering, Backoff> offering_backoffs{};
    std::map<PluginInstanceId, CloudBackoff> cloud_backoffs{};
    std::map<NodeGroupId, FailedCalls> failed_calls{};
    /// Machines that failed and are still listed by their cloud: each counts as one failure of its
    /// group, however many passes see it.
    std::map<NodeGroupId, std::set<MachineId>> failed_machines{};
    std::map<NodeGroupId, ScaleUpRequest> requests{};
    std::map<NodeGroupId, AnsweredTarget> answered_targets{};
    /// Machines without a node, since when they have been seen so.
    std::map<NodeGroupId, std::map<MachineId, Time>> unjoined{};
    /// When those were launched, as far as their clouds say, and when nodes that have not started
    /// were created, by name: as it looked when it was first seen. A clock that is set afterwards
    /// makes none older.
    std::map<NodeGroupId, std::map<MachineId, Time>> launched{};
    std::map<std::string, Time, std::less<>> created{};
    std::map<NodeGroupId, WrongSize> wrong_sizes{};
    /// What nodes to come are for: a pass that put pods on them in another way than the one that
    /// ordered them might find one node too few.
    std::map<NodeGroupId, std::vector<PlannedNodes>> planned{};
    /// Since when pods, named as in PlannedNodes, are put on nodes to come of the group pass after
    /// pass.
    std::map<NodeGroupId, std::map<std::string, Time>> planned_since{};
    /// One for each group there is.
    TemplateRecords templates{};

    std::map<NodeGroupId, UpcomingNodeGroup> upcoming_groups{};
    /// The groups that clouds list, and the groups that no cloud lists any more but have nodes.
    std::map<NodeGroupId, KnownGroup> known_groups{};
    /// Autoprovisioned groups that are empty, since when they have been seen so.
    std::map<NodeGroupId, Time> empty_groups{};

    std::map<std::string, Unneeded, std::less<>> unneeded{};  ///< by node
    /// Since when the cluster has not been seen as it is: that time counts as unneeded for no node.
    std::optional<Time> unobserved_since{};
    /// Where a class of pods last found room when its node was looked at, by the pod's
    /// "namespace/name": tried first the next time.
    std::map<std::string, std::string> hints{};
    std::map<std::string, NodeRemoval, std::less<>> removals{};  ///< by node
    /// By machine, with or without a node, as long as its cloud lists it.
    std::map<NodeGroupId, std::map<MachineId, RemovalBackoff>> removal_backoffs{};
    /// By group, after its cloud refused to lower the target by machines that it has not made.
    std::map<NodeGroupId, RemovalBackoff> decrease_backoffs{};
    /// By group, whose cloud does not remove machines one by one.
    std::map<NodeGroupId, RemovalBackoff> unremovable_groups{};
    LastActions last{};
    std::map<NodeGroupId, LastActions> last_by_group{};

    bool operator==(const Memory&) const = default;
};

}  // namespace capstan::engine
