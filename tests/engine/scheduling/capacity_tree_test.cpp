#include "engine/scheduling/capacity_tree.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace capstan::engine::scheduling {
namespace {

constexpr auto all = [](std::uint32_t) { return true; };

TEST(CapacityTree, CountsHowOftenNeedsFit) {
    CapacityTree tree(2);
    tree.push(std::array<std::int64_t, 2>{1000, -5});
    const std::vector<Need> cpu{{0, 300}}, none_left{{0, 300}, {1, 1}};
    EXPECT_EQ(tree.times(0, cpu, 10), 3);
    EXPECT_EQ(tree.times(0, cpu, 2), 2);
    EXPECT_EQ(tree.times(0, none_left, 10), 0);
    const std::vector<Need> huge{{0, std::numeric_limits<std::int64_t>::max() / 2}};
    EXPECT_EQ(tree.times(0, huge, 1000), 0);
}

TEST(CapacityTree, FindsNothingInAnEmptyTree) {
    const CapacityTree tree(1);
    const std::vector<Need> need{{0, 1}};
    EXPECT_EQ(tree.find(need, 0, 0, all), std::nullopt);
}

/// Linear search.
struct Rows {
    std::vector<std::array<std::int64_t, 2>> rows;

    std::optional<std::uint32_t> find(const std::vector<Need>& needs, std::uint32_t from) const {
        for (std::uint32_t row = from; row < rows.size(); ++row) {
            bool fits = true;
            for (const Need& need : needs) fits = fits && rows[row][need.column] >= need.amount;
            if (fits) return row;
        }
        return std::nullopt;
    }
};

TEST(CapacityTree, EqualsALinearSearchAfterRandomChanges) {
    std::mt19937 dice(7);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(dice() % n); };
    CapacityTree tree(2);
    Rows plain;
    for (int step = 0; step < 20'000; ++step) {
        const std::vector<Need> needs{{0, 1 + below(100)}, {1, 1 + below(100)}};
        const auto size = static_cast<std::uint32_t>(plain.rows.size());
        if (size == 0 || (below(3) == 0 && size < 200)) {
            plain.rows.push_back({below(120), below(120)});
            tree.push(plain.rows.back());
        } else if (below(20) == 0) {
            for (std::uint32_t removed = below(size + 1); removed > 0; --removed) {
                plain.rows.pop_back();
                tree.pop();
            }
            tree.settle();
        } else if (const std::uint32_t row = below(size); below(2) == 0) {
            const int sign = below(3) == 0 ? -1 : 1;
            for (const Need& need : needs) plain.rows[row][need.column] -= sign * need.amount;
            tree.take(row, needs, sign);
        }
        const auto end = static_cast<std::uint32_t>(plain.rows.size());
        const std::uint32_t from = below(end + 1);
        ASSERT_EQ(tree.find(needs, from, end, all), plain.find(needs, from)) << step;
    }
}

}  // namespace
}  // namespace capstan::engine::scheduling
