// Compares the engine's predicates with the naive scheduler on random clusters.
// CAPSTAN_SEEDS=FROM,TO selects the seeds from FROM to TO - 1 instead.
#include "naive/scheduler_comparison.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace capstan::engine::scheduling::naive {
namespace {

struct Seeds {
    unsigned from, to;
};

Seeds seeds(Seeds defaults) {
    const char* range = std::getenv("CAPSTAN_SEEDS");
    if (range) std::sscanf(range, "%u,%u", &defaults.from, &defaults.to);
    return defaults;
}

void compare_schedulers(Seeds defaults, const Sizes& sizes, const Frequencies& frequencies,
                        int steps) {
    const Seeds all = seeds(defaults);
    for (unsigned seed = all.from; seed < all.to; ++seed) {
        SchedulerComparison comparison(make_random_cluster(seed, sizes, frequencies));
        ASSERT_EQ(comparison.find_disagreement(), "") << "seed " << seed << ", initially";
        Dice dice(seed);
        for (int i = 0; i < steps; ++i) {
            for (int j = 0; j < 4; ++j) comparison.step(dice);
            ASSERT_EQ(comparison.find_disagreement(), "") << "seed " << seed << ", step " << i;
        }
    }
}

constexpr Frequencies no_inter_pod_constraints{
    .affinity = 0, .spread = 0, .ports = 0, .volumes = 0};

TEST(PlacementAndNaiveScheduler, AgreeOnResourcesTaintsAndNodeAffinity) {
    compare_schedulers({0, 40}, {}, no_inter_pod_constraints, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnPorts) {
    Frequencies frequencies = no_inter_pod_constraints;
    frequencies.ports = 60;
    compare_schedulers({0, 40}, {}, frequencies, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnVolumes) {
    Frequencies frequencies = no_inter_pod_constraints;
    frequencies.volumes = 60;
    compare_schedulers({0, 50}, {}, frequencies, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnInterPodAffinity) {
    Frequencies frequencies = no_inter_pod_constraints;
    frequencies.affinity = 50;
    compare_schedulers({0, 50}, {}, frequencies, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnTopologySpread) {
    Frequencies frequencies = no_inter_pod_constraints;
    frequencies.spread = 70;
    compare_schedulers({0, 50}, {}, frequencies, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnDefaultTopologySpread) {
    Frequencies frequencies = no_inter_pod_constraints;
    frequencies.spread = 20;
    frequencies.node_affinity = 30;
    frequencies.default_spread = 100;
    compare_schedulers({0, 60}, {}, frequencies, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnAllPredicates) { compare_schedulers({0, 80}, {}, {}, 6); }

TEST(PlacementAndNaiveScheduler, AgreeOnAllPredicatesWithDefaultTopologySpread) {
    Frequencies frequencies;
    frequencies.default_spread = 100;
    compare_schedulers({0, 30}, {}, frequencies, 6);
}

TEST(PlacementAndNaiveScheduler, AgreeOnLargeClusters) {
    compare_schedulers({0, 2}, {.nodes = 40, .bound = 120, .kinds = 20, .template_nodes = 5}, {},
                       3);
}

}  // namespace
}  // namespace capstan::engine::scheduling::naive
