// The part of ScaleUp that carries an option out, in thought.
#include <algorithm>

#include <capstan/sentence.hpp>

#include "engine/scale_up/scale_up.hpp"
#include "engine/scale_up/share_out.hpp"

namespace capstan::engine {

/// Puts the option's pods on the nodes that were shared out, and lets go of nodes that none of them
/// needs after all.
Packed ScaleUp::pack(const Option& option, std::vector<Growth>& growths) {
    std::vector<Supply> supplies;
    for (const Growth& growth : growths) supplies.push_back({growth.group, growth.nodes});
    Packed packed = Packing(ground_.placement).pack(supplies, option.prospect->helped);
    for (std::size_t i = 0; i < growths.size(); ++i) {
        if (supplies[i].nodes == 0) continue;
        if (scene().rooms[growths[i].group].whole) {
            ground_.placement.add(supplies[i].shape, supplies[i].nodes);
        } else {
            growths[i].nodes -= supplies[i].nodes;
        }
    }
    std::erase_if(growths, [](const Growth& growth) { return growth.nodes == 0; });
    return packed;
}

void ScaleUp::carry_out(const Option& option, ChosenOption chosen) {
    Progress& progress = ground_.progress;
    SharedOut shared = share_out(scene(), progress.ledger, *policies_, circumstances_, option);
    if (!shared.note.empty()) progress.notes.push_back(std::move(shared.note));
    Grant grant{.chosen = std::move(chosen)};
    for (const Share& share : shared.shares) {
        grant.growths.push_back({share.group, share.nodes, role_of(option, share.group)});
    }
    const Placement::Mark mark = ground_.placement.mark();
    const Packed packed = pack(option, grant.growths);
    if (packed.helped.empty()) {
        ground_.placement.undo(mark);
        // Without this the same option would come again, and again help nobody.
        progress.ledger.close(option.group, "chosen, but nothing of the option came to any group");
        return;
    }
    for (const Growth& growth : grant.growths) {
        progress.ledger.take(growth.group, growth.nodes);
        grant.chosen.granted += growth.nodes;
        if (growth.group != option.group) grant.chosen.similar.push_back(scene().id(growth.group));
    }
    for (const Demand& helped : packed.helped) {
        progress.left[helped.subject] -= helped.count;
        PodCount pods = scene().pending.classes[helped.subject];
        pods.count = static_cast<std::uint32_t>(helped.count);
        grant.chosen.pods.push_back(std::move(pods));
    }
    const bool spare = scene().rooms[option.group].whole || grant.chosen.granted < option.nodes;
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

std::vector<std::string> ScaleUp::left_out(const Option& option) {
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
        std::string because = ground_.progress.ledger.obstacle(other);
        if (const auto gap = similar_.price_gap(option.group, other))
            because = *gap + "; scale_up.balance_across_prices is off";
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
