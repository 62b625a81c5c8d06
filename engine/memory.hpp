/// The state that outlives a pass: requests, timers, back-offs, removals under way. A value that
/// can be saved, loaded and compared, so that a restart loses none of it.
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

#include "engine/brief_text.hpp"
#include "engine/scheduling/predicates/refusal.hpp"

namespace capstan::engine {

/// A group that is backed off because growing it failed.
struct Backoff {
    Time since{};  ///< of the first failure in the row
    /// Absent: until a requested machine joins, or no machine is requested any more.
    std::optional<Time> until{};
    Duration length{};  ///< the next failure in a row doubles it; zero where `until` is absent
    Time last_failure{};
    ErrorCode code = ErrorCode::unavailable;
    ErrorScope scope = ErrorScope::unknown;  ///< which other groups the error concerns
    BriefText because{};                     ///< the error, in a sentence
    NodeGroupId found_by{};  ///< for an offering: the group that failed; empty otherwise
    /// Set while `until` is absent and no machine is requested, because the request was cancelled
    /// to make room within the cluster's limits (scale_up/kept_requests.hpp): the fewest nodes that
    /// the group has had since then. Absent: the request was not cancelled.
    std::optional<int> given_back{};
    bool operator==(const Backoff&) const = default;
};

/// A back-off of a cloud's refreshes, or of changes of its groups, after failures in a row.
struct CloudBackoff {
    Time since{};       ///< of the first failure in the row
    Time until{};       ///< the first moment at which the cloud is called again
    Duration length{};  ///< the next failure in a row doubles it
    Time last_failure{};
    int failures = 0;  ///< zero: only one increase was throttled, maybe because of its group alone
    ErrorCode code = ErrorCode::throttled;
    BriefText because{};  ///< the cloud's error
    bool operator==(const CloudBackoff&) const = default;
};

/// Increases of a group that failed in a row, mostly for reasons that say nothing about the group.
struct FailedCalls {
    int count = 0;
    Time last{};
    std::optional<Time> not_before{};  ///< when the last failure's retry_after ends
    bool operator==(const FailedCalls&) const = default;
};

/// Machines of a cloud that are backed off for all groups (health/shared_backoff.hpp).
struct InstanceOffering {
    PluginInstanceId cloud{};
    std::string machine_type{}, zone{};  ///< empty: any
    bool spot = false;
    bool any_market = false;  ///< spot and on demand; `spot` is false then
    auto operator<=>(const InstanceOffering&) const = default;
};

/// Machines that were requested for a group and have not joined.
struct ScaleUpRequest {
    Time since{};
    /// The last moment at which the request counts as under way; each further increase moves it.
    Time deadline{};
    int increase = 0;
    bool operator==(const ScaleUpRequest&) const = default;
};

/// The target of a group in the cloud's answer to an increase, kept until the cloud's list shows
/// this target (health/answered_targets.hpp).
struct AnsweredTarget {
    int target = 0;  ///< less the machines that failed, were removed or taken back since
    Time since{};
    Time deadline{};      ///< the last moment at which the answer counts
    bool agreed = false;  ///< false: the cloud was asked, and its answer is not known
    /// If `agreed`: the part of `target` from increases whose answer is not known.
    int unanswered = 0;
    Time unanswered_until{};  ///< the last moment at which that part counts
    /// Machines that `target` no longer includes and that the cloud's list may still have.
    std::set<MachineId> ended{};
    bool operator==(const AnsweredTarget&) const = default;
};

/// A machine without a node that its cloud was asked to remove, and may still list
/// (health/removed_machines.hpp).
struct RemovedMachine {
    Time until{};         ///< the first moment at which it does not count any more
    bool agreed = false;  ///< false: the cloud was asked, and its answer is not known
    /// As NodeRemoval::target. Absent: the cloud makes another machine, or reports no target.
    std::optional<int> target{};
    bool operator==(const RemovedMachine&) const = default;
};

/// A group with a target (`expected`) above the correct one (`current`), see update_incorrect_size.
struct IncorrectNodeGroupSize {
    int current = 0, expected = 0;
    Time since{};  ///< since when the two figures have not changed
    bool operator==(const IncorrectNodeGroupSize&) const = default;
};

/// An unneeded node (every pod on it would have another place), or a candidate for scale-down that
/// is still starting.
struct Unneeded {
    Time since{};
    bool ready = true;
    bool operator==(const Unneeded&) const = default;
};

/// How far the removal of a node has come.
enum class RemovalPhase : std::uint8_t {
    tainting,  ///< the ToBeDeleted taint is requested
    waiting,   ///< tainted; the scheduler gets time to see the taint
    draining,  ///< pods are evicted; the drain waits for their end
    delayed,   ///< drained; an annotation, or the batch, may delay the removal
    deleting,  ///< the BeingDeleted taint is requested, then the removal of the machine
    removed,   ///< the cloud removes the machine; the node is about to vanish
    undoing,   ///< given up: taints, and a cordon of ours, are being taken off
};
std::string_view name_of(RemovalPhase phase) noexcept;  ///< "draining"
/// Whether the phase is one before `deleting`: the cloud was not asked to remove the machine yet.
bool is_revocable(RemovalPhase phase) noexcept;

/// By node, and by pod_group_key (pods/pod_group_key.hpp): a number of pods.
using PodPlaces = std::map<std::string, std::map<std::string, int>>;

/// A node that is being removed.
struct NodeRemoval {
    NodeGroupId group{};
    MachineId machine{};
    RemovalPhase phase = RemovalPhase::tainting;
    bool empty = false;     ///< when it was chosen, the node had no pods to move
    bool ready = true;      ///< when it was chosen, the node was ready
    bool cordoned = false;  ///< by us; a cordon of another client is not touched
    Time since{};           ///< when the node was chosen
    Time phase_since{};
    std::optional<Time> unneeded_since{};
    /// The group's target in the pass that asked the cloud for the removal. Once the cloud has
    /// agreed: that target minus the number of machines that the same decision took from the group.
    /// Absent: the cloud was not asked yet, or reports no target.
    std::optional<int> target{};
    std::string mark{};      ///< the value of our ToBeDeleted taint; empty: not set yet
    bool mark_seen = false;  ///< a view of the cluster has shown the node with that taint
    bool asked = false;      ///< the cloud was, or may have been, asked to remove the machine
    /// The last answers to the evictions of one pod.
    struct Eviction {
        std::optional<Time> agreed{};
        std::optional<Time> refused{};
        BriefText refused_because{};
        ErrorCode refused_code = ErrorCode::unavailable;
        /// The time of the first of the refusals in a row, and how many there were.
        std::optional<Time> refused_since{};
        int refusals = 0;
        /// Since when each refusal has had a reason that waiting does not change.
        std::optional<Time> barred_since{};
        bool operator==(const Eviction&) const = default;
    };
    std::map<std::string, Eviction> evictions{};  ///< by pod, "namespace/name/uid"
    /// Where the plan moves the pods of the node. Each pass tries these places first, for the pods
    /// and for those that are created in their place.
    PodPlaces places{};
    BriefText because{};  ///< why the node is removed; while undoing, why that was given up
    bool operator==(const NodeRemoval&) const = default;
};

/// A node that is vacated because its machine is about to leave (health/leaving_nodes.hpp), and the
/// evictions of its pods.
struct LeavingNodeRecord {
    MachineId machine{};
    Time since{};                                              ///< since when passes see it vacated
    std::map<std::string, NodeRemoval::Eviction> evictions{};  ///< by pod, "namespace/name/uid"
    bool operator==(const LeavingNodeRecord&) const = default;
};

/// A removal or decrease that failed or was refused, and that is not tried again for a while.
struct RemovalBackoff {
    Time until{};       ///< the first moment at which it may be tried again
    Duration length{};  ///< the next failure in a row doubles it
    int failures = 0;   ///< in a row; zero: postponed, or the call is unsupported
    BriefText because{};
    bool only_drains = false;  ///< the machine may be removed once its node has no pods to move
    bool operator==(const RemovalBackoff&) const = default;
};

/// Upcoming nodes to each of which a pass has assigned the same pods.
struct PlannedNodes {
    int nodes = 0;
    /// The number of pods on each node, by pod_group_key (pods/pod_group_key.hpp); never
    /// empty.
    std::map<std::string, int> pods{};
    bool operator==(const PlannedNodes&) const = default;
};

/// A group that a cloud lists, remembered for the case that no cloud lists it any more.
struct KnownGroup {
    PluginInstanceId cloud{};
    int nodes = 0;
    std::set<std::string> sample_nodes{};  ///< the first of its nodes by name; three at most
    bool operator==(const KnownGroup&) const = default;
};

/// The last events that start a scale-down cooldown.
struct LastActions {
    std::optional<Time> scale_up{}, removal{}, failed_removal{};
    bool operator==(const LastActions&) const = default;
};

/// A group that its cloud was asked to make, and that it does not list yet.
struct UpcomingNodeGroup {
    PluginInstanceId cloud{};
    GroupPlan plan{};
    int nodes = 0;        ///< the size that the group is to have first
    bool agreed = false;  ///< false: the cloud's answer is not known (yet)
    Time since{};
    Time deadline{};  ///< the last moment at which a pass waits for the group
    bool operator==(const UpcomingNodeGroup&) const = default;
};

/// What a node of a group turned out to be, without temporary taints and without its pods.
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
    Time seen{};  ///< when the group last had a node with these traits, to within an hour
    /// Whether two nodes differed from the cloud's template in the same way. What only one node
    /// showed may be damage of that node.
    bool confirmed = false;
    bool operator==(const ObservedNode&) const = default;
};

