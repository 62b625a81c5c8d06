/// Shares out an option when some pods run on only some of its similar groups.
///
/// Such pinned pods get their nodes first. The other pods fill these nodes, and the nodes that they
/// need besides are shared out among all groups. So the groups end even, and no node is added
/// twice.
///     groups a, b, c, one pod a node; 8 pods run anywhere, 1 in a only  ->  a 1, then +2, +3, +3
///
/// This holds only if kube-scheduler tries the pinned pods first. Otherwise the other pods may take
/// the nodes of a, and one more node is needed there. Then the scale-up follows the proposal
/// "balance similar node groups": a group that some of the pods cannot use gets no share of them,
/// so a gets all 9 nodes.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/scale_up/packing.hpp"
#include "engine/scale_up/scale_up_options.hpp"
#include "engine/scale_up/share_out.hpp"

namespace capstan::engine::scale_up {

/// The nodes and pods of an option that was carried out.
struct OptionOutcome {
    std::vector<Share> shares{};  ///< by group; no share is zero
    std::vector<Demand> schedulable{};
    int nodes = 0;       ///< of all shares
    std::string note{};  ///< what the splitter did wrong; empty: nothing
};

/// Pending pods that run on some of `groups` and on no other group, and that `options[chosen]` does
/// not place; none with inter-pod constraints. `waiting` by pod group: the pending pods. `groups`
/// ascend.
std::vector<Demand> find_pinned(const scheduling::CompiledPredicates& predicates,
                                std::span<const Option> options, std::size_t chosen,
                                std::span<const GroupIndex> groups,
                                const std::vector<int>& waiting);

/// Borrows its arguments.
class PinnedFirst {
public:
    PinnedFirst(const pass_context::PassContext& context, const Policies& policies,
                const CallContext& call_context, scheduling::Placement& placement,
                const SpreadPlan& plan, QuotaTracker quotas);

    /// Places the pods of the option and `pinned` on new nodes of `groups`, which ascend and
    /// include the option's own group. Absent: kube-scheduler may bind other pods to the nodes of
    /// the pinned pods before it tries these, and `in_any_order` is false.
    std::optional<OptionOutcome> place(const Option& option, std::span<const Demand> pinned,
                                       std::span<const GroupIndex> groups, bool in_any_order);

private:
    /// Pods that run on the same groups.
    struct Part {
        std::vector<GroupIndex> groups{};
        std::vector<Demand> pods{};
    };
    std::vector<Part> part(const Option& option, std::span<const Demand> pinned,
                           std::span<const GroupIndex> groups);
    std::vector<GroupIndex> compatible_groups(const Demand& pods, GroupIndex own,
                                              std::span<const GroupIndex> groups);
    bool come_in_order(std::span<const Part> parts) const;
    void place(const Part& part, GroupIndex own, scheduling::Slot first, OptionOutcome& out);

    const pass_context::PassContext* context_;
    const Policies* policies_;
    const CallContext* call_context_;
    scheduling::Placement* placement_;
    const SpreadPlan* plan_;
    QuotaTracker quotas_;
    std::map<GroupIndex, int> promised_{};  ///< Option::promised
};

/// Places the pods on the slots from `first` on, then on new nodes of any of the groups as needed,
/// without regard to limits and maxima.
void place_later(scheduling::Placement& placement, std::span<const Demand> pods,
                 std::span<const GroupIndex> groups, scheduling::Slot first);
/// The number of nodes in the slots from `first` on.
int count_nodes(const scheduling::Placement& placement, scheduling::Slot first);
/// The first option of `groups` with all pods of `options[chosen]` and all of `pinned`; absent:
/// there is none. `groups` ascend.
std::optional<std::size_t> find_option_with_pinned(std::span<const Option> options,
                                                   std::size_t chosen,
                                                   std::span<const Demand> pinned,
                                                   std::span<const GroupIndex> groups);
/// Whether `one` has at least as many pods of each pod group as `other`.
bool helps_as_many(std::span<const Demand> one, std::span<const Demand> other);

}  // namespace capstan::engine::scale_up
