// Sharing out by weight, held against a search of all there is.
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

/// What each would have if replicas could be cut: as many for each unit of weight, within bounds.
std::vector<double> exact_shares(const std::vector<Sharer>& sharers, std::int64_t pool) {
    const auto at_level = [&](double level) {
        std::vector<double> out;
        for (const Sharer& s : sharers)
            out.push_back(std::clamp(level * static_cast<double>(s.weight),
                                     static_cast<double>(s.has), static_cast<double>(s.most)));
        return out;
    };
    double low = 0, high = 1000;
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        double sum = 0;
        for (const double share : at_level(middle)) sum += share;
        (sum < static_cast<double>(pool) ? low : high) = middle;
    }
    return at_level(high);
}

double largest_error(const Counts& counts, const std::vector<double>& exact) {
    double out = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
        out = std::max(out, std::abs(static_cast<double>(counts[i]) - exact[i]));
    return out;
}

/// Every way to have `pool` together within bounds.
void for_each_way(const std::vector<Sharer>& sharers, std::int64_t pool, Counts& way,
                  const std::function<void(const Counts&)>& see) {
    if (way.size() == sharers.size()) {
        if (pool == 0) see(way);
        return;
    }
    const Sharer& next = sharers[way.size()];
    for (std::int64_t n = next.has; n <= std::min(next.most, pool); ++n) {
        way.push_back(n);
        for_each_way(sharers, pool - n, way, see);
        way.pop_back();
    }
}

struct Chance {
    std::vector<Sharer> sharers;
    std::int64_t rest = 0, pool = 0;
};

Chance chance_of(std::mt19937& random) {
    static constexpr std::string_view names[] = {"a", "b", "c", "d"};
    Chance out;
    std::int64_t room = 0;
    const auto count = static_cast<std::size_t>(between(random, 2, 4));
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t has = between(random, 0, 2) == 0 ? between(random, 0, 4) : 0;
        const std::int64_t most = between(random, 0, 1) == 0 ? 20 : has + between(random, 0, 5);
        out.sharers.push_back({names[i], between(random, 1, 100), has, most});
        out.pool += has;
        room += most - has;
    }
    out.rest = between(random, 0, std::min<std::int64_t>(room, 14));
    out.pool += out.rest;
    return out;
}

TEST(Shares, ByLeastErrorHaveTheSmallestLargestDifferenceThatBoundsAllow) {
    std::mt19937 random(3);
    for (int round = 0; round < 1000; ++round) {
        SCOPED_TRACE(round);
        Chance chance = chance_of(random);
        const std::vector<double> exact = exact_shares(chance.sharers, chance.pool);
        double best = 1e9;
        Counts way;
        for_each_way(chance.sharers, chance.pool, way, [&](const Counts& counts) {
            best = std::min(best, largest_error(counts, exact));
        });
        EXPECT_EQ(share_out(chance.rest, chance.sharers, Rounding::least_error), 0);
        Counts has;
        for (const Sharer& s : chance.sharers) has.push_back(s.has);
        EXPECT_NEAR(largest_error(has, exact), best, 1e-6) << ::testing::PrintToString(has);
    }
}

TEST(Shares, StayWithinBoundsAddUpAndDoNotDependOnTheOrder) {
    std::mt19937 random(5);
    for (int round = 0; round < 1000; ++round) {
        SCOPED_TRACE(round);
        const Chance chance = chance_of(random);
        for (const Rounding rounding : {Rounding::least_error, Rounding::highest_averages}) {
            std::vector<Sharer> one = chance.sharers, other = chance.sharers;
            const std::int64_t wanted = chance.rest + between(random, 0, 60);
            std::ranges::reverse(other);
            const std::int64_t left = share_out(wanted, one, rounding);
            EXPECT_EQ(share_out(wanted, other, rounding), left);
            std::ranges::reverse(other);
            EXPECT_EQ(one, other);
            std::int64_t given = 0;
            for (std::size_t i = 0; i < one.size(); ++i) {
                EXPECT_GE(one[i].has, chance.sharers[i].has);
                EXPECT_LE(one[i].has, chance.sharers[i].most);
                given += one[i].has - chance.sharers[i].has;
            }
            EXPECT_EQ(given + left, wanted);
        }
    }
}

TEST(Shares, OfNobodyAndOfNothingAreLeftOver) {
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