/// A ready node of a group, with traits that have not changed since `since`.
struct SettlingNode {
    NodeTraits traits{};
    Time since{};
    bool operator==(const SettlingNode&) const = default;
};

/// Pods that a node did not take although it was ordered for them (scale_up/refused_pods.hpp).
struct RefusedPods {
    std::string node{};
    scheduling::Refusal refusal{};
    /// How the node differs from its template, so that it takes fewer pods; may be empty.
    BriefText differs{};
    Time since{};
    Time seen{};  ///< when such pods were last pending, to within an hour
    bool operator==(const RefusedPods&) const = default;
};

/// The fingerprint of a cloud's template of a group, and what its nodes turned out to be.
struct TemplateRecord {
    std::string fingerprint{};  ///< of the template
    Time since{};               ///< of this fingerprint; machines from before do not count
    bool has_changed = false;   ///< the fingerprint has replaced another one
    std::optional<SettlingNode> settling{};
    std::optional<ObservedNode> observed{};
    std::map<std::string, RefusedPods> refused{};  ///< by pods::spec_of
    bool operator==(const TemplateRecord&) const = default;
};
using TemplateRecords = std::map<NodeGroupId, TemplateRecord>;

/// All moments are on the clock of PassTime::now. Only until, deadline, not_before,
/// unanswered_until and empty_groups may be in the future: in a loaded memory other moments become
/// the time of loading (autoscaler/record/memory_text.hpp). What clouds and the API server say is
/// kept as BriefText, so that no message makes the memory too large to be written.
struct Memory {
    /// False: this is the first pass since the autoscaler started; the loader of a saved memory
    /// sets it to false. That pass takes off marks on nodes without a remembered removal.
    bool started = false;
    /// Groups that no pass has read since the autoscaler started: the first pass that reads such a
    /// group takes off the marks that were left on its nodes.
    std::set<NodeGroupId> unread_since_start{};

