#include "engine/scale_up/share_out.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <capstan/assert.hpp>

#include "engine/scale_up/packing.hpp"

namespace capstan::engine::scale_up {
namespace {

/// Marks the option's pods as covered. Whether any of them was not covered before.
bool cover(const Option& option, std::vector<bool>& covered) {
    bool any = false;
    for (const Demand& demand : option.estimate->schedulable) {
        if (demand.pod_group >= covered.size()) covered.resize(demand.pod_group + 1, false);
        any = any || !covered[demand.pod_group];
        covered[demand.pod_group] = true;
    }
    return any;
}

/// The groups to be made for pods that the chosen option does not help. This is a guess, since
/// expanders have not chosen for these pods yet: groups with the most pods are counted first, and
/// among equals groups that may share anyway.
struct Needed {
    std::vector<GroupIndex> siblings{};  ///< groups that may share the chosen option
    int others = 0;                      ///< the number of all others
};

Needed find_needed(std::span<const Option> options, std::size_t chosen, const QuotaTracker& quotas,
                   std::span<const GroupIndex> sharing) {
    std::vector<bool> covered;
    cover(options[chosen], covered);
    std::vector<const Option*> new_ones;
    for (const Option& option : options) {
        if (quotas.is_new(option.group)) {
            new_ones.push_back(&option);
        } else {
            cover(option, covered);
        }
    }
    const auto may_share = [&](const Option* option) {
        return std::ranges::binary_search(sharing, option->group);
    };
    std::ranges::stable_sort(new_ones, std::ranges::greater(), [&](const Option* option) {
        return std::pair(option->estimate->pods, may_share(option));
    });
    Needed out;
    const BinpackingEstimate* last = nullptr;  // groups of different zones often share one estimate
    for (const Option* option : new_ones) {
        if (option->estimate.get() != last && cover(*option, covered)) {
            if (may_share(option)) {
                out.siblings.push_back(option->group);
            } else {
                ++out.others;
            }
        }
        last = option->estimate.get();
    }
    return out;
}

}  // namespace

std::vector<GroupIndex> drop_new_siblings(std::vector<GroupIndex>& groups,
                                          std::span<const Option> options, std::size_t chosen,
                                          const QuotaTracker& quotas) {
    const GroupIndex own = options[chosen].group;
    const std::optional<int> left = quotas.new_groups_left();
    const auto is_sibling = [&](GroupIndex group) { return group != own && quotas.is_new(group); };
    const auto siblings = static_cast<int>(std::ranges::count_if(groups, is_sibling));
    if (!left || siblings == 0) return {};
    const int room = *left - (quotas.is_new(own) ? 1 : 0);
    const Needed needed = find_needed(options, chosen, quotas, groups);
    const int kept = std::clamp(room - needed.others, 0, siblings);
    const auto is_in = [](const std::vector<GroupIndex>& list, GroupIndex group) {
        return std::ranges::find(list, group) != list.end();
    };
    std::vector<GroupIndex> dropped;
    std::ranges::copy_if(groups, std::back_inserter(dropped), is_sibling);
    std::ranges::stable_sort(dropped, {}, [&](GroupIndex group) {
        if (is_in(needed.siblings, group)) return 0;
        return is_in(options[chosen].similar, group) ? 1 : 2;
    });
    dropped.erase(dropped.begin(), dropped.begin() + kept);
    std::ranges::sort(dropped);
    std::erase_if(groups,
                  [&](GroupIndex group) { return std::ranges::binary_search(dropped, group); });
    return dropped;
}

std::map<GroupIndex, int> find_promised(std::span<const Option> options, std::size_t chosen,
                                        std::span<const GroupIndex> groups,
                                        const std::vector<int>& waiting,
                                        scheduling::Placement& placement) {
    std::map<PodGroupIndex, int> left;
    bool has_free_pods = false;
    for (const Demand& demand : options[chosen].estimate->schedulable) {
        const PodGroupIndex pod_group = demand.pod_group;
        if (placement.predicates().has_inter_pod_constraints(pod_group))
            left.try_emplace(pod_group, waiting[pod_group]).first->second -= demand.count;
        else
            has_free_pods = true;
    }
    if (!has_free_pods) return {};
    std::map<GroupIndex, int> out;
    for (const Option& option : options) {
        if (option.group == options[chosen].group ||
            !std::ranges::binary_search(groups, option.group))
            continue;
        std::vector<Demand> later;
        for (const Demand& demand : option.estimate->schedulable) {
            const auto at = left.find(demand.pod_group);
            const int some = at == left.end() ? 0 : std::min(at->second, demand.count);
            if (some <= 0) continue;
            at->second -= some;
            later.push_back({demand.pod_group, some});
        }
        if (later.empty()) continue;
        const scheduling::Placement::Mark mark = placement.mark();
        Supply any{option.group, std::numeric_limits<int>::max()};
        Packing(placement).pack({&any, 1}, later);
        placement.undo(mark);
        if (const int nodes = std::numeric_limits<int>::max() - any.nodes; nodes > 0)
            out[option.group] = nodes;
    }
    return out;
}

namespace {

int find_or_zero(const std::map<GroupIndex, int>& counts, GroupIndex group) {
    const auto at = counts.find(group);
    return at == counts.end() ? 0 : at->second;
}

/// The groups as the splitter sees them, and the nodes that each has been given.
class Sharing {
public:
    Sharing(const pass_context::PassContext& context, const QuotaTracker& quotas,
            const Option& option)
        : quotas_(quotas), members_(option.similar) {
        members_.insert(std::ranges::lower_bound(members_, option.group), option.group);
        for (const GroupIndex g : members_) {
            NodeGroup group = context.groups()[g].group;
            const int target =
                context.target(g) + quotas.grown(g) + find_or_zero(option.promised, g);
            group.target = target;
            // A splitter needs a maximum; a group without one may take all nodes.
            if (!group.max) {
                group.max =
                    std::min(target, std::numeric_limits<int>::max() - option.nodes) + option.nodes;
            }
            groups_.push_back(std::move(group));
        }
        given_.resize(members_.size(), 0);
    }

