/// Small random clusters, by seed, with most features that affect scheduling.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/scheduling/compiled_predicates.hpp"
#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/default_spread.hpp"
#include "engine/snapshot/objects.hpp"

namespace capstan::engine::scheduling::naive {

/// Random numbers that are the same on every platform.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}

    /// From 0 to `n` - 1.
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
    int between(int least, int most) { return least + below(most - least + 1); }
    bool chance(int percent) { return below(100) < percent; }
    template <class T>
    T one_of(const std::vector<T>& all) {
        return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
    }
    std::string word(std::vector<std::string> all) { return one_of(all); }

private:
    std::mt19937_64 random_;
};

/// About how often a feature occurs, as a percentage of pods, nodes or clusters.
struct Frequencies {
    int affinity = 25;  ///< between pods
    int spread = 30;    ///< of pods over domains
    int ports = 12;
    int volumes = 15;
    int node_affinity = 15;
    int taints = 15;
    int default_spread = 0;  ///< of clusters: default constraints, controllers and Services
};

struct Sizes {
    int nodes = 6, bound = 12, kinds = 8, template_nodes = 3;
};

struct RandomCluster {
    snapshot::Cluster cluster;
    std::vector<PodGroupId> pod_groups;
    std::vector<TemplateNode> template_nodes;
    std::vector<snapshot::DefaultSpread> default_spread{};
};

/// Binds pods of `sizes.kinds` kinds to random nodes, whether they fit or not. Returns the
/// equivalence groups of these kinds as pod groups, but without the last one if there are more than
/// two.
RandomCluster make_random_cluster(std::uint64_t seed, const Sizes& sizes = {},
                                  const Frequencies& frequencies = {});

/// A random pod without a name.
snapshot::PodObject make_random_pod(Dice& dice, const Frequencies& frequencies);
/// A node with random labels, taints and resources.
snapshot::NodeObject make_random_node(Dice& dice, const Frequencies& frequencies,
                                      const std::string& name);

}  // namespace capstan::engine::scheduling::naive