    std::map<NodeGroupId, Backoff> backoffs{};
    std::map<InstanceOffering, Backoff> offering_backoffs{};
    /// Of refreshes, and of changes of groups (health/cloud_backoff.hpp).
    std::map<PluginInstanceId, CloudBackoff> cloud_backoffs{}, request_backoffs{};
    std::map<NodeGroupId, FailedCalls> failed_calls{};
    /// Machines that failed or are overdue and are still listed by their cloud: a machine counts as
    /// a failure of its group once, however many passes see it.
    std::map<NodeGroupId, std::set<MachineId>> failed_machines{};
    std::map<NodeGroupId, ScaleUpRequest> requests{};
    std::map<NodeGroupId, AnsweredTarget> answered_targets{};
    std::map<NodeGroupId, std::map<MachineId, RemovedMachine>> removed_machines{};
    /// By machine without a node: since when passes have seen it so. Bounded, see
    /// record_machine_times (health/requests.hpp).
    std::map<NodeGroupId, std::map<MachineId, Time>> unjoined{};
    /// Machines among `unjoined` that had a node, which somebody has deleted.
    std::map<NodeGroupId, std::set<MachineId>> lost_nodes{};
    /// `launched`: when machines without a node were launched, if their clouds say so. `created`:
    /// by name, when nodes that have not started were created. Both are converted to the clock of
    /// PassTime::now when first seen, so a later change of a clock makes none of them older.
    std::map<NodeGroupId, std::map<MachineId, Time>> launched{};
    std::map<std::string, Time, std::less<>> created{};
    std::map<NodeGroupId, IncorrectNodeGroupSize> wrong_sizes{};
    /// The pods for which upcoming nodes were ordered: a pass that placed the pods in another way
    /// than the pass that ordered the nodes might find one node too few.
    std::map<NodeGroupId, std::vector<PlannedNodes>> planned{};
    /// By group and pod_group_key: since when each pass has put such pods on upcoming nodes of the
    /// group.
    std::map<NodeGroupId, std::map<std::string, Time>> planned_since{};
    /// One for each group there is.
    TemplateRecords templates{};

