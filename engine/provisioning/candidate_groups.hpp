/// Node groups that could be made for the pending pods.
///
/// Sources suggest plans for machine types, and each plan that is of use becomes a group of the
/// snapshot with a target of 0 and its plan. From then on the same code packs, compares, limits and
/// chooses it as any existing group.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <capstan/machine_type.hpp>
#include <capstan/node_template.hpp>
#include <capstan/pod.hpp>

#include "engine/pass_context/pass_context.hpp"
#include "engine/policies.hpp"

namespace capstan::engine::provisioning {

// A cheap test of a machine type, before its cloud is asked about a plan.

/// A template from the figures of machine type, offering and plan alone. `offer` is NULL if the
/// plan has no offering.
NodeTemplate make_sketch(const MachineType& type, const MachineOffering* offer,
                         const GroupPlan& plan);

/// The offering of a plan; NULL: the machine type has none for it. Borrows from `type`.
const MachineOffering* find_offer(const MachineType& type, const GroupPlan& plan) noexcept;

/// Why none of the pods would run on such a node; absent: at least one would. DaemonSet pods are
/// not taken into account.
std::optional<std::string> why_no_pod_fits(const NodeTemplate& sketch,
                                           std::span<const PodEquivalenceGroup> pods);

/// The suggestions of all sources.
struct CandidateGroups {
    Snapshot snapshot;                   ///< with the groups that could be made
    std::vector<NewGroup> candidates{};  ///< all suggestions, dropped or not
    Reason no_new_group_reason{};        ///< see Decision
    /// The number of groups that the cluster may have in all; absent: any number.
    std::optional<int> most_groups{};
    std::vector<std::string> notes{};
};

/// If there are pods without room, asks every source about the machine types of every cloud. Before
/// the scale-up, these suggestions are dropped: groups that exist, groups on which no pending pod
/// would run, groups for which a limit has no room, groups that their cloud cannot make, and groups
/// that are equivalent to an existing group that may grow or is autoprovisioned.
CandidateGroups find_candidate_groups(const Snapshot& snapshot, const Memory& memory,
                                      const Policies& policies, const Settings& settings,
                                      const CallContext& call_context);

/// The creations of the groups that are increased and do not exist yet.
std::vector<GroupCreation> find_creations(const pass_context::PassContext& context,
                                          const std::vector<Increase>& increases,
                                          const std::vector<NewGroup>& candidates);

/// The group as its cloud would make it, without machines and with a target of 0.
Group as_group(CandidateGroup candidate_group, const PluginInstanceId& cloud,
               const GroupPlan& plan);
/// `snapshot` with `more` groups; a group that it has already is not replaced.
Snapshot with_groups(const Snapshot& snapshot, std::vector<Group> more);

}  // namespace capstan::engine::provisioning
