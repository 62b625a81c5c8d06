/// The inputs of a pass, put together at its start.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/decision.hpp"
#include "engine/drainability/candidates.hpp"
#include "engine/health/health.hpp"
#include "engine/health/repairs.hpp"
#include "engine/memory.hpp"
#include "engine/pass_phases.hpp"
#include "engine/pass_time.hpp"
#include "engine/pods/disruption_budgets.hpp"
#include "engine/pods/pending.hpp"
#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/templates.hpp"

namespace capstan::engine {

/// A node group by its index in Snapshot::groups. The template of its new nodes (TemplateNodeId)
/// has the same number.
using GroupIndex = std::uint32_t;

}  // namespace capstan::engine

namespace capstan::engine::pass_context {

/// How far a group may grow, before anything is decided.
struct GroupHeadroom {
    int nodes = 0;             ///< up to its maximum; without a maximum as many as an int can count
    bool atomic = false;       ///< only ever empty or full: grows by all of `nodes` at once
    bool failed_last = false;  ///< see health::failed_last
    Reason obstacle{};         ///< why it cannot grow; none: it can
};

/// Borrows snapshot, settings and phase_observer.
struct PassContext {
    const Snapshot* snapshot = nullptr;
    const Settings* settings = nullptr;
    PassTime time;
    Time now{};  ///< of `time`
    templates::Membership membership{};
    std::vector<templates::GroupTemplate> templates{};  ///< by group
    health::Health health{};
    health::Repairs repairs{};              ///< of group sizes, in this pass
    pods::DisruptionBudgets budgets;        ///< before anything is planned
    drainability::Candidates candidates{};  ///< for scale-down
    /// Labels and resources that nodes which have just become ready still lack, and taints that
    /// they will lose, ascending by node. No pod is moved to these nodes.
    std::vector<scheduling::NodePromise> promises{};
    /// Nodes with a removal under way, ascending. They take no pod.
    std::vector<NodeIndex> being_removed{};
    /// Pods that new nodes of a group do not take although its template says so
    /// (scale_up/refused_pods.hpp).
    std::vector<scheduling::RefusedShape> refused{};
    std::vector<GroupHeadroom> headrooms{};                      ///< by group
    std::map<NodeGroupId, std::vector<PlannedNodes>> planned{};  ///< by the pass before
    PodPlaces reserved{};  ///< by removals under way, for the pods that they move
    /// Groups that could not be read now, with requested nodes that may still come: the pods that
    /// these nodes are `planned` for wait for them. Ascending.
    std::vector<GroupIndex> unread_groups_with_requests{};
    /// Pods that will need another node (drainability::evicted_pods). They are among `pending`.
    std::vector<PodIndex> evicted{};
    pods::PendingPods pending{};  ///< PodGroupIndex i is pending.pod_groups[i]
    std::vector<pods::Nomination> nominated{};
    /// Its templates are those of the groups, by GroupIndex. Its pod groups are the pending ones,
    /// then those that are only nominated, asked about, or on a scale-down candidate.
    std::unique_ptr<scheduling::CompiledPredicates> predicates{};
    PassPhaseObserver* phase_observer = nullptr;  ///< NULL: none
    /// The number of groups that the cluster may have, including groups that the pass makes;
    /// absent: any number.
    std::optional<int> most_groups{};
    /// Every group that was suggested, and the machine types of which none could be made. The
    /// groups without `dropped` are among `groups()`.
    std::span<const NewGroup> new_groups{};
    Reason no_new_group_reason{};  ///< see Decision

    std::span<const Group> groups() const noexcept { return *snapshot->groups; }
    const NodeGroupId& id(GroupIndex group) const noexcept { return groups()[group].group.id; }
    /// The target of a group that may be resized.
    int target(GroupIndex group) const noexcept;
    std::size_t pending_count() const noexcept { return pending.pod_groups.size(); }
};

/// Whether `repairs` change the size of the group.
bool is_repaired(const health::Repairs& repairs, const NodeGroupId& group);

/// `asked`: pod equivalence groups for which predicates are compiled even if they are not pending.
PassContext make_pass_context(const PassView& view, std::span<const PodGroupId> asked,
                              PassPhaseObserver* phase_observer);
/// The same, with the membership of `snapshot` and nothing in `asked`.
PassContext make_pass_context(const Snapshot& snapshot, const Memory& memory,
                              const Settings& settings, const PassTime& time);

/// The index of a pod equivalence group in `predicates`; absent: they were not compiled for it.
std::optional<PodGroupIndex> find_pod_group(const PassContext& context,
                                            PodGroupId equivalence_group) noexcept;

/// Whether kube-scheduler tries all pending pods of one pod group before all of another: higher
/// priority first, then the older.
bool is_tried_before(const PassContext& context, PodGroupIndex first, PodGroupIndex then) noexcept;

}  // namespace capstan::engine::pass_context
