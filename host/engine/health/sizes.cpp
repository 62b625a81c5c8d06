#include "engine/health/sizes.hpp"

#include "engine/health/backoff.hpp"

namespace capstan::engine {
namespace {

int fitting_size(const Memory& memory, const GroupFigures& group, int at_once, Time now) {
    const Backoff* backoff = find_backoff(memory, group.id(), now);
    // When capacity returns that one joins, and it is the only signal that ends the back-off.
    if (backoff != nullptr && !backoff->until)
        return group.machines.real() + (backoff->given_back ? 0 : 1);
    return at_once > 0 ? group.target() - at_once : group.machines.listed();
}

}  // namespace

void follow_size(Memory& memory, const GroupFigures& group, int at_once, Time now) {
    const int current = fitting_size(memory, group, at_once, now);
    const auto at = memory.wrong_sizes.find(group.id());
    if (current >= group.target()) {
        if (at != memory.wrong_sizes.end()) memory.wrong_sizes.erase(at);
        return;
    }
    const bool is_same = at != memory.wrong_sizes.end() && at->second.current == current &&
                         at->second.expected == group.target();
    if (is_same && at_once == 0) return;
    memory.wrong_sizes[group.id()] = {.current = current, .expected = group.target(), .since = now};
}

bool is_due(const WrongSize& size, const GroupFigures& group, const Memory& memory, Time now) {
    if (now - size.since > group.limit) return true;
    if (!is_of_time_out(size, group.id(), memory, now)) return false;
    // Later only where its cloud refused: a list may be late to show what was taken back.
    return find_backoff(memory, group.id(), now)->last_failure == now ||
           memory.decrease_backoffs.contains(group.id());
}

bool is_of_time_out(const WrongSize& size, const NodeGroupId& group, const Memory& memory,
                    Time now) {
    const Backoff* backoff = find_backoff(memory, group, now);
    return backoff != nullptr && backoff->code == ErrorCode::deadline &&
           size.since <= backoff->last_failure;
}

}  // namespace capstan::engine
