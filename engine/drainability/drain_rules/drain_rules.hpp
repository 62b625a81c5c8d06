/// Drain rules: whether a pod may be evicted so that its node can be removed.
///
/// The rules are a table: upstream's rules in upstream's order, with a few more in between. A rule
/// gives a verdict on a pod or has no opinion, and the first verdict counts.
/// docs/reference/drain_rules.md lists the rules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/pass_time.hpp"
#include "engine/pods/disruption_budgets.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::drainability {

enum class Drain : std::uint8_t {
    move,    ///< the pod is evicted and needs another node
    daemon,  ///< a DaemonSet pod: it ends with its node and needs no other
    skip,    ///< the pod counts as not there
    wait,    ///< the node is removed only after the pod has ended by itself
    block,   ///< the node is not removed
};

struct DrainVerdict {
    Drain drain = Drain::move;
    std::string_view rule{};  ///< the rule's name: "local_storage"; empty: no rule had an opinion
    /// For `block`: the reason by upstream's name, "LocalStorageRequested".
    std::string_view reason{};
    std::string sentence{};  ///< for `block` and `wait`, with names
    /// When the verdict changes although nothing else does, on the clock of PassTime::now; absent:
    /// never, except that a pod that is being deleted is given up (given_up_after).
    std::optional<Time> until{};
};

/// What rules read besides the pod. Borrows all but the time.
struct DrainContext {
    const snapshot::Cluster& cluster;
    const Settings& settings;
    const pods::DisruptionBudgets& budgets;
    PassTime time{};
};

struct DrainRule {
    std::string_view name;
    std::string_view sentence;  ///< the rule in one sentence, for people
    /// Absent: no opinion. Of `pod`, a rule may read only the name, the equivalence group, whether
    /// and since when it is being deleted, and whether it is older than some age. pods_on_node.hpp
    /// relies on that.
    std::optional<DrainVerdict> (*judge)(const snapshot::PodRow& pod,
                                         const snapshot::PodGroupRow& row,
                                         const DrainContext& context);
};

/// All rules, in the order in which they are evaluated.
std::span<const DrainRule> drain_rules() noexcept;

/// Whether the rule is not among ScaleDownSettings::drain_rules_off.
bool is_on(const DrainRule& rule, const Settings& settings) noexcept;

/// The verdict of all rules on one pod. For all pods of a node, DrainJudge (pods_on_node.hpp) is
/// faster.
DrainVerdict judge(PodIndex pod, const DrainContext& context);
/// The same for a pod that need not be in the cluster.
DrainVerdict judge(const snapshot::PodRow& pod, const DrainContext& context);

/// The moment after which a pod that is being deleted counts as not there: 30s after its grace
/// period is over. On the clock of PassTime::wall. Absent: the pod is not being deleted.
std::optional<Time> given_up_after(const snapshot::PodRow& pod,
                                   const snapshot::PodGroupRow& row) noexcept;
/// Whether that moment has passed.
bool is_long_terminating(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                         Time wall) noexcept;

// The rules, each in a file of its own. The table in drain_rules.cpp has a sentence for each.

/// The verdict of a rule on one pod; absent: no opinion.
using Opinion = std::optional<DrainVerdict>;

Opinion judge_expendable(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                         const DrainContext& context);
Opinion judge_job(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                  const DrainContext& context);
Opinion judge_mirror(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                     const DrainContext& context);
Opinion judge_long_terminating(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                               const DrainContext& context);
Opinion judge_replica_count(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                            const DrainContext& context);
Opinion judge_daemon_set(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                         const DrainContext& context);
Opinion judge_safe_to_evict(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                            const DrainContext& context);
Opinion judge_on_completion(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                            const DrainContext& context);
Opinion judge_replicated(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                         const DrainContext& context);
Opinion judge_system(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                     const DrainContext& context);
Opinion judge_not_safe_to_evict(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                                const DrainContext& context);
Opinion judge_do_not_disrupt(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                             const DrainContext& context);
Opinion judge_local_storage(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                            const DrainContext& context);
Opinion judge_several_pdbs(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                           const DrainContext& context);
Opinion judge_pdb(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                  const DrainContext& context);

/// The value of the pods' safe-to-evict annotation: "true", "false", "on-completion"; empty: there
/// is none.
std::string_view safe_to_evict(const snapshot::PodGroupRow& row,
                               const snapshot::Cluster& cluster) noexcept;

/// "pod web/db-0"
std::string pod_name(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                     const snapshot::Cluster& cluster);
/// A verdict with Drain::block. `sentence` continues the pod's name: " uses local storage".
DrainVerdict block(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                   const DrainContext& context, std::string_view reason, std::string_view sentence);

}  // namespace capstan::engine::drainability
