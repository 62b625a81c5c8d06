#include "engine/scale_up/pinned_first.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <capstan/assert.hpp>

namespace capstan::engine::scale_up {
namespace {

void mark_schedulable(const Option& option, std::vector<bool>& marks) {
    for (const Demand& demand : option.estimate->schedulable) marks[demand.pod_group] = true;
}

void add_share(std::vector<Share>& shares, GroupIndex group, int nodes) {
    if (nodes == 0) return;
    const auto at = std::ranges::lower_bound(shares, group, {}, &Share::group);
    if (at != shares.end() && at->group == group) {
        at->nodes += nodes;
    } else {
        shares.insert(at, {group, nodes});
    }
}

std::map<PodGroupIndex, int> by_pod_group(std::span<const Demand> pods) {
    std::map<PodGroupIndex, int> out;
    for (const Demand& demand : pods) out[demand.pod_group] += demand.count;
    return out;
}

}  // namespace

std::vector<Demand> find_pinned(const scheduling::CompiledPredicates& predicates,
                                std::span<const Option> options, std::size_t chosen,
                                std::span<const GroupIndex> groups,
                                const std::vector<int>& waiting) {
    std::vector<bool> passed(waiting.size(), false);
    mark_schedulable(options[chosen], passed);
    const auto is_one_of_them = [&](const Option& option) {
        return std::ranges::binary_search(groups, option.group);
    };
    std::set<const BinpackingEstimate*> looked_at;  // many groups share one estimate
    for (const Option& option : options) {
        if (!is_one_of_them(option) && looked_at.insert(option.estimate.get()).second)
            mark_schedulable(option, passed);
    }
    std::vector<Demand> out;
    for (const Option& option : options) {
        if (!is_one_of_them(option)) continue;
        for (const Demand& demand : option.estimate->schedulable) {
            const PodGroupIndex pod_group = demand.pod_group;
            if (passed[pod_group] || predicates.has_inter_pod_constraints(pod_group)) continue;
            passed[pod_group] = true;
            out.push_back({pod_group, waiting[pod_group]});
        }
    }
    return out;
}

PinnedFirst::PinnedFirst(const pass_context::PassContext& context, const Policies& policies,
                         const CallContext& call_context, scheduling::Placement& placement,
                         const SpreadPlan& plan, QuotaTracker quotas)
    : context_(&context),
      policies_(&policies),
      call_context_(&call_context),
      placement_(&placement),
      plan_(&plan),
      quotas_(std::move(quotas)) {}

std::vector<GroupIndex> PinnedFirst::compatible_groups(const Demand& pods, GroupIndex own,
                                                       std::span<const GroupIndex> groups) {
    const scheduling::CompiledPredicates& predicates = placement_->predicates();
    std::map<TemplateNodeId, bool> takes;
    std::vector<GroupIndex> out;
    for (const GroupIndex group : groups) {
        const TemplateNodeId template_node = predicates.equivalent(group);
        const auto [at, is_new] = takes.try_emplace(template_node, false);
        if (is_new) {
            const std::vector<Demand> one{pods};
            at->second =
                !find_misfit(*placement_, *plan_, one, predicates.equivalent(own), template_node);
        }
        if (at->second) out.push_back(group);
    }
    return out;
}

/// Pods that fewer groups take come first.
std::vector<PinnedFirst::Part> PinnedFirst::part(const Option& option,
                                                 std::span<const Demand> pinned,
                                                 std::span<const GroupIndex> groups) {
    std::map<std::pair<std::size_t, std::vector<GroupIndex>>, std::vector<Demand>> parts;
    const auto add = [&](const Demand& demand) {
        std::vector<GroupIndex> on = compatible_groups(demand, option.group, groups);
        if (!on.empty()) parts[{on.size(), std::move(on)}].push_back(demand);
    };
    std::ranges::for_each(option.estimate->schedulable, add);
    std::ranges::for_each(pinned, add);
    std::vector<Part> out;
    for (auto& [groups_of, pods] : parts) out.push_back({groups_of.second, std::move(pods)});
    return out;
}

/// Whether kube-scheduler tries the pods of each part before those of every larger part that shares
/// a group with it.
bool PinnedFirst::come_in_order(std::span<const Part> parts) const {
    const auto shares_a_group = [](const Part& a, const Part& b) {
        return std::ranges::any_of(a.groups, [&](GroupIndex group) {
            return std::ranges::binary_search(b.groups, group);
        });
    };
    const auto comes_before = [&](const Demand& a, const Demand& b) {
        return pass_context::is_tried_before(*context_, a.pod_group, b.pod_group);
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (std::size_t j = i + 1; j < parts.size(); ++j) {
            if (!shares_a_group(parts[i], parts[j])) continue;
            for (const Demand& pinned : parts[i].pods) {
                // Pods that are spread go where the others leave room.
                if (placement_->predicates().has_inter_pod_constraints(pinned.pod_group)) continue;
                for (const Demand& other : parts[j].pods)
                    if (!comes_before(pinned, other)) return false;
            }
        }
    }
    return true;
}

std::optional<OptionOutcome> PinnedFirst::place(const Option& option,
                                                std::span<const Demand> pinned,
                                                std::span<const GroupIndex> groups,
                                                bool in_any_order) {
    const auto first = static_cast<scheduling::Slot>(placement_->slot_count());
    const std::vector<Part> parts = part(option, pinned, groups);
    if (!in_any_order && !come_in_order(parts)) return std::nullopt;
    promised_ = option.promised;
    OptionOutcome out;
    for (const Part& part_of : parts) place(part_of, option.group, first, out);
    // A pod group may have two entries: pods on nodes of others, and pods on nodes of its own.
    const std::map<PodGroupIndex, int> schedulable = by_pod_group(out.schedulable);
    out.schedulable.clear();
    for (const auto& [pod_group, count] : schedulable)
        out.schedulable.push_back({pod_group, count});
    out.nodes = count_nodes(*placement_, first);
    return out;
}

void PinnedFirst::place(const Part& part, GroupIndex own, scheduling::Slot first,
                        OptionOutcome& out) {
    Packing packing(*placement_);
    std::vector<Demand> rest;
    for (const Demand& demand : part.pods) {
        const auto end = static_cast<scheduling::Slot>(placement_->slot_count());
        const int filled =
            first < end ? packing.fill(demand.pod_group, first, end, demand.count) : 0;
        if (filled > 0) out.schedulable.push_back({demand.pod_group, filled});
        if (filled < demand.count) rest.push_back({demand.pod_group, demand.count - filled});
    }
    if (rest.empty()) return;

    if (!std::ranges::binary_search(part.groups, own)) own = part.groups.front();
    const scheduling::Placement::Mark mark = placement_->mark();
    Supply any{own, std::numeric_limits<int>::max()};
    packing.pack({&any, 1}, rest);
    placement_->undo(mark);
    Option needed{
        .group = own, .nodes = std::numeric_limits<int>::max() - any.nodes, .promised = promised_};
    std::ranges::copy_if(part.groups, std::back_inserter(needed.similar),
                         [&](GroupIndex group) { return group != own; });
    needed.nodes = quotas_.allows(own, needed.nodes).nodes;
    BalancedIncreases shared = share_out(*context_, quotas_, *policies_, *call_context_, needed);
    if (!shared.note.empty()) out.note = std::move(shared.note);

    std::vector<Supply> supplies;
    for (const Share& share : shared.shares) supplies.push_back({share.group, share.nodes});
    const Packed packed = packing.pack(supplies, rest);
    for (std::size_t i = 0; i < supplies.size(); ++i) {
        const int used = shared.shares[i].nodes - supplies[i].nodes;
        CAPSTAN_ASSERT(used >= 0 && supplies[i].nodes >= 0, "more nodes are opened than shared");
        if (used == 0) continue;
        quotas_.take(supplies[i].template_node, used);
        add_share(out.shares, supplies[i].template_node, used);
    }
    out.schedulable.insert(out.schedulable.end(), packed.schedulable.begin(),
                           packed.schedulable.end());
}

void place_later(scheduling::Placement& placement, std::span<const Demand> pods,
                 std::span<const GroupIndex> groups, scheduling::Slot first) {
    Packing packing(placement);
    std::vector<Supply> any;
    for (const GroupIndex group : groups) any.push_back({group, std::numeric_limits<int>::max()});
    for (const Demand& demand : pods) {
        int left = demand.count;
        // With a spread constraint, new nodes may let the nodes before them take more.
        for (int before = 0; left > 0 && left != before;) {
            before = left;
            const auto end = static_cast<scheduling::Slot>(placement.slot_count());
            left -= packing.fill(demand.pod_group, first, end, left);
            left -= packing.open(demand.pod_group, any, left);
        }
    }
}

int count_nodes(const scheduling::Placement& placement, scheduling::Slot first) {
    int out = 0;
    for (scheduling::Slot slot = first; slot < placement.slot_count(); ++slot)
        out += placement.nodes(slot);
    return out;
}

std::optional<std::size_t> find_option_with_pinned(std::span<const Option> options,
                                                   std::size_t chosen,
                                                   std::span<const Demand> pinned,
                                                   std::span<const GroupIndex> groups) {
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (i == chosen || !std::ranges::binary_search(groups, options[i].group)) continue;
        const std::vector<Demand>& pods = options[i].estimate->schedulable;
        if (helps_as_many(pods, options[chosen].estimate->schedulable) &&
            helps_as_many(pods, pinned))
            return i;
    }
    return std::nullopt;
}

bool helps_as_many(std::span<const Demand> one, std::span<const Demand> other) {
    const std::map<PodGroupIndex, int> schedulable = by_pod_group(one);
    return std::ranges::all_of(by_pod_group(other), [&](const auto& entry) {
        const auto at = schedulable.find(entry.first);
        return at != schedulable.end() && at->second >= entry.second;
    });
}

}  // namespace capstan::engine::scale_up