    std::span<const NodeGroup> groups() const { return groups_; }

    bool is_valid(const std::vector<int>& answer, int nodes) const {
        if (answer.size() != groups_.size()) return false;
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < answer.size(); ++i) {
            sum += answer[i];
            if (answer[i] < 0 || answer[i] > room(groups_[i])) return false;
        }
        return sum <= nodes;
    }

    /// Gives each group its share, as far as the limits of the cluster allow, and returns the sum.
    /// A group that cannot take all of its share is full from now on.
    int give(const std::vector<int>& answer) {
        int given = 0;
        for (std::size_t i = 0; i < answer.size(); ++i) {
            const int taken = quotas_.allows(members_[i], answer[i]).nodes;
            CAPSTAN_ASSERT(taken >= 0 && taken <= answer[i], "a group gets more than its share");
            if (taken > 0) quotas_.take(members_[i], taken);
            given_[i] += taken;
            given += taken;
            std::optional<int>& target = groups_[i].target;
            CAPSTAN_ASSERT(target, "a group that shares has no target");
            *target += taken;
            if (taken < answer[i]) groups_[i].max = target;
        }
        return given;
    }

    std::vector<Share> shares() const {
        std::vector<Share> out;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (given_[i] > 0) out.push_back({members_[i], given_[i]});
        }
        return out;
    }

private:
    static int room(const NodeGroup& group) {
        CAPSTAN_ASSERT(group.max && group.target, "a group that shares has no target or maximum");
        return std::max(*group.max - *group.target, 0);
    }

    QuotaTracker quotas_;
    std::vector<GroupIndex> members_;
    std::vector<NodeGroup> groups_;
    std::vector<int> given_;
};

BalancedIncreases all_to_own(const QuotaTracker& quotas, const Option& option, std::string note) {
    const int room = std::min(option.nodes, quotas.room(option.group));
    const int nodes = quotas.allows(option.group, room).nodes;
    BalancedIncreases out{.note = std::move(note)};
    if (nodes > 0) out.shares.push_back({option.group, nodes});
    return out;
}

}  // namespace

BalancedIncreases share_out(const pass_context::PassContext& context, const QuotaTracker& quotas,
                            const Policies& policies, const CallContext& call_context,
                            const Option& option) {
    if (option.similar.empty()) return all_to_own(quotas, option, {});
    Sharing sharing(context, quotas, option);
    for (int left = option.nodes; left > 0;) {
        const auto answer = policies.splitter->split(left, sharing.groups(), call_context);
        if (!answer) return all_to_own(quotas, option, "splitter: " + answer.error().message);
        if (!sharing.is_valid(*answer, left)) {
            return all_to_own(quotas, option,
                              "splitter: its shares exceed a max size or the nodes to share");
        }
        const int asked = std::accumulate(answer->begin(), answer->end(), 0);
        const int given = sharing.give(*answer);
        left -= given;
        CAPSTAN_ASSERT(left >= 0, "more nodes are shared out than there are");
        if (given == asked) break;  // no group was cut short: the splitter left the rest
    }
    return {.shares = sharing.shares(), .note = {}};
}

}  // namespace capstan::engine::scale_up
