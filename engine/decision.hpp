/// The decision of a pass, as data: the actions and the reasons for them. The host carries it out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/time.hpp>

#include "engine/actions.hpp"
#include "engine/reason.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

// Why a node stays.

/// Why a node is not removed; upstream's names, which metrics and dashboards use.
enum class Unremovable : std::uint8_t {
    none,  ///< nothing keeps it
    scale_down_disabled_annotation,
    scale_down_unready_disabled,
    not_autoscaled,
    not_unneeded_long_enough,
    not_unready_long_enough,
    node_group_min_size_reached,
    atomic_scale_down_failed,
    minimal_resource_limit_exceeded,
    currently_being_deleted,
    not_underutilized,
    /// Something other than the node prevents its removal now, such as a cooldown, the maximum
    /// number of removals under way, a change of its group, or scale-down being disabled.
    not_unneeded_other_reason,
    recently_unremovable,  ///< its removal is backed off, mostly after a failure
    no_place_to_move_pods,
    blocked_by_pod,
    blocked_by_on_completion_pod,
    /// Pending pods are to run there.
    no_node_info,
    unexpected_error,
};

/// "NotUnderutilized"; "NoReason" for none.
std::string_view name_of(Unremovable reason) noexcept;

/// A number of pods of one pod equivalence group.
struct PodCount {
    PodGroupId equivalence_group = 0;
    std::string example{};  ///< "namespace/name" of the first pod by name
    std::uint32_t count = 0;
    bool operator==(const PodCount&) const = default;
};

/// The answer of one stage of the expander chain.
struct StageVerdict {
    std::string stage;
    std::size_t shown = 0;               ///< options that the stage was asked about
    std::vector<NodeGroupId> kept;       ///< groups of the options it kept, by id
    std::vector<std::string> sentences;  ///< the expander's own explanation
    std::optional<Error> error;
    std::string summary;  ///< "least_waste: keeps 2 of 5: web-a, web-b"
};

/// An option that was chosen, and the answers of the expanders that led to it.
struct ChosenOption {
    NodeGroupId group{};
    int nodes = 0;                        ///< as estimated, at least `granted`
    int granted = 0;                      ///< nodes ordered, within limits and maxima
    std::size_t considered = 0;           ///< options to choose from
    std::vector<NodeGroupId> similar{};   ///< other groups that get some of its nodes
    std::vector<std::string> left_out{};  ///< other similar groups, each with the reason why not
    std::vector<PodCount> pods{};
    std::vector<StageVerdict> stages{};
    std::string because{};
};

/// Why node groups do not help the pods of an equivalence group.
struct GroupReason {
    std::vector<NodeGroupId> groups{};  ///< the node groups with this reason, by id
    Reason reason{};
    bool operator==(const GroupReason&) const = default;
};

/// "2 max node group size reached (3): groups web-a, web-b": number, reason and names of the
/// groups.
std::string describe(const GroupReason& reason);

/// Pods that stay pending.
struct UnschedulablePods {
    PodCount pods{};
    Reason reason{};  ///< sums up `groups`, see scale_up::Reasons::sum_up
    /// Every existing node group is in one of them, and some of those that could be made
    /// (scale_up/reasons.hpp). Empty past the first thousand unschedulable pod equivalence groups:
    /// pass/explain.hpp answers for these.
    std::vector<GroupReason> groups{};
};

/// Pods that this pass did not consider, or that need no new node.
struct SkippedPods {
    std::uint32_t count = 0;
    ReasonCode code = ReasonCode::none;  ///< none: the pods need no new node
    std::string
        because{};  ///< "fit on existing or upcoming nodes", "waiting for a scheduling gate"
};

/// Whether one node may be removed, and why not.
struct NodeVerdict {
    std::string node{};
    NodeGroupId group{};  ///< empty: the node is in no group
    /// `none`: nothing keeps the node, and its removal begins in this pass. Without a current view
    /// of the cluster it does not begin.
    Unremovable reason = Unremovable::none;
    std::optional<double> utilization{};  ///< 0 to 1 and above; absent: not computed
    std::optional<Time> unneeded_since{};
    /// "namespace/name" of the pod that keeps the node, or whose eviction is refused; empty: none.
    std::string pod{};
    std::string because{};  ///< one sentence with numbers
    bool operator==(const NodeVerdict&) const = default;
};

/// A group that could be made, or a machine type of which none could, as the pass considered it.
struct NewGroup {
    NodeGroupId group{};  ///< empty: no group could be made of the machine type
    PluginInstanceId cloud{};
    GroupPlan plan{};  ///< if `group` is empty, at most the machine type is set
    std::string because{};
    Reason dropped{};  ///< why it was dropped before the scale-up; none: it was not
    bool operator==(const NewGroup&) const = default;
};

struct Decision {
    // What to do: the kinds in this order, and the actions of each kind in the order of its list.
    std::vector<Decrease> decreases{};
    std::vector<MachineRemoval> removals{};
    std::vector<GroupCreation> creations{};
    std::vector<Increase> increases{};
    std::vector<NodeChange> node_changes{};
    std::vector<Eviction> evictions{};
    std::vector<GroupDeletion> deletions{};

    // Why.
    std::vector<ChosenOption> options{};
    std::vector<PodCount> schedulable{};
    std::vector<UnschedulablePods> unschedulable{};
    std::vector<SkippedPods> skipped{};
    std::vector<NewGroup> new_groups{};  ///< by cloud and name
    /// "no group could be created: max cluster cpu limit reached: 8 left, a new node needs
    /// 16": the first reason of each source for each cloud, if no group was suggested. None: a
    /// group was suggested, or no source was asked.
    Reason no_new_group_reason{};
    std::vector<NodeVerdict> nodes{};  ///< every node of the cluster, by name
    /// Why no removal begins now, whatever nodes there are: a cooldown, an unhealthy cluster.
    /// Empty: nothing forbids it. In a cooldown, empty nodes whose machines are about to leave are
    /// removed all the same.
    std::string no_removals_because{};
    /// Further remarks, such as limits that were hit, groups without a template, checks that
    /// failed.
    std::vector<std::string> notes{};
    /// Conditions that an operator has to end, a sentence each. They also become events and lines
    /// of /readyz.
    std::vector<std::string> warnings{};
};

/// Figures of a pass for metrics. No decision depends on them.
/// Nodes that have been unneeded for long enough and that a setting keeps for now.
struct HeldBackNodes {
    int nodes = 0;
    std::string after{};  ///< "the last scale-up (group web)"; empty: no event
    bool operator==(const HeldBackNodes&) const = default;
};

/// "scale_down.delay_after_add after the last scale-up (group web)"
std::string describe(const std::string& setting, const HeldBackNodes& held_back);

struct PassFigures {
    /// Pods that count as pending although their scheduler has not tried them.
    std::uint32_t untried_pods = 0;
    std::uint32_t left_out_pods = 0;  ///< pods beyond Settings::max_pods_considered
    /// Set if scale-up took too long and ended: the number of searches for options until then.
    std::optional<int> searches_in_time{};
    /// By the name of a resource with limits for the cluster ("cpu"): how many groups could not
    /// grow because of its maximum, and how many nodes could not be removed because of its minimum.
    std::map<std::string, int> at_maximum{}, at_minimum{};
    std::map<std::string, HeldBackNodes> held_back{};  ///< by setting: "scale_down.delay_after_add"
    /// Whether nodes were considered for removal; false in an unhealthy cluster, or if scale-down
    /// is disabled.
    bool looked_at_nodes = false;
};

}  // namespace capstan::engine
