#include "placement.hpp"

#include <algorithm>

#include <capstan/detail/int128.hpp>

namespace capstan::replicas {
namespace {

/// Adds, and stops at the ends of the range. Only a Balancer with absurd numbers gets there.
void add(std::int64_t& sum, std::int64_t more) {
    sum = detail::saturated(detail::Int128(sum) + more);
}

/// A target while replicas are given out.
struct Place {
    const PlacedTarget* target;
    std::int64_t has;           ///< replicas given so far
    std::int64_t own = 0;       ///< those that the policy gives it
    std::int64_t replaced = 0;  ///< replicas that do not start and that others have been asked for
};

/// A target that may take replicas, until it has `most`.
struct Room {
    Place* place;
    std::int64_t most;
};

/// Whether more than `percent` of the pods that have started or are late are late.
bool is_late_share_above(std::int64_t percent, const PlacedTarget& target) {
    const detail::Int128 started = target.total - target.blocked;
    return detail::Int128(target.late) * 100 > (started + target.late) * percent;
}

bool starts_nothing(const PlacedTarget& target) {
    return target.is_gone || is_late_share_above(late_share_max, target);
}

bool starts_well(const PlacedTarget& target) {
    return !target.is_gone && !is_late_share_above(late_share_good, target);
}

/// Extra replicas that the target was asked for before.
std::int64_t extra_before(const Place& place) {
    return std::max<std::int64_t>(place.target->before - place.own, 0);
}

/// Replicas that will not start: blocked pods, and those that are yet to be created beside blocked
/// ones. Of the extra replicas, a target that starts pods is expected to start all but the late.
std::int64_t not_starting(const Place& place) {
    const PlacedTarget& target = *place.target;
    if (target.is_gone) return place.has;
    if (target.blocked <= 0) return 0;
    const std::int64_t of_own =
        std::max<std::int64_t>(target.blocked + place.own - target.total, 0);
    // Pods above the number of replicas are removed, the late ones first.
    const std::int64_t of_all =
        starts_nothing(target) ? target.blocked + place.has - target.total
                               : target.late - std::max<std::int64_t>(target.total - place.has, 0);
    return of_own + std::clamp<std::int64_t>(of_all - of_own, 0, place.has - place.own);
}

class Placer {
public:
    explicit Placer(const PlacementRequest& request) : request_(request) {
        for (const PlacedTarget& target : request.targets)
            places_.push_back({.target = &target, .has = target.min});
        for (const std::string& name : request.order) {
            const auto place =
                std::ranges::find(places_, name, [](const Place& p) { return p.target->name; });
            if (place != places_.end() && std::ranges::count(order_, &*place) == 0)
                order_.push_back(&*place);
        }
    }

    Placement place() {
        std::int64_t minimums = 0;
        for (const Place& place : places_) add(minimums, place.has);
        out_.missing = std::max<std::int64_t>(minimums - request_.wanted, 0);
        std::vector<Room> rooms;
        for (Place* place : takers()) rooms.push_back({place, place->target->max});
        out_.overflow = give(std::max<std::int64_t>(request_.wanted - minimums, 0), rooms);
        for (Place& place : places_) place.own = place.has;
        if (request_.falls_back) fall_back();
        for (const Place& place : places_) {
            out_.replicas[place.target->name] = place.has;
            add(out_.fallback, place.has - place.own);
        }
        return std::move(out_);
    }

private:
    bool is_by_priority() const { return request_.policy == Policy::priority; }

    /// The targets that the policy gives replicas to.
    std::vector<Place*> takers() {
        if (is_by_priority()) return order_;
        std::vector<Place*> out;
        for (Place& place : places_) out.push_back(&place);
        return out;
    }

    /// Gives up to `rest` replicas out by the policy. Returns what is left.
    std::int64_t give(std::int64_t rest, const std::vector<Room>& rooms) const {
        if (is_by_priority()) {
            for (const Room& room : rooms) {
                const auto taken = std::clamp<std::int64_t>(room.most - room.place->has, 0, rest);
                room.place->has += taken;
                rest -= taken;
            }
            return rest;
        }
        std::vector<Sharer> sharers;
        for (const Room& room : rooms) {
            const PlacedTarget& target = *room.place->target;
            sharers.push_back({target.name, target.weight, room.place->has, room.most});
        }
        rest = share_out(rest, sharers, request_.rounding);
        for (std::size_t i = 0; i < rooms.size(); ++i) rooms[i].place->has = sharers[i].has;
        return rest;
    }

    /// Ends when no replica of which others were asked is found not to start.
    void fall_back() {
        // As upstream has it: proportional, all targets are at their maximum.
        if (!is_by_priority() && out_.overflow > 0) return;
        std::vector<Place*> sources = order_;
        for (Place& place : places_) {
            if (std::ranges::count(order_, &place) == 0) sources.push_back(&place);
        }
        for (bool is_done = false; !is_done;) {
            is_done = true;
            for (Place* source : sources) {
                const std::int64_t rest = not_starting(*source) - source->replaced;
                if (rest <= 0) continue;
                source->replaced += rest;
                const std::int64_t left = ask_others(*source, rest);
                add(out_.overflow, left);
                is_done = is_done && left == rest;
            }
        }
    }

    std::int64_t ask_others(const Place& source, std::int64_t rest) {
        const auto ask = [&](auto most_of) {
            std::vector<Room> rooms;
            for (Place* place : others(source)) {
                const std::int64_t most = std::min(place->target->max, most_of(*place));
                if (most > place->has) rooms.push_back({place, most});
            }
            rest = give(rest, rooms);
        };
        // What a target with late pods has already comes first.
        ask([](const Place& place) {
            const bool keeps = !place.target->is_gone && place.target->late > 0;
            return keeps ? place.own + extra_before(place) : 0;
        });
        ask([](const Place& place) { return starts_well(*place.target) ? unlimited : 0; });
        ask([](const Place& place) {
            const bool may = !starts_nothing(*place.target) && extra_before(place) == 0;
            return may ? unlimited : 0;
        });
        return rest;
    }

    /// By priority, the targets after `source` come first.
    std::vector<Place*> others(const Place& source) {
        std::vector<Place*> out = takers();
        const auto at = std::ranges::find(out, &source);
        if (at == out.end()) return out;
        std::ranges::rotate(out, at);
        out.erase(out.begin());
        return out;
    }

    const PlacementRequest& request_;
    std::vector<Place> places_;
    std::vector<Place*> order_;  ///< priority: the targets that the order names, each once
    Placement out_;
};

}  // namespace

Placement place(const PlacementRequest& request) { return Placer(request).place(); }

}  // namespace capstan::replicas
