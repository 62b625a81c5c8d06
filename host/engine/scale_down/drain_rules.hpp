/// Whether a pod may be moved off its node. A table of rules, asked in upstream's order; the first
/// that has an opinion counts. README.md lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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
};

/// What rules look at beside the pod. Borrows all of it.
struct DrainContext {
    const Cluster& cluster;
    const ScaleDownSettings& settings;
    const DisruptionBudgets& budgets;
    Time now{};
};

struct DrainRule {
    std::string_view name;
    std::string_view sentence;  ///< what it says, for people
    /// Nothing: no opinion.
    std::optional<DrainVerdict> (*judge)(const PodRow& pod, const ClassRow& row,
                                         const DrainContext& context);
};

/// In the order in which they are asked.
std::span<const DrainRule> drain_rules() noexcept;

DrainVerdict judge(PodIndex pod, const DrainContext& context);

}  // namespace capstan::engine
