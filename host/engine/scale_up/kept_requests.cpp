#include "engine/scale_up/kept_requests.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "engine/health/backoff.hpp"
#include "engine/health/group_counts.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/next_change.hpp"
#include "engine/scale_up/packing.hpp"

namespace capstan::engine::scale_up {
namespace {

/// What a group that is backed off until a machine joins is asked for, or may be asked for again.
struct Keeper {
    pass_context::GroupIndex group = 0;
    Time since{};             ///< the back-off
    int outstanding = 0;      ///< asked for and not begun
    int may_give = 0;         ///< of those, down to the group's minimum
    bool given_back = false;  ///< what is outstanding its list shows still
};

bool may_be_resized(const pass_context::PassContext& context, pass_context::GroupIndex group) {
    const Group& of = context.groups()[group];
    return of.group.target && of.unreadable_because.empty() &&
           !pass_context::is_repaired(context.repairs, of.group.id);
}

Keeper make_keeper(const pass_context::PassContext& context, pass_context::GroupIndex g,
                   const health::GroupCounts& figures, const Backoff& backoff,
                   const Memory& memory) {
    const health::MachineCounts& machines = figures.machines;
    Keeper out{.group = g,
               .since = backoff.since,
               .outstanding = std::max(0, figures.target() - machines.real()),
               .given_back = backoff.given_back.has_value()};
    // One that may come in time ends the back-off.
    const bool waits = context.health.groups[g].upcoming.nodes() > 0;
    if (out.given_back || waits ||
        health::is_decrease_backed_off(memory, context.id(g), context.now))
        return out;
    const int above_min =
        figures.target() - machines.leaving - context.groups()[g].group.min.value_or(0);
    out.may_give = std::clamp(above_min, 0, out.outstanding);
    return out;
}

/// The oldest back-off first, ties by group.
std::vector<Keeper> find_keepers(const pass_context::PassContext& context, const Memory& memory) {
    std::vector<Keeper> out;
    const auto is_patient = [](const auto& entry) { return !entry.second.until; };
    if (std::ranges::none_of(memory.backoffs, is_patient)) return out;
    const std::vector<health::GroupCounts> figures = health::count_groups(
        *context.snapshot, context.membership, context.health.readiness, memory, *context.settings);
    for (pass_context::GroupIndex g = 0; g < figures.size(); ++g) {
        const auto backoff = memory.backoffs.find(context.id(g));
        if (backoff == memory.backoffs.end() || backoff->second.until) continue;
        if (may_be_resized(context, g))
            out.push_back(make_keeper(context, g, figures[g], backoff->second, memory));
    }
    std::ranges::stable_sort(out, {}, &Keeper::since);
    return out;
}

/// Finds the requests whose going lets pods have nodes that only a limit keeps from them. What
/// comes back without that, since this pass or one before took it back, is used first.
class GivingBack {
public:
    GivingBack(ScaleUp& scale_up, const std::vector<Keeper>& keepers)
        : context_(&scale_up.context()),
          placement_(&scale_up.placement()),
          keepers_(&keepers),
          found_(&scale_up.progress().quotas),
          left_(scale_up.progress().left),
          room_{.quotas = scale_up.progress().quotas,
                .given = std::vector<int>(keepers.size(), 0)} {
        for (const Keeper& keeper : keepers)
            if (keeper.given_back) room_.quotas.release(keeper.group, keeper.outstanding);
        for (pass_context::GroupIndex g = 0; g < context_->groups().size(); ++g)
            for (const Decrease& decrease : context_->repairs.decreases)
                if (decrease.group == context_->id(g)) room_.quotas.release(g, decrease.by);
    }

    std::vector<Decrease> plan() {
        const auto may_give = [](const Keeper& keeper) { return keeper.may_give > 0; };
        if (std::ranges::none_of(*keepers_, may_give)) return {};
        const scheduling::Placement::Mark start = placement_->mark();
        while (const auto help = find_best()) take(*help);
        placement_->undo(start);
        std::vector<Decrease> out;
        for (std::size_t k = 0; k < keepers_->size(); ++k) {
            if (room_.given[k] > 0) out.push_back(decrease(k));
        }
        std::ranges::sort(out, {}, &Decrease::group);
        return out;
    }

