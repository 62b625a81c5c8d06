#include "simulator/page/strip.hpp"

#include <chrono>

#include <gmock/gmock.h>

namespace capstan::simulator::page {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace std::chrono_literals;

std::vector<std::string> cell_texts(const std::vector<Cell>& cells) {
    std::vector<std::string> out;
    for (const Cell& cell : cells) out.push_back(cell.text);
    return out;
}

TEST(StripCells, DescribeTheGroupAndItsTimeRange) {
    const GroupHistory group{
        .levels = {{0s, {.target = 1, .ready = 1, .max = 3}},
                   {10min, {.target = 2, .ready = 1, .upcoming = 1, .other = 1, .max = 3}}}};
    EXPECT_THAT(cell_texts(cells_of(group, 1h)),
                ElementsAre("0s to 10m\ntarget 1, 1 ready, 0 upcoming, max 3",
                            "10m to 1h\ntarget 2, 1 ready, 1 upcoming, 1 other, max 3"));
}

TEST(StripCells, CombineShortLevels) {
    const std::vector<Since<int>> pending{{0s, 0}, {1s, 5}, {2s, 2}, {30min, 1}};
    EXPECT_THAT(cell_texts(cells_of(pending, 1h)),
                ElementsAre("0s to 30m\n0 to 5 pending", "30m to 1h\n1 pending"));
}

TEST(StripCells, IncludeTheReasonOfEachBackOff) {
    const GroupHistory group{.levels = {{0s, {}}},
                             .back_offs = {{10min, 20min, "quota"}, {20min, 30min, "stock-out"}}};
    EXPECT_THAT(cell_texts(cells_of(group, 1h)),
                ElementsAre(Not(HasSubstr("backed")),
                            "10m to 20m\ntarget 0, 0 ready, 0 upcoming\n"
                            "backed off from 10m to 20m: quota",
                            "20m to 30m\ntarget 0, 0 ready, 0 upcoming\n"
                            "backed off from 20m to 30m: stock-out",
                            Not(HasSubstr("backed"))));
}

TEST(StripCells, CountManyBackOffsInOneCell) {
    GroupHistory group{.levels = {{0s, {}}}, .back_offs = {}};
    for (int i = 0; i < 5; ++i) group.back_offs.push_back({i * 2s, i * 2s + 1s, "quota"});
    const auto texts = cell_texts(cells_of(group, 10h));
    EXPECT_THAT(texts, ElementsAre(HasSubstr("from 4s to 5s: quota\nand 2 times more")));
}

TEST(StripCells, IncludeABackOffOfNoDuration) {
    const GroupHistory group{.levels = {{0s, {}}}, .back_offs = {{30min, 30min, "quota"}}};
    EXPECT_THAT(cell_texts(cells_of(group, 1h)),
                ElementsAre(Not(HasSubstr("backed")), HasSubstr("from 30m to 30m: quota")));
}

TEST(StripCells, AreLimitedInNumber) {
    std::vector<Since<int>> pending;
    for (int i = 0; i < 50'000; ++i) pending.push_back({i * 1s, i % 3});
    EXPECT_LE(cells_of(pending, 50'000s).size(), 151u);
}

TEST(StripCells, AreEmptyWithoutPasses) {
    EXPECT_THAT(cells_of(GroupHistory{}, 1h), IsEmpty());
    EXPECT_THAT(cells_of(std::vector<Since<int>>{}, 1h), IsEmpty());
}

}  // namespace
}  // namespace capstan::simulator::page
