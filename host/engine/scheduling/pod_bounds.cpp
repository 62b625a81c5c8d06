#include "engine/scheduling/pod_bounds.hpp"

#include <algorithm>

namespace capstan::engine {
namespace {

/// Volumes of the driver that the slot's nodes have attached.
int attached(const Placement::State& state, Slot slot, std::uint32_t driver) {
    const PodBook& book = state.rules->pods;
    const auto there = state.tally.on(slot);
    return static_cast<int>(std::count_if(there.begin(), there.end(), [&](const auto& entry) {
        const Counter& counter = book.counters[entry.counter];
        return counter.what == Counted::with_volume && book.volumes[counter.which].driver == driver;
    }));
}

void narrow(PodBound& all, const PodBound& more) {
    all.per_node = std::min(all.per_node, more.per_node);
    all.in_all = std::min(all.in_all, more.in_all);
    all.one_node = all.one_node || more.one_node;
}

/// False: nothing is left.
template <class List>
bool narrow(const Placement::State& state, Slot slot, const List& rules, PodBound& all) {
    for (const auto& rule : rules) {
        narrow(all, bound_of(state, slot, rule));
        if (all.refuses()) return false;
    }
    return true;
}

}  // namespace

PodBound bound_of(const Placement::State& state, Slot slot, const Forbidden& rule) {
    const ProfileId profile = state.slots[slot].profile;
    if (state.tally.at(rule.counter, slot, profile) > 0) return none_at_all;
    if (!rule.counts_itself || !state.tally.counts(rule.counter, profile)) return {};
    const bool per_node = state.rules->pods.counters[rule.counter].per_node;
    return {.per_node = 1, .in_all = per_node ? unbounded : 1};
}

PodBound bound_of(const Placement::State& state, Slot slot, const Together& rule) {
    const ProfileId profile = state.slots[slot].profile;
    bool all_there = true, any_anywhere = false, node_by_node = false;
    for (const CounterId id : rule.counters) {
        if (!state.tally.counts(id, profile)) return none_at_all;
        all_there = all_there && state.tally.at(id, slot, profile) > 0;
        any_anywhere = any_anywhere || state.tally.total(id) > 0;
        node_by_node = node_by_node || state.rules->pods.counters[id].per_node;
    }
    if (all_there) return {};
    if (any_anywhere || !rule.counts_itself) return none_at_all;
    // Where the first goes the others follow: with nodes as domains, to that one node. How many go
    // there is a matter of the other bounds.
    return {.one_node = node_by_node};
}

PodBound bound_of(const Placement::State& state, Slot slot, const SpreadRule& rule) {
    const Tally::Place place = state.place_of(slot);
    if (!state.tally.counts(rule.counter, place.profile)) return none_at_all;
    const Surroundings around = state.tally.around(rule.counter, place);
    const bool per_node = state.rules->pods.counters[rule.counter].per_node;
    const bool too_few = around.domains < rule.min_domains;
    const int least_other = too_few ? 0 : around.least_other;
    if (!rule.counts_itself) {
        const int least = too_few ? 0 : std::min(least_other, around.here);
        return around.here - least <= rule.max_skew ? PodBound{} : none_at_all;
    }
    // As long as this is the emptiest domain the least rises with it; from then on the others stop.
    if (least_other == unbounded) return {};
    const std::int64_t most = std::int64_t{rule.max_skew} + least_other - around.here;
    if (most <= 0) return none_at_all;
    return per_node ? PodBound{.per_node = most} : PodBound{.in_all = most};
}

PodBound bound_of(const Placement::State& state, Slot slot, const AttachRule& rule) {
    const auto limit = state.attach_limit(slot, rule.driver);
    if (!limit) return {};
    const ProfileId profile = state.slots[slot].profile;
    const auto more = std::count_if(rule.volumes.begin(), rule.volumes.end(), [&](CounterId id) {
        return state.tally.at(id, slot, profile) == 0;
    });
    // Pods of one class use the same volumes: what the first attaches serves all.
    const bool fits = more == 0 || attached(state, slot, rule.driver) + more <= std::max(*limit, 0);
    return fits ? PodBound{} : none_at_all;
}

PodBound allowed_bound(const Placement::State& state, Subject subject, Slot slot) {
    const auto domain = state.spread_domain(subject, state.slots[slot].profile);
    if (!domain) return none_at_all;
    return {.in_all = state.allowances.left(subject)[*domain]};
}

PodBound bound_of(const Placement::State& state, Subject subject, Slot slot,
                  const PodRules& rules) {
    PodBound all;
    if (!narrow(state, slot, rules.apart, all) || !narrow(state, slot, rules.ports, all) ||
        !narrow(state, slot, rules.claims, all) || !narrow(state, slot, rules.attach, all))
        return none_at_all;
    const bool is_allowed = state.allowances.has(subject);
    for (std::uint32_t i = 0; i < rules.spread.size(); ++i) {
        narrow(all, is_allowed && rules.wide == i ? allowed_bound(state, subject, slot)
                                                  : bound_of(state, slot, rules.spread[i]));
        if (all.refuses()) return none_at_all;
    }
    if (!rules.together.counters.empty()) narrow(all, bound_of(state, slot, rules.together));
    return all;
}

}  // namespace capstan::engine
