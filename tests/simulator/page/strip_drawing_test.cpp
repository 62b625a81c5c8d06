#include "page_case.hpp"
#include "simulator/page/strip.hpp"

#include <gmock/gmock.h>

namespace capstan::simulator::page {
namespace {

using ::testing::ElementsAre;

/// One column is a minute.
const Strips one_hour{.span = 1h, .columns = 60};

ReadPage drawn_group(const GroupHistory& group) {
    return ReadPage(draw_group("web", group, {}, one_hour));
}

GroupHistory steady_group(int target, std::optional<int> max) {
    return {.levels = {{0s, {.target = target, .ready = target, .max = max}}}, .back_offs = {}};
}

TEST(StripDrawing, ShowsTheMaximumOnlyIfItIsNear) {
    struct Case {
        int target;
        std::optional<int> max;
        std::size_t lines;
    };
    for (const auto& [target, max, lines] :
         {Case{2, 4, 1}, Case{2, 5, 0}, Case{0, 4, 1}, Case{0, 5, 0}, Case{10, 20, 1},
          Case{10, 21, 0}, Case{2, std::nullopt, 0}})
        EXPECT_EQ(drawn_group(steady_group(target, max)).count("//path[@class='max']"), lines)
            << target << " of " << max.value_or(-1);
}

TEST(StripDrawing, CombinesBackOffsThatShareAColumn) {
    const auto bands_of = [](std::vector<Band> bands) {
        GroupHistory group = steady_group(1, {});
        group.back_offs = std::move(bands);
        return drawn_group(group).count("//g[@class='back-off']");
    };
    EXPECT_EQ(bands_of({}), 0u);
    EXPECT_EQ(bands_of({{5s, 10s, "a"}, {20s, 30s, "b"}}), 1u);
    EXPECT_EQ(bands_of({{5s, 10s, "a"}, {20s, 90s, "b"}, {100s, 110s, "c"}}), 1u);
    EXPECT_EQ(bands_of({{5s, 10s, "a"}, {10min, 11min, "b"}}), 2u);
}

TEST(StripDrawing, ShowsABackOffOfNoDuration) {
    GroupHistory group = steady_group(1, {});
    group.back_offs = {{30min, 30min, "quota"}};
    EXPECT_THAT(drawn_group(group).texts("//rect[@class='hatch']/@width"), ElementsAre("1"));
    EXPECT_THAT(drawn_group(group).texts("//rect[@class='hatch']/@x"), ElementsAre("590"));
}

TEST(StripDrawing, HasAxesButNoLinesWithoutPasses) {
    const ReadPage empty = drawn_group({});
    EXPECT_EQ(empty.count("//path[@class='target']"), 0u);
    EXPECT_EQ(empty.count("//path[@class='ready']"), 0u);
    EXPECT_THAT(empty.texts("//text[@class='count']"), ElementsAre("0", "1"));
    EXPECT_THAT(empty.texts("/svg/@aria-label"),
                ElementsAre("Group web: nodes and target over time"));
}

TEST(StripDrawing, OfPendingPodsReachesToTheirPeak) {
    const ReadPage page(draw_pending({{0s, 0}, {10min, 7}, {20min, 0}}, {}, one_hour));
    EXPECT_EQ(page.count("//path[@class='pending']"), 1u);
    EXPECT_THAT(page.texts("//text[@class='count']"), ElementsAre("0", "5", "10"));
    EXPECT_THAT(
        page.texts("//rect[@class='cell']/title"),
        ElementsAre("0s to 10m\n0 pending", "10m to 20m\n7 pending", "20m to 1h\n0 pending"));
}

}  // namespace
}  // namespace capstan::simulator::page