    std::map<NodeGroupId, UpcomingNodeGroup> upcoming_groups{};
    /// The groups that clouds list, and the groups that no cloud lists any more although they have
    /// nodes.
    std::map<NodeGroupId, KnownGroup> known_groups{};
    /// By empty autoprovisioned group: since when passes have seen it empty; later than that after
    /// its deletion was requested (provisioning/empty_groups.hpp).
    std::map<NodeGroupId, Time> empty_groups{};

    std::map<std::string, Unneeded, std::less<>> unneeded{};  ///< by node
    /// Since when the view of the cluster has not been current; absent: it is. That time does not
    /// count as unneeded time of any node.
    std::optional<Time> unobserved_since{};
    /// By pod of an unneeded node, "namespace/name": the node on which the pod would run. The next
    /// pass tries this node first.
    std::map<std::string, std::string> hints{};
    std::map<std::string, NodeRemoval, std::less<>> removals{};       ///< by node
    std::map<std::string, LeavingNodeRecord, std::less<>> leaving{};  ///< by node
    /// By machine, with or without a node, as long as its cloud lists it.
    std::map<NodeGroupId, std::map<MachineId, RemovalBackoff>> removal_backoffs{};
    /// By group: its cloud refused to lower the target.
    std::map<NodeGroupId, RemovalBackoff> decrease_backoffs{};
    /// By group: its cloud does not remove single machines.
    std::map<NodeGroupId, RemovalBackoff> unremovable_groups{};
    /// By group: its cloud does not replace machines (MachineRemoval::keep_target).
    std::map<NodeGroupId, RemovalBackoff> unreplaceable_groups{};
    LastActions last{};
    std::map<NodeGroupId, LastActions> last_by_group{};

    bool operator==(const Memory&) const = default;
};

}  // namespace capstan::engine
