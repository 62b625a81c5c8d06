/// Whether a pod may be moved off its node. A table of rules, asked in upstream's order; the first
/// that has an opinion counts. README.md lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/pass_time.hpp"
#include "engine/scale_down/disruption_budgets.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot/cluster.hpp"

namespace capstan::engine {

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
    const Cluster& cluster;
    const Settings& settings;
    const DisruptionBudgets& budgets;
    PassTime time{};
};

struct DrainRule {
    std::string_view name;
    std::string_view sentence;  ///< what it says, for people
    /// Nothing: no opinion. Of the pod itself only its name, whether it is being deleted, and
    /// whether it is older than something may count: node_pods.hpp relies on that.
    std::optional<DrainVerdict> (*judge)(const PodRow& pod, const ClassRow& row,
                                         const DrainContext& context);
};

/// In the order in which they are asked.
std::span<const DrainRule> drain_rules() noexcept;
/// Whether a rule has that name.
bool is_drain_rule(std::string_view name) noexcept;

/// Whether the settings leave the rule in.
bool is_on(const DrainRule& rule, const Settings& settings) noexcept;

/// One pod by all rules. node_pods.hpp asks for all pods of a node, faster.
DrainVerdict judge(PodIndex pod, const DrainContext& context);
/// The same of a pod as it might be.
DrainVerdict judge(const PodRow& pod, const DrainContext& context);

/// After this moment a pod that is being deleted is given up on: it has not ended 30s after all the
/// time it had. On the clock of PassTime::wall. Nothing: it is not being deleted.
std::optional<Time> given_up_after(const PodRow& pod, const ClassRow& row) noexcept;
bool is_long_terminating(const PodRow& pod, const ClassRow& row, Time wall) noexcept;

}  // namespace capstan::engine
