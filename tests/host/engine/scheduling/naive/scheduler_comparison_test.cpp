// The engine's predicates say what the slow scheduler says, whatever the cluster. To try more
// clusters than this does: CAPSTAN_SEEDS=from,to.
#include "naive/scheduler_comparison.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace capstan::engine::scheduling::naive {
namespace {

struct Seeds {
    unsigned from, to;
};

Seeds seeds(Seeds usual) {
    const char* asked = std::getenv("CAPSTAN_SEEDS");
    if (asked) std::sscanf(asked, "%u,%u", &usual.from, &usual.to);
    return usual;
}

void agree(Seeds usual, const Sizes& sizes, const Spice& spice, int steps) {
    const Seeds all = seeds(usual);
    for (unsigned seed = all.from; seed < all.to; ++seed) {
        SideBySide both(make_random_cluster(seed, sizes, spice));
        ASSERT_EQ(both.find_disagreement(), "") << "seed " << seed << ", at first";
        Dice dice(seed);
        for (int i = 0; i < steps; ++i) {
            for (int j = 0; j < 4; ++j) both.step(dice);
            ASSERT_EQ(both.find_disagreement(), "") << "seed " << seed << ", step " << i;
        }
    }
}

constexpr Spice only_resources{.affinity = 0, .spread = 0, .ports = 0, .volumes = 0};

TEST(PlacementAndNaiveScheduler, AgreeOnResourcesTaintsAndNodeAffinity) {
    agree({0, 40}, {}, only_resources, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnPorts) {
    Spice spice = only_resources;
    spice.ports = 60;
    agree({0, 40}, {}, spice, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnVolumes) {
    Spice spice = only_resources;
    spice.volumes = 60;
    agree({0, 50}, {}, spice, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnInterPodAffinity) {
    Spice spice = only_resources;
    spice.affinity = 50;
    agree({0, 50}, {}, spice, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnTopologySpread) {
    Spice spice = only_resources;
    spice.spread = 70;
    agree({0, 50}, {}, spice, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnDefaultTopologySpread) {
    Spice spice = only_resources;
    spice.spread = 20;
    spice.node_affinity = 30;
    spice.default_spread = 100;
    agree({0, 60}, {}, spice, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnAllPredicates) { agree({0, 80}, {}, {}, 6); }

TEST(PlacementAndNaiveScheduler, AgreeOnAllPredicatesWithDefaultTopologySpread) {
    Spice spice;
    spice.default_spread = 100;
    agree({0, 30}, {}, spice, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnLargeClusters) {
    agree({0, 2}, {.nodes = 40, .bound = 120, .kinds = 20, .shapes = 5}, {}, 3);
}

}  // namespace
}  // namespace capstan::engine::scheduling::naive
