#include "simulation/control_plane/workloads/rollout_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace capstan::simulation {
namespace {

std::int64_t wanted_by_old(const Rollout& rollout) {
    return std::accumulate(rollout.old.begin(), rollout.old.end(), std::int64_t{0},
                           [](std::int64_t sum, const SetSize& set) { return sum + set.wanted; });
}

SetSizes present_sizes(const Rollout& rollout) {
    SetSizes out{.fresh = rollout.fresh.wanted};
    for (const SetSize& set : rollout.old) out.old.push_back(set.wanted);
    return out;
}

std::int64_t next_fresh(const Rollout& rollout) {
    const std::int64_t now = rollout.fresh.wanted;
    if (now >= rollout.replicas) return rollout.replicas;
    const std::int64_t room = rollout.replicas + rollout.max_surge - (now + wanted_by_old(rollout));
    return now + std::clamp<std::int64_t>(room, 0, rollout.replicas - now);
}

/// Takes from the eldest first, of each at most what `may_go` says; how many went.
template <class MayGo>
std::int64_t shrink(std::vector<std::int64_t>& sizes, std::int64_t most, const MayGo& may_go) {
    std::int64_t gone = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::int64_t by = std::min(most - gone, may_go(i));
        if (by <= 0) continue;
        sizes[i] -= by;
        gone += by;
    }
    return gone;
}

void shrink_old(const Rollout& rollout, SetSizes& sizes) {
    const SetSize& fresh = rollout.fresh;
    const std::int64_t least = rollout.replicas - rollout.max_unavailable;
    const std::int64_t unavailable_fresh = fresh.wanted - fresh.available;
    const std::int64_t most = fresh.wanted + wanted_by_old(rollout) - least - unavailable_fresh;
    if (most <= 0) return;
    const std::int64_t unhealthy = shrink(sizes.old, most, [&](std::size_t i) {
        return rollout.old[i].wanted - rollout.old[i].available;
    });
    std::int64_t available = fresh.available;
    for (const SetSize& set : rollout.old) available += set.available;
    shrink(sizes.old, std::min(available - least, most - unhealthy),
           [&](std::size_t i) { return sizes.old[i]; });
}

/// By how much a set's share of the difference changes it.
std::int64_t share_of(const SetSize& set, const Rollout& rollout, std::int64_t now_allowed) {
    const std::int64_t before = set.limit > 0 ? set.limit : rollout.replicas;
    if (before == 0) return 0;
    return std::llround(static_cast<double>(set.wanted * now_allowed) /
                        static_cast<double>(before)) -
           set.wanted;
}

/// The largest first, among equals the newest when it grows and the eldest when it shrinks.
std::vector<std::size_t> sharing_order(const std::vector<SetSize>& sets, bool grows) {
    std::vector<std::size_t> out(sets.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    std::ranges::sort(out, [&](std::size_t a, std::size_t b) {
        if (sets[a].wanted != sets[b].wanted) return sets[a].wanted > sets[b].wanted;
        return grows ? a > b : a < b;
    });
    return out;
}

}  // namespace

SetSizes plan_rolling_step(const Rollout& rollout) {
    SetSizes out = present_sizes(rollout);
    out.fresh = next_fresh(rollout);
    if (out.fresh == rollout.fresh.wanted) shrink_old(rollout, out);
    return out;
}

SetSizes plan_scaling(const Rollout& rollout) {
    std::vector<SetSize> sets = rollout.old;
    sets.push_back(rollout.fresh);
    const std::int64_t total = rollout.fresh.wanted + wanted_by_old(rollout);
    const std::int64_t allowed = rollout.replicas > 0 ? rollout.replicas + rollout.max_surge : 0;
    std::int64_t left = allowed - total;
    const bool grows = left > 0;
    const std::vector<std::size_t> order = sharing_order(sets, grows);
    for (const std::size_t i : order) {
        if (sets[i].wanted == 0) continue;
        std::int64_t by = share_of(sets[i], rollout, allowed);
        by = grows ? std::clamp<std::int64_t>(by, 0, left) : std::clamp<std::int64_t>(by, left, 0);
        sets[i].wanted += by;
        left -= by;
    }
    SetSize& first = sets[order.front()];
    first.wanted = std::max<std::int64_t>(first.wanted + left, 0);
    SetSizes out{.fresh = sets.back().wanted};
    for (std::size_t i = 0; i + 1 < sets.size(); ++i) out.old.push_back(sets[i].wanted);
    return out;
}

}  // namespace capstan::simulation
