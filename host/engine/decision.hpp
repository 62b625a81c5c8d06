/// What a pass came to: data, each part with its reason. The host carries it out.
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

/// By upstream's names, which metrics and dashboards use.
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
    /// It is unneeded for long enough and waits for its turn: a cooldown, or the most removals at
    /// once are under way.
    not_unneeded_other_reason,
    recently_unremovable,  ///< its removal failed a while ago
    no_place_to_move_pods,
    blocked_by_pod,
    blocked_by_on_completion_pod,
    /// Pods that wait count on it.
    no_node_info,
    unexpected_error,
};

/// "NotUnderutilized"; "NoReason" for none.
std::string_view name_of(Unremovable reason) noexcept;

/// Pods of one group that are schedulable or not, by number.
struct PodCount {
    snapshot::PodGroupId equivalence_group = 0;
    std::string example{};  ///< "namespace/name" of the first by name
    std::uint32_t count = 0;
    bool operator==(const PodCount&) const = default;
};

/// What one stage was shown and what it made of it.
struct StageVerdict {
    std::string stage;
    std::size_t shown = 0;
    std::vector<NodeGroupId> kept;       ///< by id
    std::vector<std::string> sentences;  ///< the expander's own
    std::optional<Error> error;
    std::string summary;  ///< "least_waste: keeps 2 of 5: web-a, web-b"
};

/// An option that was chosen, and the questions before it.
struct ChosenOption {
    NodeGroupId group{};
    int nodes = 0;                        ///< as estimated
    int granted = 0;                      ///< what limits and maxima left of it
    std::size_t considered = 0;           ///< options there were
    std::vector<NodeGroupId> similar{};   ///< groups it was shared with
    std::vector<std::string> left_out{};  ///< similar groups that were not, each with its reason
    std::vector<PodCount> pods{};
    std::vector<StageVerdict> stages{};
    std::string because{};
};

/// Why one group does not help a class.
struct GroupReason {
    std::vector<NodeGroupId> groups{};  ///< those it holds for, by id
    Reason reason{};
    bool operator==(const GroupReason&) const = default;
};

/// Pods that stay without room.
struct UnschedulablePods {
    PodCount pods{};
    Reason reason{};  ///< of all of it: code and subject are those of the nearest miss
    /// Every group is in one of them; empty past the first thousand classes, of which
    /// scale_up/explain.hpp tells.
    std::vector<GroupReason> groups{};
};

/// Pods that this pass did not look at, or that need nothing.
struct SkippedPods {
    std::uint32_t count = 0;
    std::string because{};  ///< "fit on existing or upcoming nodes", "wait for a gate"
};

/// What a pass makes of one node as to its removal.
struct NodeVerdict {
    std::string node{};
    NodeGroupId group{};  ///< empty: of none
    /// `none`: nothing keeps it; it is unneeded, and goes when its time has come.
    Unremovable reason = Unremovable::none;
    std::optional<double> utilization{};  ///< 0 to 1 and above; nothing: was not worked out
    std::optional<Time> unneeded_since{};
    std::string pod{};      ///< "namespace/name" of the pod that keeps it; empty: none does
    std::string because{};  ///< one sentence with numbers
    bool operator==(const NodeVerdict&) const = default;
};

/// A group that could be made, as the pass considered it.
struct NewGroup {
    NodeGroupId group{};  ///< empty: it came to no group at all
    PluginInstanceId cloud{};
    GroupPlan plan{};  ///< of what came to no group the machine type alone
    std::string because{};
    Reason dropped{};  ///< why it was not compared with the groups that are there; none: it was
    bool operator==(const NewGroup&) const = default;
};

struct Decision {
    // What to do, kind by kind in this order, each in its own.
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
    /// "no group could be made either: cluster limit of cpu: 8 left, a node takes 16": the nearest
    /// miss of each cloud, where no group could be made of any machine type; none: one could, or
    /// none is looked for.
    Reason no_new_group_reason{};
    std::vector<NodeVerdict> nodes{};  ///< every node of the cluster, by name
    /// Why no removal begins now, whatever nodes there are: a cooldown, an unhealthy cluster;
    /// empty: nothing forbids it.
    std::string no_removals_because{};
    /// Limits that were hit, groups without a template, checks that failed.
    std::vector<std::string> notes{};
};

/// What metrics tell of a pass. No decision depends on it.
struct PassFigures {
    std::uint32_t untried_pods = 0;   ///< that count before their scheduler has tried them
    std::uint32_t left_out_pods = 0;  ///< since a pass considers no more than so many
    /// Totals over the cluster, "cpu", by name: how many groups could not grow for their maximum,
    /// how many nodes could not go for their minimum.
    std::map<std::string, int> at_maximum{}, at_minimum{};
    /// Whether nodes were looked at as to their removal; nothing of it is done in an unhealthy
    /// cluster.
    bool looked_at_nodes = false;
};

}  // namespace capstan::engine
