#include "engine/scale_up/kept_requests.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <capstan/assert.hpp>

#include "engine/health/answered_targets.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/group_counts.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/health/unrecognized_nodes.hpp"
#include "engine/next_change.hpp"
#include "engine/scale_up/packing.hpp"

namespace capstan::engine::scale_up {
namespace {

/// The request of a group that is backed off until a machine joins, or that it may make again.
struct KeptRequest {
    GroupIndex group = 0;
    Time since{};             ///< of the back-off
    int outstanding = 0;      ///< machines requested that the cloud has not begun to make
    int releasable = 0;       ///< of these, machines above the group's minimum
    bool given_back = false;  ///< given back already; the cloud's list may still show them
};

bool may_be_resized(const pass_context::PassContext& context, GroupIndex group) {
    const Group& of = context.groups()[group];
    return of.group.target && of.unreadable_because.empty() &&
           !pass_context::is_repaired(context.repairs, of.group.id);
}

KeptRequest make_kept_request(const pass_context::PassContext& context, GroupIndex g,
                              const health::GroupCounts& counts, const Backoff& backoff,
                              const health::UnrecognizedNodes& unrecognized, const Memory& memory) {
    const health::MachineCounts& machines = counts.machines;
    KeptRequest out{.group = g,
                    .since = backoff.since,
                    .outstanding = std::max(0, counts.target() - machines.real()),
                    .given_back = backoff.given_back.has_value()};
    // A machine that may still join in time would end the back-off.
    const bool waits = context.health.groups[g].upcoming.nodes() > 0;
    if (out.given_back || waits ||
        health::is_decrease_backed_off(memory, context.id(g), context.now) ||
        health::find_counting_answer(memory, context.groups()[g].group) != nullptr ||
        !unrecognized.of(counts).empty())
        return out;
    const int above_min =
        counts.target() - machines.removal_asked - context.groups()[g].group.min.value_or(0);
    out.releasable = std::clamp(above_min, 0, out.outstanding);
    return out;
}

/// The oldest back-off first, ties by group.
std::vector<KeptRequest> find_kept_requests(const pass_context::PassContext& context,
                                            const Memory& memory) {
    std::vector<KeptRequest> out;
    const auto until_joined = [](const auto& entry) { return !entry.second.until; };
    if (std::ranges::none_of(memory.backoffs, until_joined)) return out;
    const std::vector<health::GroupCounts> counts = health::count_groups(
        *context.snapshot, context.membership, context.health.readiness, memory, *context.settings);
    const health::UnrecognizedNodes unrecognized(*context.snapshot, context.membership, memory,
                                                 context.time);
    for (GroupIndex g = 0; g < counts.size(); ++g) {
        const auto backoff = memory.backoffs.find(context.id(g));
        if (backoff == memory.backoffs.end() || backoff->second.until) continue;
        if (may_be_resized(context, g))
            out.push_back(
                make_kept_request(context, g, counts[g], backoff->second, unrecognized, memory));
    }
    std::ranges::stable_sort(out, {}, &KeptRequest::since);
    return out;
}

/// Finds the requests to give back so that pods get nodes that only a limit keeps from them. Room
/// that comes back anyway, from decreases of this pass or an earlier one, is used first.
class ReleasePlan {
public:
    ReleasePlan(ScaleUp& scale_up, const std::vector<KeptRequest>& kept_requests)
        : context_(&scale_up.context()),
          placement_(&scale_up.placement()),
          kept_requests_(&kept_requests),
          found_(&scale_up.progress().quotas),
          left_(scale_up.progress().left),
          room_{.quotas = scale_up.progress().quotas,
                .given = std::vector<int>(kept_requests.size(), 0)} {
        for (const KeptRequest& kept : kept_requests)
            if (kept.given_back) room_.quotas.release(kept.group, kept.outstanding);
        for (GroupIndex g = 0; g < context_->groups().size(); ++g)
            for (const Decrease& decrease : context_->repairs.decreases)
                if (decrease.group == context_->id(g)) room_.quotas.release(g, decrease.by);
    }

    std::vector<Decrease> plan() {
        const auto releasable = [](const KeptRequest& kept) { return kept.releasable > 0; };
        if (std::ranges::none_of(*kept_requests_, releasable)) return {};
        const scheduling::Placement::Mark start = placement_->mark();
        while (const auto help = find_best()) take(*help);
        placement_->undo(start);
        std::vector<Decrease> out;
        for (std::size_t k = 0; k < kept_requests_->size(); ++k) {
            if (room_.given[k] > 0) out.push_back(decrease(k));
        }
        std::ranges::sort(out, {}, &Decrease::group);
        return out;
    }

