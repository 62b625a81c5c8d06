#include <utility>

#include "engine/scheduling/placement_state.hpp"
#include "engine/scheduling/pod_reasons.hpp"
#include "engine/scheduling/predicates/node_resources_fit.hpp"

namespace capstan::engine {
namespace {

std::optional<std::string> describe_shortages(const Placement::State& state, Subject subject,
                                              Slot slot, Wording wording) {
    const Rules::Compiled& rules = *state.rules;
    const ShapeId shape = state.slots[slot].shape;
    const auto needs = rules.requests.needs(subject);
    std::vector<ResourceFacts> facts;
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
        if (wording == Wording::brief) return in_short(one);
        facts.push_back(one);
    }
    return check_node_resources_fit(facts);
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
    if (auto why = describe_shortages(*this, subject, slot, wording))
        add({Predicate::node_resources_fit, *std::move(why)});
    if (const PodRules* own = rules->pods.find(subject))
        add(engine::why_not(*this, subject, slot, *own));
    return first;
}

}  // namespace capstan::engine
