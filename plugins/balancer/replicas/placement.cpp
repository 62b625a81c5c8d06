#include "placement.hpp"

#include <algorithm>

#include <capstan/detail/int128.hpp>

namespace capstan::replicas {
namespace {

/// Replicas of a target that will not start: its blocked pods, and those that are yet to be
/// created.
std::int64_t not_starting(const PlacedTarget& target, std::int64_t placed) {
    if (target.is_gone) return placed;
    if (target.blocked <= 0) return 0;
    return std::max<std::int64_t>(target.blocked + placed - target.total, 0);
}

/// Adds, and stops at the ends of the range. Only a Balancer with absurd numbers gets there.
void add(std::int64_t& sum, std::int64_t more) {
    sum = detail::saturated(detail::Int128(sum) + more);
}

bool is_healthy(const PlacedTarget& target) { return !target.is_gone && target.blocked <= 0; }

/// The targets that `order` names, each once.
std::vector<const PlacedTarget*> in_order(const PlacementRequest& request) {
    std::vector<const PlacedTarget*> out;
    for (const std::string& name : request.order) {
        const auto target = std::ranges::find(request.targets, name, &PlacedTarget::name);
        if (target == request.targets.end()) continue;
        if (std::ranges::count(out, &*target) == 0) out.push_back(&*target);
    }
    return out;
}

/// Moves as many of `rest` to the target as its maximum lets it take.
void take(const PlacedTarget& target, std::int64_t& rest, Placement& out) {
    std::int64_t& placed = out.replicas[target.name];
    const std::int64_t taken = std::clamp<std::int64_t>(target.max - placed, 0, rest);
    placed += taken;
    rest -= taken;
}

void place_by_priority(const PlacementRequest& request, std::int64_t rest, Placement& out) {
    const std::vector<const PlacedTarget*> order = in_order(request);
    const bool is_any_healthy =
        std::ranges::any_of(order, [](const PlacedTarget* target) { return is_healthy(*target); });
    std::int64_t nowhere = 0;
    const auto fall_back = [&](const PlacedTarget& target) {
        if (!request.falls_back) return;
        const std::int64_t extra = not_starting(target, out.replicas[target.name]);
        add(out.fallback, extra);
        add(is_any_healthy ? rest : nowhere, extra);
    };
    for (const PlacedTarget* target : order) {
        take(*target, rest, out);
        fall_back(*target);
    }
    for (const PlacedTarget& target : request.targets) {
        if (std::ranges::count(order, &target) == 0) fall_back(target);
    }
    for (const PlacedTarget* target : order) {
        if (is_healthy(*target)) take(*target, rest, out);
    }
    add(rest, nowhere);
    out.overflow = rest;
}

/// Hands `rest` out among the targets that `suits` picks; the answer is what is left.
template <class Suits>
std::int64_t fill(const PlacementRequest& request, std::int64_t rest, Placement& out, Suits suits) {
    std::vector<Sharer> sharers;
    for (const PlacedTarget& target : request.targets) {
        if (suits(target))
            sharers.push_back({target.name, target.weight, out.replicas[target.name], target.max});
    }
    const std::int64_t left = share_out(rest, sharers, request.rounding);
    for (const Sharer& sharer : sharers) out.replicas[std::string(sharer.name)] = sharer.has;
    return left;
}

void place_by_proportions(const PlacementRequest& request, std::int64_t rest, Placement& out) {
    rest = fill(request, rest, out, [](const PlacedTarget&) { return true; });
    out.overflow = rest;
    if (rest > 0 || !request.falls_back) return;
    for (const PlacedTarget& target : request.targets)
        add(out.fallback, not_starting(target, out.replicas[target.name]));
    out.overflow = fill(request, out.fallback, out, is_healthy);
}

}  // namespace

Placement place(const PlacementRequest& request) {
    Placement out;
    std::int64_t minimums = 0;
    for (const PlacedTarget& target : request.targets) {
        out.replicas[target.name] = target.min;
        add(minimums, target.min);
    }
    const std::int64_t rest = std::max<std::int64_t>(request.wanted - minimums, 0);
    out.missing = std::max<std::int64_t>(minimums - request.wanted, 0);
    if (request.policy == Policy::priority) {
        place_by_priority(request, rest, out);
    } else {
        place_by_proportions(request, rest, out);
    }
    // Extra replicas that no target could take have not been asked of any.
    out.fallback = std::max<std::int64_t>(out.fallback - out.overflow, 0);
    return out;
}

}  // namespace capstan::replicas