    /// Whether some pod would get a node if all that may be given back were given back.
    bool helps() {
        const scheduling::Placement::Mark start = placement_->mark();
        const bool out = find_best().has_value();
        placement_->undo(start);
        return out;
    }

private:
    /// The limits, after `given` requests have been given back.
    struct Room {
        QuotaTracker quotas;
        std::vector<int> given;  ///< by index in kept_requests_
    };
    /// A growth of a group that giving back requests would allow.
    struct Help {
        GroupIndex group = 0;
        int nodes = 0, pods = 0, given = 0;
        Room room;
    };

    std::vector<Demand> demands() const {
        std::vector<Demand> out;
        for (PodGroupIndex s = 0; s < context_->pending_count(); ++s)
            if (left_[s] > 0) out.push_back({s, left_[s]});
        return out;
    }

    /// The growth that helps the most pods; among equals the one that gives back the fewest
    /// requests.
    std::optional<Help> find_best() {
        std::optional<Help> best;
        std::set<TemplateNodeId> seen;
        const std::vector<Demand> waiting = demands();
        for (GroupIndex g = 0; !waiting.empty() && g < context_->groups().size(); ++g) {
            const bool only_limited = !room_.quotas.total_at_limit(g).empty();
            if (!only_limited && !room_.quotas.obstacle(g).is_none()) continue;
            if (!seen.insert(context_->predicates->equivalent(g)).second) continue;
            std::optional<Help> help = help_of(g, waiting);
            if (!help) continue;
            const bool is_better = !best || help->pods > best->pods ||
                                   (help->pods == best->pods && help->given < best->given);
            if (is_better) best = std::move(help);
        }
        return best;
    }

    std::optional<Help> help_of(GroupIndex group, const std::vector<Demand>& waiting) {
        // A cheap test first: most often no request counts towards what the group lacks.
        if (Room trial = room_; !make_room(group, trial)) return std::nullopt;
        const bool atomic = context_->headrooms[group].atomic;
        const int wanted = pack(group, most_nodes(group), waiting).nodes;
        if (wanted == 0) return std::nullopt;
        Help out{.group = group, .room = room_};
        const int least = atomic ? room_.quotas.room(group) : 1;
        for (; out.nodes < wanted && make_room(group, out.room); out.nodes += least)
            out.room.quotas.take(group, least);
        if (out.nodes == 0) return std::nullopt;
        out.pods = pack(group, out.nodes, waiting).pods;
        for (const int given : out.room.given) out.given += given;
        return out;
    }

    int most_nodes(GroupIndex group) const {
        const int room = room_.quotas.room(group);
        const int limit = context_->settings->max_nodes_per_scale_up;
        return limit > 0 && !context_->headrooms[group].atomic ? std::min(room, limit) : room;
    }

    struct Filled {
        int nodes = 0, pods = 0;
    };
    /// Packs on new nodes and undoes it.
    Filled pack(GroupIndex group, int nodes, const std::vector<Demand>& waiting) {
        const scheduling::Placement::Mark mark = placement_->mark();
        Supply supply{group, nodes};
        const Packed packed = Packing(*placement_).pack({&supply, 1}, waiting);
        placement_->undo(mark);
        Filled out{.nodes = nodes - supply.nodes};
        for (const Demand& schedulable : packed.schedulable) out.pods += schedulable.count;
        return out;
    }

    /// Gives back what the smallest growth of the group needs. False: all requests are not enough,
    /// and `room` is unchanged.
    bool make_room(GroupIndex group, Room& room) const {
        Room more = room;
        for (std::string total; !(total = more.quotas.total_at_limit(group)).empty();) {
            const std::optional<std::size_t> oldest = find_releasable(more, total);
            if (!oldest) return false;
            ++more.given[*oldest];
            more.quotas.release((*kept_requests_)[*oldest].group, 1);
        }
        if (!more.quotas.obstacle(group).is_none()) return false;
        room = std::move(more);
        return true;
    }

    std::optional<std::size_t> find_releasable(const Room& room, const std::string& total) const {
        for (std::size_t k = 0; k < kept_requests_->size(); ++k) {
            const KeptRequest& kept = (*kept_requests_)[k];
            if (room.given[k] < kept.releasable && room.quotas.counts_in(kept.group, total))
                return k;
        }
        return std::nullopt;
    }

