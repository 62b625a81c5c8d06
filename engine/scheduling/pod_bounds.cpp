#include "engine/scheduling/pod_bounds.hpp"

#include <algorithm>
#include <string>

#include "engine/scheduling/predicates/node_ports.hpp"
#include "engine/scheduling/predicates/node_volume_limits.hpp"
#include "engine/scheduling/predicates/volume_restrictions.hpp"

namespace capstan::engine::scheduling {
namespace {

/// Calls `act(volume)` for each volume of the driver that the slot's nodes have attached, as far as
/// the limit counts them.
template <class Act>
void visit_attached(const Placement::State& state, Slot slot, std::uint32_t driver,
                    const AttachLimit& limit, Act act) {
    const InterPodIndex& inter_pod = state.predicates->pods;
    for (const TopologyCounts::Entry& entry : state.topology_counts.on(slot)) {
        const Counter& counter = inter_pod.counters[entry.counter];
        if (counter.what != Counted::with_volume) continue;
        const AttachedVolume& volume = inter_pod.volumes[counter.which];
        if (volume.driver == driver && limit.counts(volume)) act(volume);
    }
}

const AttachedVolume& volume_of(const Placement::State& state, CounterId id) {
    const InterPodIndex& inter_pod = state.predicates->pods;
    return inter_pod.volumes[inter_pod.counters[id].which];
}

void narrow(PodBound& all, const PodBound& more) {
    all.per_node = std::min(all.per_node, more.per_node);
    all.in_all = std::min(all.in_all, more.in_all);
    all.one_node = all.one_node || more.one_node;
}

/// Narrows `all` by each rule; false: no further pod is left.
template <class List>
bool narrow(const Placement::State& state, Slot slot, const List& rules, PodBound& all) {
    for (const auto& rule : rules) {
        narrow(all, bound_of(state, slot, rule));
        if (all.refuses()) return false;
    }
    return true;
}

}  // namespace

PodBound bound_of(const Placement::State& state, Slot slot, const ForbiddenRule& rule) {
    const ProfileId profile = state.slots[slot].profile;
    if (state.topology_counts.at(rule.counter, slot, profile) > 0) return none_at_all;
    if (!rule.counts_itself || !state.topology_counts.counts(rule.counter, profile)) return {};
    const bool per_node = state.predicates->pods.counters[rule.counter].per_node;
    return {.per_node = 1, .in_all = per_node ? unbounded : 1};
}

PodBound bound_of(const Placement::State& state, Slot slot, const AffinityRule& rule) {
    const ProfileId profile = state.slots[slot].profile;
    bool all_there = true, any_anywhere = false, node_by_node = false;
    for (const CounterId id : rule.counters) {
        if (!state.topology_counts.counts(id, profile)) return none_at_all;
        all_there = all_there && state.topology_counts.at(id, slot, profile) > 0;
        any_anywhere = any_anywhere || state.topology_counts.total(id) > 0;
        node_by_node = node_by_node || state.predicates->pods.counters[id].per_node;
    }
    if (all_there) return {};
    if (any_anywhere || !rule.counts_itself) return none_at_all;
    // The first pod decides the domain of all others. If a domain is a node, all go to that node.
    // The other bounds say how many.
    return {.one_node = node_by_node};
}

PodBound bound_of(const Placement::State& state, Slot slot, const SpreadRule& rule) {
    const TopologyCounts::Place place = state.place_of(slot);
    if (!state.topology_counts.counts(rule.counter, place.profile)) return none_at_all;
    const DomainCounts counts = state.topology_counts.domain_counts(rule.counter, place);
    const bool per_node = state.predicates->pods.counters[rule.counter].per_node;
    const bool too_few = counts.domains < rule.min_domains;
    const int least_other = too_few ? 0 : counts.least_other;
    if (!rule.counts_itself) {
        const int least = too_few ? 0 : std::min(least_other, counts.here);
        return counts.here - least <= rule.max_skew ? PodBound{} : none_at_all;
    }
    // While this domain is the emptiest, the least count rises with it. After that the emptiest
    // other domain is the limit.
    if (least_other == unbounded) return {};
    const std::int64_t most = std::int64_t{rule.max_skew} + least_other - counts.here;
    if (most <= 0) return none_at_all;
    return per_node ? PodBound{.per_node = most} : PodBound{.in_all = most};
}

PodBound bound_of(const Placement::State& state, Slot slot, const AttachRule& rule) {
    const AttachLimit& limit = state.attach_limit(slot, rule.driver);
    if (!limit.volumes) return {};
    const ProfileId profile = state.slots[slot].profile;
    const auto more = std::ranges::count_if(rule.volumes, [&](CounterId id) {
        return limit.counts(volume_of(state, id)) &&
               state.topology_counts.at(id, slot, profile) == 0;
    });
    if (more == 0) return {};
    // Pods of one pod group use the same volumes: what the first attaches serves all.
    std::ptrdiff_t there = 0;
    visit_attached(state, slot, rule.driver, limit, [&](const AttachedVolume&) { ++there; });
    return there + more <= std::max(*limit.volumes, 0) ? PodBound{} : none_at_all;
}

PodBound allowed_bound(const Placement::State& state, PodGroupIndex pod_group, Slot slot) {
    const auto domain = state.spread_domain(pod_group, state.slots[slot].profile);
    if (!domain) return none_at_all;
    return {.in_all = state.spread_quotas.left(pod_group)[*domain]};
}

PodBound bound_of(const Placement::State& state, PodGroupIndex pod_group, Slot slot,
                  const PodRules& rules) {
    PodBound all;
    if (!narrow(state, slot, rules.anti_affinity, all) || !narrow(state, slot, rules.ports, all) ||
        !narrow(state, slot, rules.claims, all) || !narrow(state, slot, rules.attach, all))
        return none_at_all;
    const bool is_allowed = state.spread_quotas.has(pod_group);
    for (std::uint32_t i = 0; i < rules.spread.size(); ++i) {
        narrow(all, is_allowed && rules.wide == i ? allowed_bound(state, pod_group, slot)
                                                  : bound_of(state, slot, rules.spread[i]));
        if (all.refuses()) return none_at_all;
    }
    if (!rules.affinity.counters.empty()) narrow(all, bound_of(state, slot, rules.affinity));
    return all;
}

namespace {

using State = Placement::State;

const TopologyDomains& topology_of(const State& state, CounterId id) {
    const InterPodIndex& inter_pod = state.predicates->pods;
    return inter_pod.topologies[inter_pod.counters[id].topology];
}

/// "zone=a", or "this node".
std::string domain_text(const State& state, CounterId id, Slot slot) {
    const TopologyDomains& topology = topology_of(state, id);
    if (topology.per_node) return "this node";
    const std::int32_t domain = topology.domain_of[state.slots[slot].profile];
    return topology.key + "=" +
           state.predicates->pods.topologies.value(state.predicates->pods.counters[id].topology,
                                                   domain);
}

/// "2 pods with app=web in namespace a"
std::string pods_text(const State& state, CounterId id, int count) {
    const InterPodIndex& inter_pod = state.predicates->pods;
    const Counter& counter = inter_pod.counters[id];
    const std::string number = std::to_string(count) + " of the ";
    if (counter.what == Counted::in_set)
        return number + inter_pod.terms.sets.describe(counter.which);
    return std::to_string(count) + " of the pods with anti-affinity to " +
           inter_pod.terms.sets.describe(inter_pod.terms.anti_affinity[counter.which].set);
}

std::string describe_rule(const State& state, Slot slot, const ForbiddenRule& rule) {
    const std::string_view what = rule.others_term
                                      ? "node(s) didn't satisfy existing pods anti-affinity rules: "
                                      : "node(s) didn't match pod anti-affinity rules: ";
    const int there = state.topology_counts.at(rule.counter, slot, state.slots[slot].profile);
    return std::string(what) + domain_text(state, rule.counter, slot) + " has " +
           pods_text(state, rule.counter, there);
}

std::string describe_rule(const State& state, Slot slot, const AffinityRule& rule) {
    const ProfileId profile = state.slots[slot].profile;
    std::string what = "node(s) didn't match pod affinity rules: ";
    for (const CounterId id : rule.counters) {
        if (!state.topology_counts.counts(id, profile))
            return what + "the node has no label " + topology_of(state, id).key;
    }
    for (const CounterId id : rule.counters) {
        if (state.topology_counts.at(id, slot, profile) > 0) continue;
        const InterPodIndex& inter_pod = state.predicates->pods;
        return what + domain_text(state, id, slot) + " has none of the " +
               inter_pod.terms.sets.describe(inter_pod.counters[id].which);
    }
    return what;
}

/// A note for constraints that are not in the pod's own spec.
std::string_view source_of(const SpreadRule& rule) {
    return rule.is_default ? " (default constraint of the scheduler)" : "";
}

std::string describe_rule(const State& state, Slot slot, const SpreadRule& rule) {
    const std::string what = "node(s) didn't match pod topology spread constraints";
    const TopologyCounts::Place place = state.place_of(slot);
    if (!state.topology_counts.counts(rule.counter, place.profile)) {
        return what + " (missing required label): " + topology_of(state, rule.counter).key +
               std::string(source_of(rule));
    }
    const DomainCounts counts = state.topology_counts.domain_counts(rule.counter, place);
    const bool too_few = counts.domains < rule.min_domains;
    const int least = too_few ? 0 : std::min(counts.least_other, counts.here);
    std::string out = what + ": " + domain_text(state, rule.counter, slot) + " has " +
                      std::to_string(counts.here) + ", the minimum is " + std::to_string(least);
    if (too_few) {
        out += " because only " + std::to_string(counts.domains) + " of " +
               std::to_string(rule.min_domains) + " domains exist (minDomains)";
    }
    return out + ", maxSkew " + std::to_string(rule.max_skew) + std::string(source_of(rule));
}

std::string text_of_port(const State& state, const ForbiddenRule& rule) {
    const InterPodIndex& inter_pod = state.predicates->pods;
    const snapshot::HostPort& port = inter_pod.ports[inter_pod.counters[rule.counter].which];
    return check_node_ports({&port, 1}, {&port, 1}).value_or("");
}

std::string text_of_claim(const State& state, const ForbiddenRule& rule) {
    const InterPodIndex& inter_pod = state.predicates->pods;
    const std::string& claim = inter_pod.claims[inter_pod.counters[rule.counter].which];
    const VolumeNeeds needs{.exclusive = {claim}};
    return check_volume_restrictions(needs, {claim}).value_or("");
}

std::string describe_rule(const State& state, Slot slot, const AttachRule& rule) {
    const std::string& driver = state.predicates->pods.drivers[rule.driver];
    const AttachLimit& limit = state.attach_limit(slot, rule.driver);
    VolumesByDriver wanted, there;
    for (const CounterId id : rule.volumes) {
        const AttachedVolume& volume = volume_of(state, id);
        if (limit.counts(volume)) wanted[driver].insert(volume.handle);
    }
    visit_attached(state, slot, rule.driver, limit,
                   [&](const AttachedVolume& volume) { there[driver].insert(volume.handle); });
    return check_node_volume_limits(wanted, there, {{driver, limit.volumes}}).value_or("");
}

template <class List>
auto find_refusing(const State& state, Slot slot, const List& rules) {
    const auto at = std::find_if(rules.begin(), rules.end(), [&](const auto& rule) {
        return bound_of(state, slot, rule).refuses();
    });
    return at == rules.end() ? nullptr : &*at;
}

std::string why_not_spread(const State& state, PodGroupIndex pod_group, Slot slot,
                           const PodRules& rules) {
    for (std::uint32_t i = 0; i < rules.spread.size(); ++i) {
        const SpreadRule& rule = rules.spread[i];
        if (state.spread_quotas.has(pod_group) && rules.wide == i) {
            if (!allowed_bound(state, pod_group, slot).refuses()) continue;
            return "node(s) didn't match pod topology spread constraints: no more pods are allowed "
                   "in this " +
                   topology_of(state, rule.counter).key;
        }
        if (bound_of(state, slot, rule).refuses()) return describe_rule(state, slot, rule);
    }
    return {};
}

std::string why_not_affinity(const State& state, Slot slot, const PodRules& rules) {
    if (!rules.affinity.counters.empty() && bound_of(state, slot, rules.affinity).refuses())
        return describe_rule(state, slot, rules.affinity);
    // Terms of other pods have no order of their own, so the sentence that sorts first is taken.
    std::string first;
    for (const ForbiddenRule& rule : rules.anti_affinity) {
        if (!bound_of(state, slot, rule).refuses()) continue;
        std::string text = describe_rule(state, slot, rule);
        if (!rule.others_term) return text;
        if (first.empty() || text < first) first = std::move(text);
    }
    return first;
}

}  // namespace

Refusal why_not(const Placement::State& state, PodGroupIndex pod_group, Slot slot,
                const PodRules& rules) {
    if (const ForbiddenRule* port = find_refusing(state, slot, rules.ports))
        return {Predicate::node_ports, text_of_port(state, *port)};
    if (const ForbiddenRule* claim = find_refusing(state, slot, rules.claims))
        return {Predicate::volume_restrictions, text_of_claim(state, *claim)};
    if (const AttachRule* attach = find_refusing(state, slot, rules.attach))
        return {Predicate::node_volume_limits, describe_rule(state, slot, *attach)};
    if (auto text = why_not_spread(state, pod_group, slot, rules); !text.empty())
        return {Predicate::pod_topology_spread, std::move(text)};
    if (auto text = why_not_affinity(state, slot, rules); !text.empty())
        return {Predicate::inter_pod_affinity, std::move(text)};
    return {};
}

}  // namespace capstan::engine::scheduling
