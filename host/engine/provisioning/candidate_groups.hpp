/// Node groups that could be made for the pods that wait. From here on they are groups like any
/// other, but for their plan: they are compared, chosen and limited by what compares, chooses and
/// limits the groups there are.
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

// Whether a machine that could be had is worth a thought, judged by its figures alone.

/// What the figures of machine type, offer and plan come to; NULL of the offer: the plan has none.
NodeTemplate make_sketch(const MachineType& type, const MachineOffering* offer,
                         const GroupPlan& plan);

/// The offer that a plan is for; NULL: there is none.
const MachineOffering* find_offer(const MachineType& type, const GroupPlan& plan) noexcept;

/// Why none of the pods would run on such a node; nothing: one would. DaemonSets are not counted.
std::optional<std::string> why_useless(const NodeTemplate& sketch,
                                       std::span<const PodEquivalenceGroup> pods);

/// What came of asking the sources.
struct CandidateGroups {
    Snapshot snapshot;                   ///< with the groups that could be made
    std::vector<NewGroup> candidates{};  ///< all that were suggested
    Reason no_new_group_reason{};        ///< see Decision
    /// Groups the cluster may have in all; nothing: any number.
    std::optional<int> most_groups{};
    std::vector<std::string> notes{};
};

/// Asks every source about the machines of every cloud, if there are pods without room. Dropped
/// before anything is simulated is what exists, what no waiting pod would run on, what no limit
/// leaves room for, what its cloud cannot make, and what is just like a group that may grow.
CandidateGroups find_candidate_groups(const Snapshot& snapshot, const Memory& memory,
                                      const Policies& policies, const Settings& settings,
                                      const CallContext& call_context);

/// Those of the increases whose group does not exist yet.
std::vector<GroupCreation> find_creations(const pass_context::PassContext& context,
                                          const std::vector<Increase>& increases,
                                          const std::vector<NewGroup>& candidates);

/// A group as its cloud would make it, of no machines.
Group as_group(CandidateGroup candidate_group, const PluginInstanceId& cloud,
               const GroupPlan& plan);
/// `snapshot` with `more` groups; of one that it has already its own counts.
Snapshot with_groups(const Snapshot& snapshot, std::vector<Group> more);

}  // namespace capstan::engine::provisioning
