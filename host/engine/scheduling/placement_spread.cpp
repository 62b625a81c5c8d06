#include <algorithm>

#include "engine/scheduling/placement_state.hpp"

namespace capstan::engine {
namespace {

const SpreadRule* find_wide(const Rules::Compiled& rules, Subject subject) {
    const PodRules* own = rules.pods.find(subject);
    return own != nullptr && own->wide ? &own->spread[*own->wide] : nullptr;
}

}  // namespace

std::optional<SpreadDomains> Placement::spread(Subject subject) const {
    const Rules::Compiled& rules = *state_->rules;
    const SpreadRule* rule = find_wide(rules, subject);
    if (rule == nullptr) return std::nullopt;
    const LaneId lane = rules.pods.counters[rule->counter].lane;
    SpreadDomains out{.topology_key = rules.pods.lanes[lane].key,
                      .max_skew = rule->max_skew,
                      .min_domains = rule->min_domains,
                      .counts_itself = rule->counts_itself,
                      .counter = rule->counter,
                      .counted_subjects = rules.pods.adders[rule->counter],
                      .domains = {}};
    for (const std::int32_t domain : rules.pods.find(subject)->wide_domains) {
        out.domains.push_back({.value = rules.pods.lanes.value(lane, domain),
                               .count = state_->tally.in_domain(rule->counter, domain),
                               .exists = state_->tally.nodes_in(rule->counter, domain) > 0});
    }
    return out;
}

int Placement::missing_hosts(Subject subject) const {
    const PodBook& book = state_->rules->pods;
    const PodRules* own = book.find(subject);
    if (own == nullptr) return 0;
    std::int64_t out = 0;
    for (const SpreadRule& rule : own->spread) {
        if (!book.counters[rule.counter].per_node) continue;
        out = std::max(out, rule.min_domains - state_->tally.nodes_in(rule.counter, 0));
    }
    return static_cast<int>(out);
}

std::vector<bool> Placement::open_domains(Subject subject) const {
    const Rules::Compiled& rules = *state_->rules;
    if (find_wide(rules, subject) == nullptr) return {};
    std::vector<bool> out(rules.pods.find(subject)->wide_domains.size(), false);
    for (ProfileId profile = 0; profile < rules.profiles.size(); ++profile) {
        const auto domain = state_->spread_domain(subject, profile);
        if (!domain || out[*domain]) continue;
        const Predicate refused = rules.demands.verdict(rules.demand_of[subject], profile);
        out[*domain] = refused == Predicate::none;
    }
    return out;
}

void Placement::allow(Subject subject, std::uint32_t domain, int pods) {
    state_->allow(subject, domain, pods);
}

void Placement::disallow(Subject subject) { state_->disallow(subject); }

std::optional<std::uint32_t> Placement::domain_of(Subject subject, ShapeId shape) const {
    if (find_wide(*state_->rules, subject) == nullptr) return std::nullopt;
    return state_->spread_domain(subject, state_->rules->profiles.of_shape(shape));
}

}  // namespace capstan::engine
