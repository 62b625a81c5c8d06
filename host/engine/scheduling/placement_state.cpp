#include "engine/scheduling/placement_state.hpp"

#include <algorithm>

namespace capstan::engine {

Placement::State::State(const Rules::Compiled& the_rules)
    : rules(&the_rules), capacity(the_rules.requests.columns().size()) {
    const Cluster& cluster = rules->cluster;
    const auto columns = rules->requests.columns();
    std::vector<std::int64_t> row(columns.size());
    slots.reserve(cluster.node_count());
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        const auto allocatable = cluster.allocatable(node);
        const auto requested = cluster.requested(node);
        std::transform(columns.begin(), columns.end(), row.begin(), [&](ResourceIndex resource) {
            return allocatable[resource] - requested[resource];
        });
        capacity.push(row);
        slots.push_back({.profile = rules->profiles.of_node(node)});
    }
}

Slot Placement::State::add(ShapeId shape, int nodes) {
    const auto slot = static_cast<Slot>(slots.size());
    slots.push_back({.nodes = nodes, .profile = rules->profiles.of_shape(shape), .shape = shape});
    capacity.push(rules->shape_row(shape));
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
    log.push_back({.kind = Record::Kind::split, .slot = slot, .other = from, .count = nodes});
    return slot;
}

void Placement::State::close(Slot slot) {
    if (slots[slot].closed) return;
    slots[slot].closed = true;
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
    slots[slot].last_placed = number;
    put(subject, slot, per_node);
}

void Placement::State::put(Subject subject, Slot slot, int per_node) {
    capacity.take(slot, rules->requests.needs(subject), per_node);
}

void Placement::State::undo(std::size_t mark) {
    while (log.size() > mark) {
        take_back(log.back());
        log.pop_back();
    }
}

void Placement::State::take_back(const Record& record) {
    SlotFacts& slot = slots[record.slot];
    switch (record.kind) {
        case Record::Kind::placed:
            put(record.subject, record.slot, -record.count);
            slot.last_placed = record.other;
            return;
        case Record::Kind::split:
            slots[record.other].nodes += record.count;
            slots.pop_back();
            capacity.pop();
            return;
        case Record::Kind::added:
            slots.pop_back();
            capacity.pop();
            return;
        case Record::Kind::closed: slot.closed = false; return;
    }
}

Room Placement::State::room(Subject subject, Slot slot, int wanted) const {
    const SlotFacts& facts = slots[slot];
    if (wanted <= 0 || facts.closed || verdict(subject, slot) != Predicate::none) return {};
    const int per_node = capacity.times(slot, rules->requests.needs(subject), wanted);
    const auto in_all = std::min(std::int64_t{per_node} * facts.nodes, std::int64_t{wanted});
    return {.per_node = per_node, .in_all = static_cast<int>(in_all)};
}

}  // namespace capstan::engine
