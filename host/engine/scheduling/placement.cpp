#include "engine/scheduling/placement.hpp"

#include <utility>

#include "engine/scheduling/placement_state.hpp"

namespace capstan::engine {

Placement::Placement(Rules& rules)
    : rules_(&rules), state_(std::make_unique<State>(rules.compiled())) {}
Placement::Placement(const Placement& other)
    : rules_(other.rules_), state_(std::make_unique<State>(*other.state_)) {}
Placement& Placement::operator=(const Placement& other) { return *this = Placement(other); }
Placement::Placement(Placement&&) noexcept = default;
Placement& Placement::operator=(Placement&&) noexcept = default;
Placement::~Placement() = default;

std::size_t Placement::slot_count() const noexcept { return state_->slots.size(); }
int Placement::nodes(Slot slot) const noexcept { return state_->slots[slot].nodes; }

std::optional<ShapeId> Placement::shape(Slot slot) const noexcept {
    const ShapeId shape = state_->slots[slot].shape;
    return shape == no_shape ? std::nullopt : std::optional(shape);
}

std::int64_t Placement::free(Slot slot, ResourceIndex resource) const noexcept {
    const Rules::Compiled& rules = *state_->rules;
    if (const auto column = rules.requests.find_column(resource))
        return state_->capacity.free(slot, *column);
    // What no subject requests stays as it was.
    if (const ShapeId shape = state_->slots[slot].shape; shape != no_shape)
        return engine::free_on(rules.cluster, rules.shapes[shape], resource);
    return rules.free_on(slot, resource);
}

Slot Placement::add(ShapeId shape, int nodes) { return state_->add(shape, nodes); }
Slot Placement::split(Slot slot, int nodes) { return state_->split(slot, nodes); }
void Placement::close(Slot slot) { state_->close(slot); }

Room Placement::room(Subject subject, Slot slot, int wanted) const {
    return state_->room(subject, slot, wanted);
}

std::optional<Slot> Placement::find(Subject subject, Slot from, Slot end) const {
    const std::optional<Found> found = find_room(subject, from, end, 1);
    return found ? std::optional(found->slot) : std::nullopt;
}

std::optional<Found> Placement::find_room(Subject subject, Slot from, Slot end, int wanted) const {
    const State& state = *state_;
    Found found;
    const auto has_room = [&](Slot slot) {
        found = {.slot = slot, .room = state.room(subject, slot, wanted)};
        return found.room.in_all > 0;
    };
    const auto needs = state.rules->requests.needs(subject);
    return state.capacity.find(needs, from, end, has_room) ? std::optional(found) : std::nullopt;
}

void Placement::place(Subject subject, Slot slot, int per_node) {
    state_->place(subject, slot, per_node);
}

std::vector<Seat> Placement::seats(Slot slot) const {
    std::vector<Seat> out;
    const auto& log = state_->log;
    for (auto at = state_->slots[slot].last_placed; at != no_record; at = log[at].other)
        out.push_back({log[at].subject, log[at].count, at});
    return out;
}

Refusal Placement::why_not(Subject subject, Slot slot, Wording wording) const {
    return state_->why_not(subject, slot, wording);
}

Refusal Placement::why_not_new(Subject subject, ShapeId shape) const {
    const std::size_t before = state_->log.size();
    const Slot slot = state_->add(shape, 1);
    Refusal refusal = state_->why_not(subject, slot, Wording::full);
    state_->undo(before);
    return refusal;
}

Placement::Mark Placement::mark() const noexcept { return state_->log.size(); }
void Placement::undo(Mark mark) { state_->undo(mark); }

}  // namespace capstan::engine
