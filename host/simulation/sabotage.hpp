/// An autoscaler made worse on purpose, so that a judge can be judged. Between what there is and
/// what the engine is told, and between what it decides and what is carried out.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/pass_cycle.hpp"

namespace capstan::simulation {

enum class Sabotage : std::uint8_t {
    none,
    never_removes,   ///< no node is marked, drained or removed
    dearest_first,   ///< what is grown is the dearest group that could have taken the same pods
    forgets_orders,  ///< machines that have no node yet are neither seen nor remembered
    ignores_minima,  ///< no group and no total of the cluster seems to have one
    sees_old_pods,  ///< the cluster is seen up to half an hour late; no look before a removal helps
    buys_for_no_pod,   ///< a machine more, every half hour, for no pod
    buys_twenty_more,  ///< each increase asks for twenty machines more
    ignores_budgets,   ///< an eviction is always one of all pods that have a budget
    moves_all_pods,    ///< no pod keeps its node, but where a budget allows no disruption
    never_unmarks,     ///< no taint is taken off a node
    never_grows,       ///< no machine is asked for, and no group made
    makes_for_no_pod,  ///< what is made is not grown
    forgets_at_start,  ///< the first pass of a new host knows of no machine that has no node yet
    garbles_memory,    ///< memory has a reason that is no text
};
std::string_view name_of(Sabotage sabotage) noexcept;

class Saboteur {
public:
    explicit Saboteur(Sabotage sabotage) noexcept : sabotage_(sabotage) {}

    /// What the engine is told instead.
    runtime::PassInput told(const runtime::PassInput& input);
    /// Makes another decision of it; groups are again those that there are, with what was found out
    /// about them.
    void spoil(const runtime::PassInput& input, runtime::PassResult& result);
    /// Whether a look at a node before its removal finds nothing.
    bool is_unobserved() const noexcept { return sabotage_ == Sabotage::sees_old_pods; }

private:
    const Sabotage sabotage_;
    std::optional<engine::snapshot::Cluster> seen_;  ///< the cluster as it was then
    Time seen_at_{};
    Time bought_at_{};
};

}  // namespace capstan::simulation
