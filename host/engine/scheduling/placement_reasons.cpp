#include <algorithm>
#include <utility>

#include <capstan/detail/int128.hpp>

#include "engine/scheduling/placement_state.hpp"
#include "engine/scheduling/pod_reasons.hpp"
#include "engine/scheduling/predicates/node_resources_fit.hpp"

namespace capstan::engine {
namespace {

/// In thousandths of what is wanted.
int shortfall_of(const ResourceFacts& facts) {
    const std::int64_t free = std::max<std::int64_t>(facts.allocatable - facts.requested, 0);
    const auto missing = detail::Int128{facts.wanted} - std::min(free, facts.wanted);
    return static_cast<int>(missing * 1000 / std::max<std::int64_t>(facts.wanted, 1));
}

/// None: there is enough of all.
Refusal describe_shortages(const Placement::State& state, Subject subject, Slot slot,
                           Wording wording) {
    const Rules::Compiled& rules = *state.rules;
    const ShapeId shape = state.slots[slot].shape;
    const auto needs = rules.requests.needs(subject);
    std::vector<ResourceFacts> facts;
    Refusal out{.predicate = Predicate::node_resources_fit};
    for (std::size_t i = 0; i < needs.size(); ++i) {
        const ResourceIndex resource = rules.requests.requests(subject)[i].resource;
        const std::string_view name = rules.cluster.resource_name(resource);
        const std::int64_t allocatable = shape == no_shape
                                             ? rules.cluster.allocatable(slot)[resource]
                                             : rules.shapes[shape].allocatable.amount(name);
        const ResourceFacts one{
            .name = name,
            .wanted = needs[i].amount,
            .allocatable = allocatable,
            .requested = allocatable - state.capacity.free(slot, needs[i].column)};
        if (is_sufficient(one)) continue;
        if (out.subject.empty()) out.subject = name;
        out.shortfall = std::max(out.shortfall, shortfall_of(one));
        facts.push_back(one);
        if (wording == Wording::brief) break;
    }
    if (facts.empty()) return {};
    out.sentence = wording == Wording::brief ? in_short(facts.front())
                                             : check_node_resources_fit(facts).value_or("");
    return out;
}

}  // namespace

Refusal Placement::State::why_not(Subject subject, Slot slot, Wording wording) const {
    if (slots[slot].closed)
        return {Predicate::node_unschedulable, "node(s) were unschedulable: it is to go"};
    const NodeDemand& demand = rules->demands[rules->demand_of[subject]];
    Refusal first = ask(demand, rules->profiles[slots[slot].profile].facts());
    const auto add = [&](Refusal other) {
        if (other.predicate == Predicate::none) return;
        if (first.predicate == Predicate::none || other.predicate < first.predicate)
            first = std::move(other);
    };
    add(describe_shortages(*this, subject, slot, wording));
    if (const PodRules* own = rules->pods.find(subject))
        add(engine::why_not(*this, subject, slot, *own));
    return first;
}

}  // namespace capstan::engine
