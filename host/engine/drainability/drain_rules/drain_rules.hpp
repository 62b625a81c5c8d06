/// Whether a pod may be moved off its node. A table of rules, asked in upstream's order; the first
/// that has an opinion counts. README.md lists them.
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
    move,    ///< it is evicted and runs elsewhere
    daemon,  ///< a DaemonSet's: neither waited for nor given another place
    skip,    ///< as if it were not there
    wait,    ///< the node goes once it has ended by itself
    block,   ///< the node stays
};

struct DrainVerdict {
    Drain drain = Drain::move;
    std::string_view rule{};  ///< the rule's name: "local_storage"; empty: none had an opinion
    /// For `block`: upstream's name of the reason, "LocalStorageRequested".
    std::string_view reason{};
    std::string sentence{};  ///< for `block` and `wait`, with names
    /// When time alone makes the rule think otherwise, on the clock of PassTime::now; nothing: it
    /// does not.
    std::optional<Time> until{};
};

/// What rules look at beside the pod. Borrows all of it.
struct DrainContext {
    const snapshot::Cluster& cluster;
    const Settings& settings;
    const pods::DisruptionBudgets& budgets;
    PassTime time{};
};

struct DrainRule {
    std::string_view name;
    std::string_view sentence;  ///< what it says, for people
    /// Nothing: no opinion. Of the pod itself only its name, whether it is being deleted, and
    /// whether it is older than something may count: node_pods.hpp relies on that.
    std::optional<DrainVerdict> (*judge)(const snapshot::PodRow& pod,
                                         const snapshot::PodGroupRow& row,
                                         const DrainContext& context);
};

/// In the order in which they are asked.
std::span<const DrainRule> drain_rules() noexcept;
/// Whether a rule has that name.
bool is_drain_rule(std::string_view name) noexcept;

/// Whether the settings leave the rule in.
bool is_on(const DrainRule& rule, const Settings& settings) noexcept;

/// One pod by all rules. node_pods.hpp asks for all pods of a node, faster.
DrainVerdict judge(snapshot::PodIndex pod, const DrainContext& context);
/// The same of a pod as it might be.
DrainVerdict judge(const snapshot::PodRow& pod, const DrainContext& context);

/// After this moment a pod that is being deleted is given up on: it has not ended 30s after all the
/// time it had. On the clock of PassTime::wall. Nothing: it is not being deleted.
std::optional<Time> given_up_after(const snapshot::PodRow& pod,
                                   const snapshot::PodGroupRow& row) noexcept;
bool is_long_terminating(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                         Time wall) noexcept;

// The rules of drain_rules.hpp, one a file, each without the others. What a rule says in one
// sentence stands in the table in drain_rules.cpp.

/// What a rule says of one pod; nothing: no opinion.
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
Opinion judge_local_storage(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                            const DrainContext& context);
Opinion judge_several_pdbs(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                           const DrainContext& context);
Opinion judge_pdb(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                  const DrainContext& context);

/// What the owner of a pod says of its eviction: "true", "false", "on-completion"; empty: nothing.
std::string_view safe_to_evict(const snapshot::PodGroupRow& row,
                               const snapshot::Cluster& cluster) noexcept;

/// "pod web/db-0"
std::string pod_name(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                     const snapshot::Cluster& cluster);
/// The node stays; `sentence` goes on from the pod's name: " uses local storage".
DrainVerdict block(const snapshot::PodRow& pod, const snapshot::PodGroupRow& row,
                   const DrainContext& context, std::string_view reason, std::string_view sentence);

}  // namespace capstan::engine::drainability
