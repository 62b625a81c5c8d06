#include "shares.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include <capstan/detail/int128.hpp>

namespace capstan::replicas {
namespace {

using Wide = detail::Int128;

/// The sharers that can take more, with the exact share of each as a fraction over `weights`.
struct Round {
    std::vector<Sharer*> open;
    Wide pool = 0;     ///< what the open sharers have, and what is left to hand out
    Wide weights = 0;  ///< sum of the weights of the open sharers

    Wide share(const Sharer& s) const { return pool * s.weight; }
    bool is_low(const Sharer& s) const { return share(s) < weights * s.has; }
    bool is_high(const Sharer& s) const { return share(s) > weights * s.most; }
};

std::int64_t held(const std::vector<Sharer>& sharers) {
    Wide out = 0;
    for (const Sharer& s : sharers) out += s.has;
    return detail::saturated(out);
}

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

/// Takes out sharers whose exact share is beyond a bound, as far as it is certain that they end at
/// that bound. When the bounds ask for more than the exact shares in sum, the shares of the others
/// can only fall, so those that are too low leave; otherwise those that are too high leave. False:
/// no sharer leaves.
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

/// What each open sharer has once every replica went to the one with the largest deficit (its exact
/// share less what it has); maxima are not looked at. A sharer that keeps more than its share thus
/// costs the others the same number each, and no placement has a smaller largest difference of
/// shares.
std::vector<Wide> level_deficits(const Round& round) {
    // Deficits are numbers over `weights`; at a level of `deficit` no larger one is left.
    const auto has_at = [&](const Sharer& s, Wide deficit) {
        const Wide above = round.share(s) - deficit;
        const Wide count = above > 0 ? (above + round.weights - 1) / round.weights : Wide(0);
        return std::max(count, Wide(s.has));
    };
    const auto sum_at = [&](Wide deficit) {
        Wide out = 0;
        for (const Sharer* s : round.open) out += has_at(*s, deficit);
        return out;
    };
    Wide low = 0, high = 0;
    for (const Sharer* s : round.open) high = std::max(high, round.share(*s));
    while (low < high) {
        const Wide middle = (low + high) / 2;
        if (sum_at(middle) <= round.pool) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    std::vector<Wide> out;
    for (const Sharer* s : round.open) out.push_back(has_at(*s, low));
    // Among sharers with equal deficits, the lower names get what is left.
    std::vector<std::size_t> by_name(out.size());
    std::iota(by_name.begin(), by_name.end(), std::size_t{0});
    std::ranges::sort(by_name, {}, [&](std::size_t i) { return round.open[i]->name; });
    Wide left = round.pool - sum_at(low);
    for (const std::size_t i : by_name) {
        if (left <= 0 || has_at(*round.open[i], low - 1) == out[i]) continue;
        out[i] += 1;
        left -= 1;
    }
    return out;
}

/// Fills sharers up to their `most`: those that would be above it, or, when there are none, those
/// that would be exactly at it. False: none was filled.
bool fill_up(const Round& round, std::span<const Wide> has) {
    bool is_above = false, is_any = false;
    for (std::size_t i = 0; i < has.size(); ++i)
        is_above = is_above || has[i] > round.open[i]->most;
    for (std::size_t i = 0; i < has.size(); ++i) {
        Sharer& s = *round.open[i];
        if (is_above ? has[i] <= s.most : has[i] < s.most) continue;
        s.has = s.most;
        is_any = true;
    }
    return is_any;
}

std::int64_t share_by_least_error(std::int64_t rest, std::vector<Sharer>& sharers) {
    while (rest > 0) {
        const std::int64_t before = held(sharers);
        const Round round = begin(rest, sharers);
        if (round.open.empty()) break;
        const std::vector<Wide> has = level_deficits(round);
        const bool is_again = fill_up(round, has);
        if (!is_again) {
            for (std::size_t i = 0; i < has.size(); ++i)
                round.open[i]->has = detail::saturated(has[i]);
        }
        rest -= held(sharers) - before;
    }
    return rest;
}

/// Gives one replica to the sharer with the most weight per replica, `left` times.
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

std::int64_t share_by_highest_averages(std::int64_t rest, std::vector<Sharer>& sharers) {
    const std::int64_t before = held(sharers);
    Round round = begin(rest, sharers);
    while (!round.open.empty() && narrow(round)) {
    }
    // All exact shares are within bounds now. Rounding them down leaves less than one replica for
    // each sharer, so few steps follow.
    Wide left = round.open.empty() ? 0 : round.pool;
    for (Sharer* s : round.open) {
        s->has = detail::saturated(round.share(*s) / round.weights);
        left -= s->has;
    }
    give_to_highest(sharers, left);
    return rest - (held(sharers) - before);
}

}  // namespace

std::int64_t share_out(std::int64_t rest, std::vector<Sharer>& sharers, Rounding rounding) {
    if (rest <= 0) return 0;
    return rounding == Rounding::highest_averages ? share_by_highest_averages(rest, sharers)
                                                  : share_by_least_error(rest, sharers);
}

}  // namespace capstan::replicas