    /// Whether some pod gets a node once all is given back that may be.
    bool helps() {
        const scheduling::Placement::Mark start = placement_->mark();
        const bool out = find_best().has_value();
        placement_->undo(start);
        return out;
    }

private:
    /// The limits once so many requests of each keeper have been given back.
    struct Room {
        QuotaTracker quotas;
        std::vector<int> given;  ///< as keepers_
    };
    struct Help {
        pass_context::GroupIndex group = 0;
        int nodes = 0, pods = 0, given = 0;
        Room room;
    };

    std::vector<Demand> demands() const {
        std::vector<Demand> out;
        for (scheduling::PodGroupIndex s = 0; s < context_->pending_count(); ++s)
            if (left_[s] > 0) out.push_back({s, left_[s]});
        return out;
    }

    /// The most pods, for those the fewest requests.
    std::optional<Help> find_best() {
        std::optional<Help> best;
        std::set<scheduling::TemplateNodeId> seen;
        const std::vector<Demand> waiting = demands();
        for (pass_context::GroupIndex g = 0; !waiting.empty() && g < context_->groups().size();
             ++g) {
            const bool only_limited = !room_.quotas.total_at_limit(g).empty();
            if (!only_limited && !room_.quotas.obstacle(g).is_none()) continue;
            if (!seen.insert(context_->rules->equivalent(g)).second) continue;
            std::optional<Help> help = help_of(g, waiting);
            if (!help) continue;
            const bool is_better = !best || help->pods > best->pods ||
                                   (help->pods == best->pods && help->given < best->given);
            if (is_better) best = std::move(help);
        }
        return best;
    }