    void take(const Help& help) {
        if (because_.empty() && help.given > 0) because_ = why(help.group);
        Supply supply{help.group, help.nodes};
        for (const Demand& schedulable :
             Packing(*placement_).pack({&supply, 1}, demands()).schedulable) {
            left_[schedulable.pod_group] -= schedulable.count;
            CAPSTAN_ASSERT(left_[schedulable.pod_group] >= 0, "more pods are helped than are left");
        }
        room_ = help.room;
    }

    /// The reason of the decreases; it names the first group that grows because of them.
    std::string why(GroupIndex group) const {
        return "request cancelled (its group stays backed off) so that group " +
               context_->id(group).value() +
               " can grow for pending pods: " + found_->obstacle(group).sentence;
    }

    Decrease decrease(std::size_t k) const {
        const KeptRequest& kept = (*kept_requests_)[k];
        const Group& group = context_->groups()[kept.group];
        CAPSTAN_ASSERT(room_.given[k] > 0 && room_.given[k] <= kept.releasable,
                       "more requests are given back than may be");
        CAPSTAN_ASSERT(context_->target(kept.group) - room_.given[k] >= group.group.min.value_or(0),
                       "a request is given back below the minimum of its group");
        return {.group = group.group.id,
                .cloud = group.cloud,
                .from = context_->target(kept.group),
                .by = room_.given[k],
                .kept_one_too = room_.given[k] == kept.outstanding,
                .because = because_};
    }

    const pass_context::PassContext* context_;
    scheduling::Placement* placement_;
    const std::vector<KeptRequest>* kept_requests_;
    const QuotaTracker* found_;  // as the scale-up left it
    std::vector<int> left_;      // by pod group
    Room room_;
    std::string because_{};
};

bool may_ask(const pass_context::PassContext& context, const KeptRequest& kept,
             const QuotaTracker& quotas) {
    const Group& group = context.groups()[kept.group];
    return kept.given_back && kept.outstanding == 0 && group.group.healthy != false &&
           context.health.groups[kept.group].unhealthy_because.empty() &&
           context.templates[kept.group].node != nullptr && quotas.room(kept.group) > 0 &&
           quotas.allows(kept.group, 1).nodes > 0;
}

/// Whether pods wait for the room of requests that are still there, or still listed: a request made
/// again would have to be given back at once.
bool do_pods_wait_for_it(ScaleUp& scale_up, std::vector<KeptRequest> kept_requests) {
    for (KeptRequest& kept : kept_requests)
        kept.releasable = kept.given_back ? 0 : kept.outstanding;
    return ReleasePlan(scale_up, kept_requests).helps();
}

void ask_again(ScaleUp& scale_up, const std::vector<KeptRequest>& kept_requests,
               const Memory& memory, KeptRequests& out) {
    const pass_context::PassContext& context = scale_up.context();
    QuotaTracker quotas = scale_up.progress().quotas;
    const auto may_be_asked = [&](const KeptRequest& kept) {
        return may_ask(context, kept, quotas);
    };
    if (std::ranges::none_of(kept_requests, may_be_asked) ||
        do_pods_wait_for_it(scale_up, kept_requests))
        return;
    NextChange next_change(context.time);
    for (const KeptRequest& kept : kept_requests) {
        if (!may_ask(context, kept, quotas)) continue;
        const std::optional<Time> next = health::find_next_ask(memory, context.id(kept.group));
        if (next && next_change.is_before_end(*next)) continue;
        quotas.take(kept.group, 1);
        const Group& group = context.groups()[kept.group];
        out.asked_again.push_back(
            {.group = group.group.id,
             .cloud = group.cloud,
             .from = context.target(kept.group),
             .by = 1,
             .option = health::no_option,
             .because = "limits allow a machine again; the back-off ends when it joins"});
    }
    out.wake_at = next_change.at();
}

}  // namespace

KeptRequests plan_kept_requests(ScaleUp& scale_up, const Memory& memory) {
    KeptRequests out;
    const pass_context::PassContext& context = scale_up.context();
    // A scale-up that stopped early may have left room for pending pods; the next pass will tell.
    const bool may_grow = context.health.unhealthy_because.empty() &&
                          (context.settings->from_zero || context.health.all.ready > 0);
    if (memory.unobserved_since || !may_grow || !scale_up.progress().stopped.empty()) return out;
    const std::vector<KeptRequest> kept_requests = find_kept_requests(context, memory);
    if (kept_requests.empty()) return out;
    out.given_back = ReleasePlan(scale_up, kept_requests).plan();
    if (out.given_back.empty()) ask_again(scale_up, kept_requests, memory, out);
    return out;
}

}  // namespace capstan::engine::scale_up
