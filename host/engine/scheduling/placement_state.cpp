#include "engine/scheduling/placement_state.hpp"

#include <algorithm>

#include "engine/scheduling/pod_bounds.hpp"
#include "engine/scheduling/standing.hpp"

namespace capstan::engine {

Placement::State::State(const Rules::Compiled& the_rules)
    : rules(&the_rules), capacity(the_rules.requests.columns().size()), tally(the_rules.standing) {
    const Cluster& cluster = rules->cluster;
    const auto columns = rules->requests.columns();
    std::vector<std::int64_t> row(columns.size());
    slots.reserve(cluster.node_count());
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        std::transform(columns.begin(), columns.end(), row.begin(),
                       [&](ResourceIndex resource) { return rules->free_on(node, resource); });
        capacity.push(row);
        slots.push_back({.profile = rules->profiles.of_node(node)});
    }
}

Slot Placement::State::add(ShapeId shape, int nodes) {
    const auto slot = static_cast<Slot>(slots.size());
    slots.push_back({.nodes = nodes, .profile = rules->profiles.of_shape(shape), .shape = shape});
    capacity.push(rules->shape_row(shape));
    if (counts()) {
        tally.push(place_of(slot));
        count_daemons(tally, rules->pods, rules->shapes[shape], place_of(slot), 1);
    }
    log.push_back({.kind = Record::Kind::added, .slot = slot});
    return slot;
}

Slot Placement::State::split(Slot from, int nodes) {
    const auto slot = static_cast<Slot>(slots.size());
    slots[from].nodes -= nodes;
    slots.push_back(slots[from]);
    slots[slot].nodes = nodes;
    // A copy: pushing may move what the row of `from` is a view of.
    const auto row = capacity.row(from);
    capacity.push(std::vector<std::int64_t>(row.begin(), row.end()));
    if (counts()) tally.split(from);
    log.push_back({.kind = Record::Kind::split, .slot = slot, .other = from, .count = nodes});
    return slot;
}

void Placement::State::close(Slot slot) {
    if (slots[slot].closed) return;
    slots[slot].closed = true;
    count_all_on(slot, -1);
    log.push_back({.kind = Record::Kind::closed, .slot = slot});
}

void Placement::State::place(Subject subject, Slot slot, int per_node) {
    if (per_node == 0) return;
    const auto number = static_cast<std::uint32_t>(log.size());
    log.push_back({.kind = Record::Kind::placed,
                   .slot = slot,
                   .other = slots[slot].last_placed,
                   .subject = subject,
                   .count = per_node});
    if (counts() && !is_open(slot)) tally.open(place_of(slot));
    slots[slot].last_placed = number;
    put(subject, slot, per_node);
}

void Placement::State::put(Subject subject, Slot slot, int per_node) {
    capacity.take(slot, rules->requests.needs(subject), per_node);
    for (const CounterId id : rules->pods.added_by(rules->subjects[subject]))
        tally.count(id, place_of(slot), per_node);
    if (!allowances.has(subject)) return;
    if (const auto domain = spread_domain(subject, slots[slot].profile))
        allowances.use(subject, *domain, per_node * slots[slot].nodes);
}

void Placement::State::count_all_on(Slot slot, int times) {
    if (!counts()) return;
    const Tally::Place place = place_of(slot);
    const ShapeId shape = slots[slot].shape;
    if (shape == no_shape)
        count_bound(tally, rules->cluster, rules->pods, slot, place, times);
    else
        count_daemons(tally, rules->pods, rules->shapes[shape], place, times);
    for (auto at = slots[slot].last_placed; at != no_record; at = log[at].other) {
        for (const CounterId id : rules->pods.added_by(rules->subjects[log[at].subject]))
            tally.count(id, place, times * log[at].count);
    }
    tally.count_nodes(place, times);
}

void Placement::State::allow(Subject subject, std::uint32_t domain, int pods) {
    allowances.set(subject, domain, pods, rules->pods.find(subject)->wide_domains.size());
    log.push_back({.kind = Record::Kind::allowances});
}

void Placement::State::disallow(Subject subject) {
    allowances.end(subject);
    log.push_back({.kind = Record::Kind::allowances});
}

void Placement::State::undo(std::size_t mark) {
    const std::size_t before = slots.size();
    while (log.size() > mark) {
        const Record record = log.back();
        log.pop_back();
        take_back(record);
    }
    if (slots.size() != before) capacity.settle();
}

void Placement::State::take_back(const Record& record) {
    // Of no slot, and there may be none.
    if (record.kind == Record::Kind::allowances) return allowances.undo();
    SlotFacts& slot = slots[record.slot];
    switch (record.kind) {
        case Record::Kind::placed:
            put(record.subject, record.slot, -record.count);
            slot.last_placed = record.other;
            if (counts() && !is_open(record.slot)) tally.shut(place_of(record.slot));
            return;
        case Record::Kind::split:
            slots[record.other].nodes += record.count;
            if (counts()) tally.unsplit();
            return drop_last_slot();
        case Record::Kind::added:
            if (counts()) {
                const Tally::Place place = place_of(record.slot);
                count_daemons(tally, rules->pods, rules->shapes[slot.shape], place, -1);
                tally.pop(place);
            }
            return drop_last_slot();
        case Record::Kind::closed: slot.closed = false; return count_all_on(record.slot, 1);
        case Record::Kind::allowances: return;
    }
}

void Placement::State::drop_last_slot() {
    slots.pop_back();
    capacity.pop();
}

std::optional<int> Placement::State::attach_limit(Slot slot, std::uint32_t driver) const noexcept {
    const ShapeId shape = slots[slot].shape;
    return shape == no_shape ? rules->pods.node_limit(slot, driver)
                             : rules->pods.shape_limit(shape, driver);
}

std::optional<std::uint32_t> Placement::State::spread_domain(Subject subject,
                                                             ProfileId profile) const noexcept {
    const PodRules& own = *rules->pods.find(subject);
    const Counter& counter = rules->pods.counters[own.spread[*own.wide].counter];
    const std::int32_t domain = rules->pods.lanes[counter.lane].domain_of[profile];
    const auto at = std::lower_bound(own.wide_domains.begin(), own.wide_domains.end(), domain);
    if (domain == no_domain) return std::nullopt;
    return static_cast<std::uint32_t>(at - own.wide_domains.begin());
}

Room Placement::State::room(Subject subject, Slot slot, int wanted) const {
    const SlotFacts& facts = slots[slot];
    if (wanted <= 0 || facts.closed || verdict(subject, slot) != Predicate::none) return {};
    int per_node = capacity.times(slot, rules->requests.needs(subject), wanted);
    if (per_node == 0) return {};
    auto in_all = std::min(std::int64_t{per_node} * facts.nodes, std::int64_t{wanted});
    if (const PodRules* own = rules->pods.find(subject)) {
        const PodBound bound = bound_of(*this, subject, slot, *own);
        per_node = static_cast<int>(std::min(std::int64_t{per_node}, bound.per_node));
        in_all = std::min({in_all, bound.in_all, std::int64_t{per_node} * facts.nodes});
        if (bound.one_node) in_all = std::min(in_all, std::int64_t{per_node});
        if (in_all <= 0) return {};
        per_node = static_cast<int>(std::min(std::int64_t{per_node}, in_all));
    }
    return {.per_node = per_node, .in_all = static_cast<int>(in_all)};
}

}  // namespace capstan::engine
