/// Defects injected into the autoscaler, to test that each invariant notices its defect. A defect
/// falsifies the input before the engine gets it, or the decision before it is carried out.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "autoscaler/pass_cycle.hpp"

namespace capstan::simulator {

enum class Sabotage : std::uint8_t {
    none,
    never_removes,  ///< no node is tainted for removal, drained or removed
    dearest_first,  ///< an increase goes to the dearest group that fits the same pods
    /// machines without a node are neither seen nor remembered, unless they are being deleted
    forgets_orders,
    ignores_minima,       ///< groups and limits of the cluster have no minimum
    sees_old_pods,        ///< the cluster is up to half an hour old; every recheck succeeds
    buys_for_no_pod,      ///< every half hour, one machine is requested that no pod needs
    buys_twenty_more,     ///< each increase asks for twenty machines more
    ignores_budgets,      ///< a decision that evicts a pod evicts all pods with a budget
    moves_all_pods,       ///< drain rules keep no node, unless a budget allows no disruption
    never_unmarks,        ///< no taint is removed from a node
    never_grows,          ///< no machine is asked for, and no group created
    makes_for_no_pod,     ///< created groups are not grown
    forgets_at_start,     ///< in the first pass after a start, like forgets_orders
    buys_for_moved_pods,  ///< a machine is requested for each node with pods whose removal begins
    removes_another,      ///< a removal of a working node ends another machine of its group
    garbles_memory,       ///< the memory has a reason that is not valid UTF-8
};
std::string_view name_of(Sabotage sabotage) noexcept;

class Saboteur {
public:
    explicit Saboteur(Sabotage sabotage) noexcept : sabotage_(sabotage) {}

    /// The input that the engine gets instead of `input`.
    autoscaler::PassInput falsified(const autoscaler::PassInput& input);
    /// Changes the decision. The groups of the result become the true groups of `input`, with the
    /// prices and options that the pass found out.
    void falsify(const autoscaler::PassInput& input, autoscaler::PassResult& result);
    /// Whether rechecks of a node before its removal always pass.
    bool is_unobserved() const noexcept { return sabotage_ == Sabotage::sees_old_pods; }

private:
    const Sabotage sabotage_;
    std::optional<engine::snapshot::Cluster> seen_;  ///< the cluster as of `seen_at_`
    Time seen_at_{};
    Time bought_at_{};
    std::set<std::string, std::less<>> moved_;  ///< nodes whose removal has been seen
};

}  // namespace capstan::simulator
