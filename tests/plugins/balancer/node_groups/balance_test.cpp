#include "balance.hpp"

#include <gmock/gmock.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <tuple>

namespace capstan::balancer {

void PrintTo(const Growth& g, std::ostream* out) { *out << g.group << ": +" << g.by; }

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::map<std::string, int> by_id(const std::vector<GroupSize>& groups,
                                 const std::vector<Growth>& growths) {
    std::map<std::string, int> out;
    for (const Growth& g : growths) out[std::string(groups[g.group].id)] += g.by;
    return out;
}

TEST(Balance, MatchesTheTableOfCases) {
    const toml::table file = toml::parse_file(CAPSTAN_TEST_CASES "/balance.toml");
    const toml::array& cases = *file["case"].as_array();
    ASSERT_GT(cases.size(), 15u);
    for (const toml::node& entry : cases) {
        const toml::table& c = *entry.as_table();
        SCOPED_TRACE(c["title"].value_or(std::string()));
        std::vector<GroupSize> groups;
        for (auto&& [id, size] : *c["groups"].as_table()) {
            groups.push_back({id.str(), size.as_array()->at(0).value_or(-1),
                              size.as_array()->at(1).value_or(-1)});
        }
        std::map<std::string, int> expected;
        for (auto&& [id, by] : *c["expect"].as_table())
            expected[std::string(id.str())] = by.value_or(-1);
        EXPECT_EQ(by_id(groups, balance(groups, c["nodes"].value_or(-1))), expected);
    }
}

TEST(Balance, ReturnsGrowthInTheOrderOfTheGroups) {
    EXPECT_EQ(balance({{"z", 6, 9}, {"y", 1, 9}, {"x", 3, 9}}, 4),
              (std::vector<Growth>{{1, 3}, {2, 1}}));
}

TEST(Balance, DistinguishesGroupsWithTheSameId) {
    EXPECT_THAT(balance({{"a", 1, 9}, {"a", 1, 9}}, 3), ElementsAre(Growth{0, 2}, Growth{1, 1}));
}

TEST(Balance, DistributesNothingForANegativeNumber) {
    EXPECT_THAT(balance({{"a", 1, 9}}, -3), IsEmpty());
}

/// Adds one node at a time to the smallest group with room; ties go to the group that was smaller
/// at the start, then to the lower id.
std::vector<Growth> balance_one_by_one(const std::vector<GroupSize>& groups, int nodes) {
    std::vector<int> now;
    for (const GroupSize& g : groups) now.push_back(g.current);
    for (; nodes > 0; --nodes) {
        std::size_t best = groups.size();
        const auto rank = [&](std::size_t i) {
            return std::tuple(now[i], groups[i].current, groups[i].id);
        };
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (now[i] < groups[i].max && (best == groups.size() || rank(i) < rank(best))) best = i;
        }
        if (best == groups.size()) break;
        ++now[best];
    }
    std::vector<Growth> out;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (now[i] > groups[i].current) out.push_back({i, now[i] - groups[i].current});
    }
    return out;
}

const std::vector<std::string> ids{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

std::vector<GroupSize> any_groups(std::mt19937& random) {
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<GroupSize> out;
    for (int i = 0, n = below(10); i < n; ++i) {
        out.push_back({ids[static_cast<std::size_t>(i)], below(12), below(16)});
    }
    std::shuffle(out.begin(), out.end(), random);
    return out;
}

TEST(Balance, EqualsAddingOneNodeAtATime) {
    for (unsigned seed = 0; seed < 5000; ++seed) {
        std::mt19937 random(seed);
        const std::vector<GroupSize> groups = any_groups(random);
        const int nodes = static_cast<int>(random() % 60);
        ASSERT_EQ(balance(groups, nodes), balance_one_by_one(groups, nodes)) << "seed " << seed;
    }
}

TEST(Balance, StaysWithinTheMaximaAndUsesAllRoom) {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        std::mt19937 random(seed);
        const std::vector<GroupSize> groups = any_groups(random);
        const int nodes = static_cast<int>(random() % 100);
        int placed = 0, room = 0;
        for (const GroupSize& g : groups) room += std::max(0, g.max - g.current);
        for (const Growth& g : balance(groups, nodes)) {
            EXPECT_GT(g.by, 0) << "seed " << seed;
            EXPECT_LE(groups[g.group].current + g.by, groups[g.group].max) << "seed " << seed;
            placed += g.by;
        }
        EXPECT_EQ(placed, std::min(nodes, room)) << "seed " << seed;
    }
}

TEST(Balance, DoesNotDependOnTheOrderOfTheGroups) {
    for (unsigned seed = 0; seed < 1000; ++seed) {
        std::mt19937 random(seed);
        std::vector<GroupSize> groups = any_groups(random);
        const int nodes = static_cast<int>(random() % 60);
        const auto first = by_id(groups, balance(groups, nodes));
        std::shuffle(groups.begin(), groups.end(), random);
        EXPECT_EQ(by_id(groups, balance(groups, nodes)), first) << "seed " << seed;
    }
}

}  // namespace
}  // namespace capstan::balancer
