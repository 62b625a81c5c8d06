#include "shares.hpp"

#include <algorithm>
#include <span>

#include <capstan/detail/int128.hpp>

namespace capstan::replicas {
namespace {

using Wide = detail::Int128;

/// Those who can take more, with the exact share of each as a fraction over `weights`.
struct Round {
    std::vector<Sharer*> open;
    Wide pool = 0;     ///< what they have, and the rest
    Wide weights = 0;  ///< of all of them

    Wide share(const Sharer& s) const { return pool * s.weight; }
    bool is_low(const Sharer& s) const { return share(s) < weights * s.has; }
    bool is_high(const Sharer& s) const { return share(s) > weights * s.most; }
};

Round begin(std::int64_t rest, std::vector<Sharer>& sharers) {
    Round out{.open = {}, .pool = rest};
    for (Sharer& s : sharers) {
        if (s.weight <= 0 || s.has >= s.most) continue;
        out.open.push_back(&s);
        out.pool += s.has;
        out.weights += s.weight;
    }
    return out;
}

/// How much more the bounds ask for than exact shares would give, over `weights`.
Wide excess(const Round& round) {
    Wide out = 0;
    for (const Sharer* s : round.open) {
        if (round.is_low(*s)) out += round.weights * s->has - round.share(*s);
        if (round.is_high(*s)) out -= round.share(*s) - round.weights * s->most;
    }
    return out;
}

/// Takes out who is beyond a bound, where that is certain to be so in the end; the others go on
/// without. False: nobody is.
bool narrow(Round& round) {
    const Wide over = excess(round);
    const auto leaves = [&](Sharer* s) {
        const bool at_most = over <= 0 && round.is_high(*s);
        return at_most || (over >= 0 && round.is_low(*s));
    };
    std::vector<Sharer*> leaving;
    std::ranges::copy_if(round.open, std::back_inserter(leaving), leaves);
    for (Sharer* s : leaving) {
        if (round.is_high(*s)) s->has = s->most;
    }
    for (const Sharer* s : leaving) {
        std::erase(round.open, s);
        round.pool -= s->has;
        round.weights -= s->weight;
    }
    return !leaving.empty();
}

/// Gives one each to who is furthest from their share.
void round_up_largest(std::span<Sharer* const> open, Wide left, Wide pool, Wide weights) {
    const auto remainder = [&](const Sharer* s) { return pool * s->weight % weights; };
    std::vector<Sharer*> order(open.begin(), open.end());
    std::ranges::sort(order, [&](const Sharer* a, const Sharer* b) {
        const Wide ra = remainder(a), rb = remainder(b);
        return ra != rb ? ra > rb : a->name < b->name;
    });
    for (Sharer* s : order) {
        if (left-- <= 0) return;
        ++s->has;
    }
}

/// Gives the next one to who has the most weight for each, `left` times.
void give_to_highest(std::vector<Sharer>& sharers, Wide left) {
    for (; left > 0; --left) {
        Sharer* pick = nullptr;
        for (Sharer& s : sharers) {
            if (s.weight <= 0 || s.has >= s.most) continue;
            if (pick == nullptr) {
                pick = &s;
                continue;
            }
            const Wide ours = Wide(s.weight) * (pick->has + 1);
            const Wide theirs = Wide(pick->weight) * (s.has + 1);
            if (ours > theirs || (ours == theirs && s.name < pick->name)) pick = &s;
        }
        if (pick == nullptr) return;
        ++pick->has;
    }
}

std::int64_t held(const std::vector<Sharer>& sharers) {
    Wide out = 0;
    for (const Sharer& s : sharers) out += s.has;
    return detail::saturated(out);
}

}  // namespace

std::int64_t share_out(std::int64_t rest, std::vector<Sharer>& sharers, Rounding rounding) {
    if (rest <= 0) return 0;
    const std::int64_t before = held(sharers);
    Round round = begin(rest, sharers);
    while (!round.open.empty() && narrow(round)) {
    }
    // All shares are within bounds now, and what is cut off of them is less than one each. By
    // highest averages, too, everyone gets at least that, so the steps are few.
    Wide left = round.open.empty() ? 0 : round.pool;
    for (Sharer* s : round.open) {
        s->has = detail::saturated(round.share(*s) / round.weights);
        left -= s->has;
    }
    if (rounding == Rounding::highest_averages) {
        give_to_highest(sharers, left);
    } else {
        round_up_largest(round.open, left, round.pool, round.weights);
    }
    return rest - (held(sharers) - before);
}

}  // namespace capstan::replicas
