/// What a pass works on, put together at the start of a pass and not changed by it.
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

namespace capstan::engine::pass_context {

/// A group by its place in the snapshot; the shape of its new nodes has the same number.
using GroupIndex = std::uint32_t;

/// What a group would allow before anything is decided.
struct GroupHeadroom {
    int nodes = 0;        ///< up to its maximum; without one as many as can be counted
    bool atomic = false;  ///< only ever empty or full: it grows from none, and to `nodes`
    Reason obstacle{};    ///< why it cannot grow; none: it can
};

/// Borrows snapshot, settings and listener.
struct PassContext {
    const Snapshot* snapshot = nullptr;
    const Settings* settings = nullptr;
    PassTime time;
    Time now{};  ///< of `time`
    templates::Membership membership{};
    std::vector<templates::GroupTemplate> templates{};  ///< by group
    health::Health health{};
    health::Repairs repairs{};              ///< groups that have one are not changed otherwise
    pods::DisruptionBudgets budgets;        ///< as they stand before anything is planned
    drainability::Candidates candidates{};  ///< nodes that could go
    std::vector<snapshot::NodeIndex>
        being_removed{};  ///< nodes that are being removed, ascending: they take no pod
    std::vector<GroupHeadroom> headrooms{};                      ///< by group
    std::map<NodeGroupId, std::vector<PlannedNodes>> planned{};  ///< by the pass before
    /// Groups of which nothing is told now, and that were asked for nodes that may still come: the
    /// pods that these are `planned` for wait for them. Ascending.
    std::vector<GroupIndex> unread_orders{};
    pods::PendingPods pending{};  ///< pod group i is its class i
    std::vector<pods::Nomination> nominated{};
    /// By shape: groups. By pod group: pending classes, then those that are only nominated or asked
    /// about.
    std::unique_ptr<scheduling::CompiledPredicates> rules{};
    PassPhaseObserver* parts = nullptr;  ///< NULL: none
    /// Groups that the cluster may have, those counted that a pass makes; nothing: any number.
    std::optional<int> most_groups{};
    /// Groups that could be made and are none of the groups, since there is no use in it.
    std::span<const NewGroup> new_groups{};
    Reason no_new_group_reason{};  ///< see Decision

    std::span<const Group> groups() const noexcept { return *snapshot->groups; }
    const NodeGroupId& id(GroupIndex group) const noexcept { return groups()[group].group.id; }
    std::size_t pending_count() const noexcept { return pending.classes.size(); }
};

/// Whether something about the size of the group has to be put right.
bool is_repaired(const health::Repairs& repairs, const NodeGroupId& group);

/// `membership`: that of the snapshot. `asked`: classes to be answered for though they may not be
/// pending.
PassContext make_pass_context(const Snapshot& snapshot, templates::Membership membership,
                              const Memory& memory, const Settings& settings, const PassTime& time,
                              std::span<const snapshot::PodGroupId> asked,
                              PassPhaseObserver* parts);
PassContext make_pass_context(const Snapshot& snapshot, const Memory& memory,
                              const Settings& settings, const PassTime& time);

/// The pod group of a class; nothing: the rules were not made for it.
std::optional<scheduling::PodGroupIndex> find_pod_group(
    const PassContext& context, snapshot::PodGroupId equivalence_group) noexcept;

}  // namespace capstan::engine::pass_context
