#include "engine/scale_down/removal_order.hpp"

#include <gtest/gtest.h>

#include <string>

namespace capstan::engine::scale_down {
namespace {

struct ToBeginCase {
    const char* what;
    std::vector<WaitingRemovals> waiting;
    RemovalsUnderWay under_way;
    int empty, drain;  ///< nodes whose removal begins
};

std::vector<WaitingRemovals> single(int empty, int drain) {
    std::vector<WaitingRemovals> out(static_cast<std::size_t>(empty), WaitingRemovals{.empty = 1});
    out.insert(out.end(), static_cast<std::size_t>(drain), WaitingRemovals{.drain = 1});
    return out;
}

std::vector<WaitingRemovals> with_whole(std::vector<WaitingRemovals> out,
                                        std::vector<WaitingRemovals> groups) {
    for (WaitingRemovals group : groups) {
        group.atomic = true;
        out.push_back(group);
    }
    return out;
}

TEST(RemovalsToBegin, RespectLimitsOfTenRemovalsAndFiveDrains) {
    const std::vector<ToBeginCase> cases{
        {"none", {}, {}, 0, 0},
        {"11 empty", single(11, 0), {}, 10, 0},
        {"8 with pods", single(0, 8), {}, 0, 5},
        {"a group of 11 exceeds the limit", with_whole({}, {{.empty = 11}}), {}, 11, 0},
        {"a second group may not exceed it",
         with_whole({}, {{.empty = 3}, {.empty = 8}}),
         {},
         3,
         0},
        {"8 empty and a group of 3", with_whole(single(8, 0), {{.empty = 3}}), {}, 10, 0},
        {"a group of 8, 6 in progress", with_whole({}, {{.empty = 8}}), {.empty = 6}, 8, 0},
        {"a group of 8, 10 in progress", with_whole({}, {{.empty = 8}}), {.empty = 10}, 0, 0},
        {"8 empty, 8 with pods", single(8, 8), {}, 8, 2},
        {"groups of 8 empty and 4 with pods",
         with_whole({}, {{.empty = 8}, {.drain = 4}}),
         {},
         8,
         0},
        {"a group that is partly empty", with_whole({}, {{.empty = 4, .drain = 4}}), {}, 4, 4},
        {"8 with pods, 3 drains in progress", single(0, 8), {.drain = 3}, 0, 2},
        {"empty nodes wait for empty ones", single(3, 0), {.empty = 1, .drain = 9}, 0, 0},
        {"one empty node does not wait for drains", single(3, 0), {.drain = 10}, 1, 0},
    };
    ScaleDownSettings settings;
    settings.max_parallelism = 10;
    settings.max_drain_parallelism = 5;
    for (const ToBeginCase& c : cases) {
        int empty = 0, drain = 0;
        for (const std::size_t turn : select_removals_to_begin(c.waiting, c.under_way, settings)) {
            empty += c.waiting[turn].empty;
            drain += c.waiting[turn].drain;
        }
        EXPECT_EQ(empty, c.empty) << c.what;
        EXPECT_EQ(drain, c.drain) << c.what;
    }
}

TEST(RemovalsToBegin, PreferGroupsThenEmptyNodesInTheGivenOrder) {
    std::vector<WaitingRemovals> waiting{
        {.drain = 1}, {.empty = 1}, {.empty = 2, .atomic = true}, {.empty = 1}};
    EXPECT_EQ(select_removals_to_begin(waiting, {}, {}), (std::vector<std::size_t>{2, 1, 3, 0}));
}

TEST(RemovalsToBegin, SkipRemovalsThatMayNotBegin) {
    ScaleDownSettings settings;
    settings.max_parallelism = 3;
    const auto but = [](std::size_t unable) { return [=](std::size_t i) { return i != unable; }; };
    EXPECT_EQ(select_removals_to_begin(single(0, 3), {}, settings, but(0)),
              (std::vector<std::size_t>{1}));
    EXPECT_EQ(select_removals_to_begin(single(5, 0), {}, settings, but(1)),
              (std::vector<std::size_t>{0, 2, 3}));
    // The first group that begins may exceed the limit, even after a group that may not begin.
    const std::vector<WaitingRemovals> atomic = with_whole({}, {{.empty = 4}, {.empty = 5}});
    EXPECT_EQ(select_removals_to_begin(atomic, {}, settings, but(0)),
              (std::vector<std::size_t>{1}));
    EXPECT_TRUE(select_removals_to_begin(single(1, 1), {}, settings, [](std::size_t) {
                    return false;
                }).empty());
}

TEST(RemovalsToBegin, AreEmptyIfNoneAreAllowed) {
    ScaleDownSettings settings;
    settings.max_parallelism = 0;
    EXPECT_TRUE(select_removals_to_begin(single(2, 2), {}, settings).empty());
    settings.max_parallelism = 10;
    settings.max_drain_parallelism = 0;
    EXPECT_EQ(select_removals_to_begin(single(2, 2), {}, settings).size(), 2u);
}

}  // namespace
}  // namespace capstan::engine::scale_down
