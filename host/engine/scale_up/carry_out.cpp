// The part of ScaleUp that carries an option out, in thought.
#include <algorithm>
#include <iterator>

#include <capstan/sentence.hpp>

#include "engine/scale_up/new_siblings.hpp"
#include "engine/scale_up/scale_up.hpp"
#include "engine/scale_up/share_out.hpp"

namespace capstan::engine {

std::vector<GroupIndex> ScaleUp::sharing_groups(std::vector<Option>& options, std::size_t chosen,
                                                std::vector<GroupIndex>& unmade) {
    Option& option = options[chosen];
    const Ledger& ledger = ground_.progress.ledger;
    std::vector<GroupIndex> out;
    std::ranges::copy_if(similar_.of(option.group), std::back_inserter(out),
                         [&](GroupIndex other) { return ledger.obstacle(other).is_none(); });
    out.insert(std::ranges::lower_bound(out, option.group), option.group);
    unmade = drop_new_siblings(out, options, chosen, ledger);
    std::erase_if(option.similar,
                  [&](GroupIndex group) { return std::ranges::binary_search(unmade, group); });
    return out;
}

/// Shares the option's nodes out and puts its pods on them; nodes that none of them needs after all
/// are let go.
CarriedOut ScaleUp::share(const Option& option) {
    SharedOut given =
        share_out(scene(), ground_.progress.ledger, *policies_, circumstances_, option);
    std::vector<Supply> supplies;
    for (const Share& to : given.shares) supplies.push_back({to.group, to.nodes});
    CarriedOut out{.note = std::move(given.note)};
    out.helped = Packing(ground_.placement).pack(supplies, option.prospect->helped).helped;
    for (std::size_t i = 0; i < supplies.size(); ++i) {
        const int unused = supplies[i].nodes;
        Share used = given.shares[i];
        if (unused > 0 && scene().rooms[used.group].whole) {
            ground_.placement.add(used.group, unused);
        } else {
            used.nodes -= unused;
        }
        if (used.nodes > 0) out.shares.push_back(used);
        out.nodes += used.nodes;
    }
    return out;
}

/// Nothing: it would take more nodes than to share what can be shared now and to help pinned pods
/// later, or help fewer pods, or come to the same.
std::optional<CarriedOut> ScaleUp::share_pinned_first(const std::vector<Option>& options,
                                                      std::size_t chosen,
                                                      std::span<const GroupIndex> groups) {
    const Option& option = options[chosen];
    if (groups.size() == 1) return std::nullopt;
    const std::vector<Demand> pinned =
        find_pinned(*scene().rules, options, chosen, groups, waiting());
    if (pinned.empty() && groups.size() == option.similar.size() + 1) return std::nullopt;

    Placement& placement = ground_.placement;
    const Placement::Mark mark = placement.mark();
    const auto first = static_cast<Slot>(placement.slot_count());
    const CarriedOut otherwise = share(option);
    place_later(placement, pinned, groups, first);
    const int needed = count_nodes(placement, first);
    placement.undo(mark);
    const int limit = scene().settings->max_nodes_per_scale_up;
    const int most = limit > 0 ? std::min(needed, limit) : needed;

    PinnedFirst pinned_first(scene(), *policies_, circumstances_, placement, plan_,
                             ground_.progress.ledger);
    CarriedOut out = pinned_first.place(option, pinned, groups);
    const bool is_same = out.shares == otherwise.shares && out.nodes == needed;
    if (!is_same && out.nodes <= most && helps_as_many(out.helped, otherwise.helped)) return out;
    placement.undo(mark);
    return std::nullopt;
}

void ScaleUp::carry_out(std::vector<Option>& options, std::size_t chosen, ChosenOption told) {
    Progress& progress = ground_.progress;
    std::vector<GroupIndex> unmade;
    const std::vector<GroupIndex> groups = sharing_groups(options, chosen, unmade);
    const Placement::Mark mark = ground_.placement.mark();
    std::optional<CarriedOut> apart = share_pinned_first(options, chosen, groups);
    Option option = options[chosen];
    if (apart) {
        option.similar = groups;
        std::erase(option.similar, option.group);
    }
    told.left_out = left_out(option, unmade);
    CarriedOut carried = apart ? *std::move(apart) : share(option);
    if (!carried.note.empty()) progress.notes.push_back(std::move(carried.note));
    if (carried.helped.empty()) {
        ground_.placement.undo(mark);
        // Without this the same option would come again, and again help nobody.
        progress.ledger.close(option.group,
                              {ReasonCode::nothing_granted,
                               {},
                               "chosen, but nothing of the option came to any group"});
        return;
    }
    record(option, carried, std::move(told));
}

void ScaleUp::record(const Option& option, const CarriedOut& carried, ChosenOption told) {
    Progress& progress = ground_.progress;
    Grant grant{.chosen = std::move(told)};
    for (const Share& to : carried.shares)
        grant.growths.push_back({to.group, to.nodes, role_of(option, to.group)});
    for (const Growth& growth : grant.growths) {
        progress.ledger.take(growth.group, growth.nodes);
        grant.chosen.granted += growth.nodes;
        if (growth.group != option.group) grant.chosen.similar.push_back(scene().id(growth.group));
    }
    // Pods that are pinned to other groups may have been added to the option.
    grant.chosen.nodes = std::max(grant.chosen.nodes, grant.chosen.granted);
    for (const Demand& helped : carried.helped) {
        progress.left[helped.subject] -= helped.count;
        PodCount pods = scene().pending.classes[helped.subject];
        pods.count = static_cast<std::uint32_t>(helped.count);
        grant.chosen.pods.push_back(std::move(pods));
    }
    const bool spare =
        scene().rooms[option.group].whole || grant.chosen.granted < grant.chosen.nodes;
    progress.grants.push_back(std::move(grant));
    if (spare) seat_late();
    if (scene().settings->one_option_per_pass) progress.stopped = "a pass takes one option";
}

std::string ScaleUp::role_of(const Option& option, GroupIndex group) const {
    if (scene().rooms[group].whole) return "only ever empty or full";
    if (option.similar.empty()) return {};
    const auto size = [&](GroupIndex g) {
        return *scene().groups()[g].group.target + ground_.progress.ledger.grown(g);
    };
    bool smallest = true;
    const auto compare = [&](GroupIndex other) {
        if (other != group && size(other) <= size(group)) smallest = false;
    };
    compare(option.group);
    std::ranges::for_each(option.similar, compare);
    return (smallest ? "smallest of " : "one of ") +
           counted(std::ssize(option.similar) + 1, "similar group");
}

std::vector<std::string> ScaleUp::left_out(const Option& option,
                                           std::span<const GroupIndex> unmade) {
    const Rules& rules = *scene().rules;
    std::map<ShapeId, std::string> why;  // the first pod that does not run there
    const auto find_why = [&](ShapeId other) -> std::string {
        const auto misfit =
            find_misfit(ground_.placement, plan_, option.prospect->helped, option.group, other);
        // It was left out while the option had more nodes, and more pods, than there is room for.
        if (!misfit) return "a pod that the option has no room for does not run there";
        const std::string pod = "pod " + scene().pending.classes[*misfit].example;
        const Refusal refusal = ground_.placement.why_not_new(*misfit, other);
        return refusal.predicate == Predicate::none
                   ? pod + " is to be spread, and is for another domain"
                   : pod + ": " + refusal.sentence;
    };
    std::vector<std::string> out;
    for (const GroupIndex other : similar_.all_of(option.group)) {
        if (std::ranges::binary_search(option.similar, other)) continue;
        std::string because = ground_.progress.ledger.obstacle(other).sentence;
        if (const auto gap = similar_.price_gap(option.group, other))
            because = *gap + "; scale_up.balance_across_prices is off";
        if (std::ranges::binary_search(unmade, other))
            because = "limit of groups: the others that there may be are for other pods";
        if (because.empty()) {
            const auto [at, is_new] = why.try_emplace(rules.alike(other));
            if (is_new) at->second = find_why(other);
            because = at->second;
        }
        out.push_back(scene().id(other).value() + ": " + because);
    }
    return out;
}

}  // namespace capstan::engine
