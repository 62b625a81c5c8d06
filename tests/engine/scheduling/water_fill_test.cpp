#include "engine/scheduling/water_fill.hpp"

#include <numeric>

#include <gmock/gmock.h>

namespace capstan::engine::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int> fill(std::vector<scheduling::DomainLoad> domains, int pods) {
    return scheduling::water_fill(domains, pods);
}

TEST(WaterFill, FillsTheEmptiestDomainsFirst) {
    EXPECT_THAT(fill({{0}, {2}, {5}}, 5), ElementsAre(4, 1, 0));
    EXPECT_THAT(fill({{0}, {2}, {5}}, 8), ElementsAre(5, 3, 0));
    EXPECT_THAT(fill({{0}, {2}, {5}}, 9), ElementsAre(6, 3, 0));
}

TEST(WaterFill, GivesTheRemainderToTheFirstDomains) {
    EXPECT_THAT(fill({{0}, {0}, {0}}, 7), ElementsAre(3, 2, 2));
    EXPECT_THAT(fill({{0}, {0}, {0}}, 1), ElementsAre(1, 0, 0));
}

TEST(WaterFill, RespectsTheMaximumOfADomain) {
    EXPECT_THAT(fill({{0, 2}, {0}, {0}}, 8), ElementsAre(2, 3, 3));
    EXPECT_THAT(fill({{0, 2}, {1, 3}}, 100), ElementsAre(2, 2));
    EXPECT_THAT(fill({{4, 2}, {0, 1}}, 3), ElementsAre(0, 1));
}

TEST(WaterFill, HandlesEmptyInput) {
    EXPECT_THAT(fill({}, 5), IsEmpty());
    EXPECT_THAT(fill({{3}, {0}}, 0), ElementsAre(0, 0));
}

TEST(WaterFill, DoesNotOverflow) {
    constexpr int many = std::numeric_limits<int>::max() - 1;
    EXPECT_THAT(fill({{many}, {0}}, 10), ElementsAre(0, 10));
    EXPECT_THAT(fill({{0}, {0}}, many), ElementsAre(many / 2, many / 2));
}

}  // namespace
}  // namespace capstan::engine::scheduling