    std::optional<Help> help_of(pass_context::GroupIndex group,
                                const std::vector<Demand>& waiting) {
        // Most often there is nothing to give towards what the group lacks.
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

    int most_nodes(pass_context::GroupIndex group) const {
        const int room = room_.quotas.room(group);
        const int limit = context_->settings->max_nodes_per_scale_up;
        return limit > 0 && !context_->headrooms[group].atomic ? std::min(room, limit) : room;
    }

    struct Filled {
        int nodes = 0, pods = 0;
    };
    /// In thought.
    Filled pack(pass_context::GroupIndex group, int nodes, const std::vector<Demand>& waiting) {
        const scheduling::Placement::Mark mark = placement_->mark();
        Supply supply{group, nodes};
        const Packed packed = Packing(*placement_).pack({&supply, 1}, waiting);
        placement_->undo(mark);
        Filled out{.nodes = nodes - supply.nodes};
        for (const Demand& schedulable : packed.schedulable) out.pods += schedulable.count;
        return out;
    }

    /// Gives back what the least growth of the group needs, or nothing where all is not enough.
    bool make_room(pass_context::GroupIndex group, Room& room) const {
        Room more = room;
        for (std::string total; !(total = more.quotas.total_at_limit(group)).empty();) {
            const std::optional<std::size_t> oldest = find_giver(more, total);
            if (!oldest) return false;
            ++more.given[*oldest];
            more.quotas.release((*keepers_)[*oldest].group, 1);
        }
        if (!more.quotas.obstacle(group).is_none()) return false;
        room = std::move(more);
        return true;
    }

    std::optional<std::size_t> find_giver(const Room& room, const std::string& total) const {
        for (std::size_t k = 0; k < keepers_->size(); ++k) {
            const Keeper& keeper = (*keepers_)[k];
            if (room.given[k] < keeper.may_give && room.quotas.counts_in(keeper.group, total))
                return k;
        }
        return std::nullopt;
    }

    void take(const Help& help) {
        if (because_.empty() && help.given > 0) because_ = why(help.group);
        Supply supply{help.group, help.nodes};
        for (const Demand& schedulable :
             Packing(*placement_).pack({&supply, 1}, demands()).schedulable)
            left_[schedulable.pod_group] -= schedulable.count;
        room_ = help.room;
    }

    /// Said of the first group that grows by what is given back.
    std::string why(pass_context::GroupIndex group) const {
        return "given back, while the group stays backed off: pods that group " +
               context_->id(group).value() + " would take wait for room alone, " +
               found_->obstacle(group).sentence;
    }

    Decrease decrease(std::size_t k) const {
        const Keeper& keeper = (*keepers_)[k];
        const Group& group = context_->groups()[keeper.group];
        return {.group = group.group.id,
                .cloud = group.cloud,
                .from = *group.group.target,
                .by = room_.given[k],
                .kept_one_too = room_.given[k] == keeper.outstanding,
                .because = because_};
    }

    const pass_context::PassContext* context_;
    scheduling::Placement* placement_;
    const std::vector<Keeper>* keepers_;
    const QuotaTracker* found_;  // as the scale-up left it
    std::vector<int> left_;      // by pod group
    Room room_;
    std::string because_{};
};

bool may_ask(const pass_context::PassContext& context, const Keeper& keeper,
             const QuotaTracker& quotas) {
    const Group& group = context.groups()[keeper.group];
    return keeper.given_back && keeper.outstanding == 0 && group.group.healthy != false &&
           context.health.groups[keeper.group].unhealthy_because.empty() &&
           context.templates[keeper.group].node != nullptr && quotas.room(keeper.group) > 0 &&
           quotas.allows(keeper.group, 1).nodes > 0;
}

/// Whether what keepers still have, or what their clouds' lists still show, is room that a pod
/// waits for: to ask for more then would only be taken back.
bool do_pods_wait_for_it(ScaleUp& scale_up, std::vector<Keeper> keepers) {
    for (Keeper& keeper : keepers) keeper.may_give = keeper.given_back ? 0 : keeper.outstanding;
    return GivingBack(scale_up, keepers).helps();
}

void ask_again(ScaleUp& scale_up, const std::vector<Keeper>& keepers, const Memory& memory,
               KeptRequests& out) {
    const pass_context::PassContext& context = scale_up.context();
    QuotaTracker quotas = scale_up.progress().quotas;
    const auto may_be_asked = [&](const Keeper& keeper) {
        return may_ask(context, keeper, quotas);
    };
    if (std::ranges::none_of(keepers, may_be_asked) || do_pods_wait_for_it(scale_up, keepers))
        return;
    NextChange next_change(context.time);
    for (const Keeper& keeper : keepers) {
        if (!may_ask(context, keeper, quotas)) continue;
        const std::optional<Time> next = health::find_next_ask(memory, context.id(keeper.group));
        if (next && next_change.is_before_end(*next)) continue;
        quotas.take(keeper.group, 1);
        const Group& group = context.groups()[keeper.group];
        out.asked_again.push_back(
            {.group = group.group.id,
             .cloud = group.cloud,
             .from = *group.group.target,
             .by = 1,
             .option = health::no_option,
             .because = "limits have room again for the machine whose joining ends its back-off"});
    }
    out.wake_at = next_change.at();
}

}  // namespace

KeptRequests plan_kept_requests(ScaleUp& scale_up, const Memory& memory) {
    KeptRequests out;
    const pass_context::PassContext& context = scale_up.context();
    // A pass that stopped may have room for pods that wait: the next one knows.
    const bool may_grow = context.health.unhealthy_because.empty() &&
                          (context.settings->from_zero || context.health.all.ready > 0);
    if (memory.unobserved_since || !may_grow || !scale_up.progress().stopped.empty()) return out;
    const std::vector<Keeper> keepers = find_keepers(context, memory);
    if (keepers.empty()) return out;
    out.given_back = GivingBack(scale_up, keepers).plan();
    if (out.given_back.empty()) ask_again(scale_up, keepers, memory, out);
    return out;
}

}  // namespace capstan::engine::scale_up
