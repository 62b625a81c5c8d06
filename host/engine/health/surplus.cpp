#include "engine/health/surplus.hpp"

#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/backoff.hpp"
#include "engine/health/sizes.hpp"

namespace capstan::engine {
namespace {

Surplus overdue_requests(const GroupFigures& group, const Memory& memory, Time now) {
    const auto n = std::ssize(find_overdue(group, MachineFate::requested, memory, now));
    return {static_cast<int>(n), counted(n, "machine") + " asked for more than " +
                                     format_duration(group.limit) + " ago"};
}

std::string why_wrong(const GroupFigures& group, const WrongSize& size, const Memory& memory,
                      Time now) {
    if (is_of_time_out(size, group.id(), memory, now))
        return find_backoff(memory, group.id(), now)->because;
    const int there = group.machines.real();
    return "its target of " + std::to_string(size.expected) + " has been out of reach for " +
           format_duration(group.limit) + ", " + counted(there, "machine") +
           (there == 1 ? " is" : " are") + " there";
}

Surplus wrong_size(const GroupFigures& group, const Memory& memory, Time now) {
    const auto at = memory.wrong_sizes.find(group.id());
    if (at == memory.wrong_sizes.end() || at->second.expected != group.target()) return {};
    if (!is_due(at->second, group, memory, now)) return {};
    return {at->second.expected - at->second.current, why_wrong(group, at->second, memory, now)};
}

}  // namespace

bool keeps_one(const GroupFigures& group, const Memory& memory, Time now) noexcept {
    const Backoff* backoff = find_backoff(memory, group.id(), now);
    return backoff != nullptr && !backoff->until;
}

std::string why_failed(const GroupFigures& group, const MachinePlaces& machines) {
    const auto& error = group.group->machines[machines.front()].error;
    return counted(std::ssize(machines), "machine") +
           " failed: " + (error ? error->message : "the cloud could not make it");
}

Surplus failed_requests(const GroupFigures& group, const Memory& memory, Time now) {
    const MachinePlaces failed = find_machines(group, MachineFate::failed_request);
    if (failed.empty()) return {};
    return {static_cast<int>(failed.size()) - (keeps_one(group, memory, now) ? 1 : 0),
            why_failed(group, failed)};
}

Surplus long_outstanding(const GroupFigures& group, const Memory& memory, Time now) {
    Surplus overdue = overdue_requests(group, memory, now);
    Surplus wrong = wrong_size(group, memory, now);
    return std::move(wrong.machines > overdue.machines ? wrong : overdue);
}

}  // namespace capstan::engine
