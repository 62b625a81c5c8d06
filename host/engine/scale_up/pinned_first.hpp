/// Pods that run on only some of the groups that may share an option get their nodes first; the
/// other pods fill these, and what they need besides is shared out among all.
///     groups a, b, c, a pod a node; 8 pods run anywhere, 1 in a only  ->  a 1, then +2, +3, +3
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/scale_up/packing.hpp"
#include "engine/scale_up/scale_up_options.hpp"
#include "engine/scale_up/share_out.hpp"

namespace capstan::engine::scale_up {

/// What an option comes to.
struct CarriedOut {
    std::vector<Share> shares{};  ///< by group, none of zero
    std::vector<Demand> schedulable{};
    int nodes = 0;       ///< of all shares
    std::string note{};  ///< what the splitter did wrong; empty: nothing
};

/// Pods that wait, run nowhere but on some of `groups`, and are not among those that
/// `options[chosen]` places; none with inter-pod constraints. `waiting` by pod group, `groups`
/// ascending.
std::vector<Demand> find_pinned(const scheduling::CompiledPredicates& rules,
                                std::span<const Option> options, std::size_t chosen,
                                std::span<const pass_context::GroupIndex> groups,
                                const std::vector<int>& waiting);

/// Borrows its arguments.
class PinnedFirst {
public:
    PinnedFirst(const pass_context::PassContext& context, const Policies& policies,
                const CallContext& call_context, scheduling::Placement& placement,
                const SpreadPlan& plan, QuotaTracker quotas);

    /// Places the pods of the option and `pinned` on new nodes of `groups`, which are ascending and
    /// have the option's own among them.
    CarriedOut place(const Option& option, std::span<const Demand> pinned,
                     std::span<const pass_context::GroupIndex> groups);

private:
    /// Pods that run on the same of the groups.
    struct Part {
        std::vector<pass_context::GroupIndex> groups{};
        std::vector<Demand> pods{};
    };
    std::vector<Part> part(const Option& option, std::span<const Demand> pinned,
                           std::span<const pass_context::GroupIndex> groups);
    std::vector<pass_context::GroupIndex> takers(const Demand& pods, pass_context::GroupIndex own,
                                                 std::span<const pass_context::GroupIndex> groups);
    void place(const Part& part, pass_context::GroupIndex own, scheduling::Slot first,
               CarriedOut& out);

    const pass_context::PassContext* context_;
    const Policies* policies_;
    const CallContext* call_context_;
    scheduling::Placement* placement_;
    const SpreadPlan* plan_;
    QuotaTracker quotas_;
};

/// Places the pods on what has been added from `first` on, and on new nodes of any of the groups as
/// they need them.
void place_later(scheduling::Placement& placement, std::span<const Demand> pods,
                 std::span<const pass_context::GroupIndex> groups, scheduling::Slot first);
/// New nodes from `first` on.
int count_nodes(const scheduling::Placement& placement, scheduling::Slot first);
/// Whether `one` helps all that `other` does.
bool helps_as_many(std::span<const Demand> one, std::span<const Demand> other);

}  // namespace capstan::engine::scale_up
