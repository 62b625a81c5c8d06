// Shares by weight, compared with an exhaustive search.
#include "shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace capstan::replicas {
namespace {

using Counts = std::vector<std::int64_t>;

std::int64_t between(std::mt19937& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

bool is_full(const Sharer& s, std::int64_t has) { return has >= s.most; }

/// The largest |x/N - w/W| of the sharers below their maximum; N and W are their sums.
double largest_error(const std::vector<Sharer>& sharers, const Counts& counts) {
    double all = 0, weights = 0, out = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (is_full(sharers[i], counts[i])) continue;
        all += static_cast<double>(counts[i]);
        weights += static_cast<double>(sharers[i].weight);
    }
    for (std::size_t i = 0; i < counts.size() && all > 0; ++i) {
        if (is_full(sharers[i], counts[i])) continue;
        out = std::max(out, std::abs(static_cast<double>(counts[i]) / all -
                                     static_cast<double>(sharers[i].weight) / weights));
    }
    return out;
}

/// Whether the same sharers are at their maximum.
bool same_are_full(const std::vector<Sharer>& sharers, const Counts& a, const Counts& b) {
    for (std::size_t i = 0; i < sharers.size(); ++i) {
        if (is_full(sharers[i], a[i]) != is_full(sharers[i], b[i])) return false;
    }
    return true;
}

/// Calls `visit` with every distribution of `pool` within bounds.
void for_each_way(const std::vector<Sharer>& sharers, std::int64_t pool, Counts& way,
                  const std::function<void(const Counts&)>& visit) {
    if (way.size() == sharers.size()) {
        if (pool == 0) visit(way);
        return;
    }
    const Sharer& next = sharers[way.size()];
    for (std::int64_t n = next.has; n <= std::min(next.most, pool); ++n) {
        way.push_back(n);
        for_each_way(sharers, pool - n, way, visit);
        way.pop_back();
    }
}

struct RandomCase {
    std::vector<Sharer> sharers;
    std::int64_t rest = 0, pool = 0;
};

RandomCase random_case(std::mt19937& random, bool has_maxima = true) {
    static constexpr std::string_view names[] = {"a", "b", "c", "d"};
    RandomCase out;
    std::int64_t room = 0;
    const auto count = static_cast<std::size_t>(between(random, 2, 4));
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t has = between(random, 0, 2) == 0 ? between(random, 0, 4) : 0;
        const bool is_bounded = has_maxima && between(random, 0, 1) == 1;
        const std::int64_t most = !is_bounded ? 40 : has + between(random, 0, 5);
        out.sharers.push_back({names[i], between(random, 1, 100), has, most});
        out.pool += has;
        room += most - has;
    }
    out.rest = between(random, 0, std::min<std::int64_t>(room, 14));
    out.pool += out.rest;
    return out;
}

/// Expects that the result has the least error of all distributions within bounds for which
/// `is_rival(result, distribution)` is true.
void expect_least_error(
    RandomCase drawn, const std::function<bool(const Counts& has, const Counts& rival)>& is_rival) {
    const std::vector<Sharer> before = drawn.sharers;
    EXPECT_EQ(share_out(drawn.rest, drawn.sharers, Rounding::least_error), 0);
    Counts has, way;
    for (const Sharer& s : drawn.sharers) has.push_back(s.has);
    double best = 1e9;
    for_each_way(before, drawn.pool, way, [&](const Counts& rival) {
        if (is_rival(has, rival)) best = std::min(best, largest_error(before, rival));
    });
    EXPECT_NEAR(largest_error(before, has), best, 1e-9) << ::testing::PrintToString(has);
}

TEST(Shares, MinimizeTheLargestDifferenceWithinMinima) {
    std::mt19937 random(3);
    for (int round = 0; round < 1000; ++round) {
        SCOPED_TRACE(round);
        expect_least_error(random_case(random, false),
                           [](const Counts&, const Counts&) { return true; });
    }
}

/// Full sharers are not part of the formula, so placements with the same full sharers are compared.
TEST(Shares, MinimizeTheLargestDifferenceAmongSharersThatAreNotFull) {
    std::mt19937 random(13);
    for (int round = 0; round < 1000; ++round) {
        SCOPED_TRACE(round);
        const RandomCase drawn = random_case(random);
        expect_least_error(drawn, [&](const Counts& has, const Counts& rival) {
            return same_are_full(drawn.sharers, has, rival);
        });
    }
}

TEST(Shares, FillOnlySharersWhoseShareReachesTheirMaximum) {
    struct Filled {
        std::vector<Sharer> sharers;
        std::int64_t rest;
        Counts has;
    };
    for (const Filled& c : std::vector<Filled>{
             {{{"a", 60, 0, 2}, {"b", 30, 0, 40}, {"c", 10, 0, 40}}, 10, {2, 6, 2}},
             {{{"a", 1, 0, 5}, {"b", 99, 0, 40}}, 10, {0, 10}},
             {{{"a", 52, 0, 5}, {"b", 24, 5, 40}, {"c", 24, 0, 40}}, 5, {4, 5, 1}},
             {{{"a", 7, 1, 40}, {"b", 45, 2, 40}, {"c", 10, 0, 40}}, 1, {1, 3, 0}},
             {{{"a", 1, 0, 40}, {"b", 3, 2, 40}, {"c", 5, 2, 40}}, 1, {0, 2, 3}},
         }) {
        std::vector<Sharer> sharers = c.sharers;
        EXPECT_EQ(share_out(c.rest, sharers, Rounding::least_error), 0);
        Counts has;
        for (const Sharer& s : sharers) has.push_back(s.has);
        EXPECT_EQ(has, c.has);
    }
}

TEST(Shares, StayWithinBoundsAddUpAndDoNotDependOnTheOrder) {
    std::mt19937 random(5);
    for (int round = 0; round < 1000; ++round) {
        SCOPED_TRACE(round);
        const RandomCase drawn = random_case(random);
        for (const Rounding rounding : {Rounding::least_error, Rounding::highest_averages}) {
            std::vector<Sharer> one = drawn.sharers, other = drawn.sharers;
            const std::int64_t wanted = drawn.rest + between(random, 0, 60);
            std::ranges::reverse(other);
            const std::int64_t left = share_out(wanted, one, rounding);
            EXPECT_EQ(share_out(wanted, other, rounding), left);
            std::ranges::reverse(other);
            EXPECT_EQ(one, other);
            std::int64_t given = 0;
            for (std::size_t i = 0; i < one.size(); ++i) {
                EXPECT_GE(one[i].has, drawn.sharers[i].has);
                EXPECT_LE(one[i].has, drawn.sharers[i].most);
                given += one[i].has - drawn.sharers[i].has;
            }
            EXPECT_EQ(given + left, wanted);
        }
    }
}

TEST(Shares, LeaveARestWithoutSharersWeightsOrRoom) {
    std::vector<Sharer> none, weightless{{"a", 0, 1, 9}, {"b", -1, 2, 9}}, full{{"a", 1, 9, 9}};
    for (const Rounding rounding : {Rounding::least_error, Rounding::highest_averages}) {
        EXPECT_EQ(share_out(5, none, rounding), 5);
        EXPECT_EQ(share_out(5, weightless, rounding), 5);
        EXPECT_EQ(share_out(5, full, rounding), 5);
        EXPECT_EQ(share_out(0, full, rounding), 0);
    }
}

}  // namespace
}  // namespace capstan::replicas
