#include "engine/scheduling/placement.hpp"

#include <algorithm>
#include <utility>

#include <capstan/detail/int128.hpp>

#include "engine/scheduling/placement_state.hpp"
#include "engine/scheduling/pod_bounds.hpp"
#include "engine/scheduling/predicates/node_affinity.hpp"
#include "engine/scheduling/predicates/node_resources_fit.hpp"

namespace capstan::engine::scheduling {

Placement::Placement(CompiledPredicates& predicates)
    : predicates_(&predicates), state_(std::make_unique<State>(predicates.data())) {}
Placement::Placement(const Placement& other)
    : predicates_(other.predicates_), state_(std::make_unique<State>(*other.state_)) {}
Placement& Placement::operator=(const Placement& other) { return *this = Placement(other); }
Placement::Placement(Placement&&) noexcept = default;
Placement& Placement::operator=(Placement&&) noexcept = default;
Placement::~Placement() = default;

std::size_t Placement::slot_count() const noexcept { return state_->slots.size(); }
int Placement::nodes(Slot slot) const noexcept { return state_->slots[slot].nodes; }

std::optional<TemplateNodeId> Placement::template_node(Slot slot) const noexcept {
    const TemplateNodeId template_node = state_->slots[slot].template_node;
    return template_node == no_template_node ? std::nullopt : std::optional(template_node);
}

std::int64_t Placement::free(Slot slot, ResourceIndex resource) const noexcept {
    const CompiledPredicates::PredicateData& predicates = *state_->predicates;
    if (const auto column = predicates.requests.find_column(resource))
        return state_->capacity.free(slot, *column);
    // A resource that no pod group requests has no column, and placing pods does not change it.
    if (const TemplateNodeId template_node = state_->slots[slot].template_node;
        template_node != no_template_node)
        return engine::scheduling::free_on(predicates.cluster,
                                           predicates.template_nodes[template_node], resource);
    return predicates.free_on(slot, resource);
}

Slot Placement::add(TemplateNodeId template_node, int nodes) {
    return state_->add(template_node, nodes);
}
Slot Placement::split(Slot slot, int nodes) { return state_->split(slot, nodes); }
void Placement::close(Slot slot) { state_->close(slot); }
void Placement::set_draining(Slot closed, bool is_draining) {
    state_->set_draining(closed, is_draining);
}

Room Placement::room(PodGroupIndex pod_group, Slot slot, int wanted) const {
    return state_->room(pod_group, slot, wanted);
}

std::optional<Slot> Placement::find(PodGroupIndex pod_group, Slot from, Slot end) const {
    const std::optional<Found> found = find_room(pod_group, from, end, 1);
    return found ? std::optional(found->slot) : std::nullopt;
}

std::optional<Found> Placement::find_room(PodGroupIndex pod_group, Slot from, Slot end,
                                          int wanted) const {
    const State& state = *state_;
    Found found;
    const auto has_room = [&](Slot slot) {
        found = {.slot = slot, .room = state.room(pod_group, slot, wanted)};
        return found.room.in_all > 0;
    };
    const auto needs = state.predicates->requests.needs(pod_group);
    return state.capacity.find(needs, from, end, has_room) ? std::optional(found) : std::nullopt;
}

void Placement::place(PodGroupIndex pod_group, Slot slot, int per_node) {
    state_->place(pod_group, slot, per_node);
}

std::vector<Assignment> Placement::assignments(Slot slot) const {
    std::vector<Assignment> out;
    const auto& log = state_->log;
    for (auto at = state_->slots[slot].last_placed; at != no_record; at = log[at].other)
        out.push_back({log[at].pod_group, log[at].count, at});
    return out;
}

Refusal Placement::why_not(PodGroupIndex pod_group, Slot slot, Wording wording) const {
    return state_->why_not(pod_group, slot, wording);
}

Refusal Placement::why_not_new(PodGroupIndex pod_group, TemplateNodeId template_node,
                               Distance* distance) const {
    const std::size_t before = state_->log.size();
    const Slot slot = state_->add(template_node, 1);
    int failing = 0;
    Refusal refusal = state_->why_not(pod_group, slot, Wording::full, &failing);
    if (distance != nullptr && refusal.predicate != Predicate::none) {
        const CompiledPredicates::PredicateData& predicates = *state_->predicates;
        const NodeDemand& demand = predicates.demands[predicates.demand_of[pod_group]];
        const NodeFacts node = predicates.profiles[state_->slots[slot].profile].facts();
        *distance = {.failing = failing + count_failing(demand, node),
                     .is_selected = selects(*demand.spec, node)};
    }
    state_->undo(before);
    return refusal;
}

Placement::Mark Placement::mark() const noexcept { return state_->log.size(); }
void Placement::undo(Mark mark) { state_->undo(mark); }

namespace {

/// What is missing, in thousandths of what is wanted.
int shortfall_of(const ResourceFacts& facts) {
    const std::int64_t free = std::max<std::int64_t>(facts.allocatable - facts.requested, 0);
    const auto missing = detail::Int128{facts.wanted} - std::min(free, facts.wanted);
    return static_cast<int>(missing * 1000 / std::max<std::int64_t>(facts.wanted, 1));
}

/// Predicate::none: all resources suffice.
Refusal describe_shortages(const Placement::State& state, PodGroupIndex pod_group, Slot slot,
                           Wording wording) {
    const CompiledPredicates::PredicateData& predicates = *state.predicates;
    const TemplateNodeId template_node = state.slots[slot].template_node;
    const auto needs = predicates.requests.needs(pod_group);
    std::vector<ResourceFacts> facts;
    bool is_left = false;  // some room would be enough if the pod preempted others
    Refusal out{.predicate = Predicate::node_resources_fit};
    for (std::size_t i = 0; i < needs.size(); ++i) {
        const ResourceIndex resource = predicates.requests.requests(pod_group)[i].resource;
        const std::string_view name = predicates.cluster.resource_name(resource);
        const std::int64_t allocatable =
            template_node == no_template_node
                ? predicates.allocatable(slot, resource)
                : predicates.template_nodes[template_node].allocatable.amount(name);
        ResourceFacts one{.name = name,
                          .wanted = needs[i].amount,
                          .allocatable = allocatable,
                          .requested = allocatable - state.free_for(pod_group, slot, i)};
        if (is_sufficient(one)) continue;
        if (template_node != no_template_node && wording == Wording::full)
            one.daemons = allocatable - engine::scheduling::free_on(
                                            predicates.cluster,
                                            predicates.template_nodes[template_node], resource);
        is_left |= needs[i].amount <= state.capacity.free(slot, needs[i].column);
        if (out.subject.empty()) out.subject = name;
        out.shortfall = std::max(out.shortfall, shortfall_of(one));
        facts.push_back(one);
        if (wording == Wording::brief) break;
    }
    if (facts.empty()) return {};
    out.sentence = wording == Wording::brief ? brief_text(facts.front())
                                             : check_node_resources_fit(facts).value_or("");
    if (is_left && wording == Wording::full)
        out.sentence += "; expendable pods are not preempted (preemptionPolicy Never)";
    return out;
}

}  // namespace

Refusal Placement::State::why_not(PodGroupIndex pod_group, Slot slot, Wording wording,
                                  int* failing) const {
    if (slots[slot].closed)
        return {Predicate::node_unschedulable, "node(s) were unschedulable: to be removed"};
    const NodeDemand& demand = predicates->demands[predicates->demand_of[pod_group]];
    Refusal first = ask(demand, predicates->profiles[slots[slot].profile].facts());
    const auto add = [&](Refusal other) {
        if (other.predicate == Predicate::none) return;
        if (failing != nullptr) ++*failing;
        if (first.predicate == Predicate::none || other.predicate < first.predicate)
            first = std::move(other);
    };
    add(describe_shortages(*this, pod_group, slot, wording));
    if (const PodRules* own = predicates->pods.find(pod_group))
        add(engine::scheduling::why_not(*this, pod_group, slot, *own));
    return first;
}

namespace {

const SpreadRule* find_wide(const CompiledPredicates::PredicateData& predicates,
                            PodGroupIndex pod_group) {
    const PodRules* own = predicates.pods.find(pod_group);
    return own != nullptr && own->wide ? &own->spread[*own->wide] : nullptr;
}

}  // namespace

std::optional<SpreadDomains> Placement::spread(PodGroupIndex pod_group) const {
    const CompiledPredicates::PredicateData& predicates = *state_->predicates;
    const SpreadRule* rule = find_wide(predicates, pod_group);
    if (rule == nullptr) return std::nullopt;
    const TopologyId topology = predicates.pods.counters[rule->counter].topology;
    SpreadDomains out{.topology_key = predicates.pods.topologies[topology].key,
                      .max_skew = rule->max_skew,
                      .min_domains = rule->min_domains,
                      .counts_itself = rule->counts_itself,
                      .counter = rule->counter,
                      .counted_pod_groups = predicates.pods.contributing_pod_groups[rule->counter],
                      .domains = {}};
    for (const std::int32_t domain : predicates.pods.find(pod_group)->wide_domains) {
        out.domains.push_back(
            {.value = predicates.pods.topologies.value(topology, domain),
             .count = state_->topology_counts.in_domain(rule->counter, domain),
             .exists = state_->topology_counts.nodes_in(rule->counter, domain) > 0});
    }
    return out;
}

int Placement::missing_hosts(PodGroupIndex pod_group) const {
    const InterPodIndex& inter_pod = state_->predicates->pods;
    const PodRules* own = inter_pod.find(pod_group);
    if (own == nullptr) return 0;
    std::int64_t out = 0;
    for (const SpreadRule& rule : own->spread) {
        if (!inter_pod.counters[rule.counter].per_node) continue;
        out = std::max(out, rule.min_domains - state_->topology_counts.nodes_in(rule.counter, 0));
    }
    return static_cast<int>(out);
}

std::vector<bool> Placement::feasible_domains(PodGroupIndex pod_group) const {
    const CompiledPredicates::PredicateData& predicates = *state_->predicates;
    if (find_wide(predicates, pod_group) == nullptr) return {};
    std::vector<bool> out(predicates.pods.find(pod_group)->wide_domains.size(), false);
    for (ProfileId profile = 0; profile < predicates.profiles.size(); ++profile) {
        const auto domain = state_->spread_domain(pod_group, profile);
        if (!domain || out[*domain]) continue;
        const Predicate refused =
            predicates.demands.verdict(predicates.demand_of[pod_group], profile);
        out[*domain] = refused == Predicate::none;
    }
    return out;
}

void Placement::allow(PodGroupIndex pod_group, std::uint32_t domain, int pods) {
    state_->allow(pod_group, domain, pods);
}

void Placement::disallow(PodGroupIndex pod_group) { state_->disallow(pod_group); }

std::optional<std::uint32_t> Placement::domain_of(PodGroupIndex pod_group,
                                                  TemplateNodeId template_node) const {
    if (find_wide(*state_->predicates, pod_group) == nullptr) return std::nullopt;
    return state_->spread_domain(pod_group,
                                 state_->predicates->profiles.of_template_node(template_node));
}

}  // namespace capstan::engine::scheduling
