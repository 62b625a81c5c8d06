/// Small clusters in which everything that decides where a pod may go occurs: by seed, so that a
/// failure can be had again.
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

/// Chance, the same on every machine.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}

    /// From nought to less than `n`.
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

/// What may occur in a cluster, in percent of the pods or nodes that might have it.
struct Frequencies {
    int affinity = 25;  ///< between pods
    int spread = 30;    ///< of pods over domains
    int ports = 12;
    int volumes = 15;
    int node_affinity = 15;
    int taints = 15;
    int default_spread = 0;  ///< of clusters: their scheduler has some, and pods have controllers
};

struct Sizes {
    int nodes = 6, bound = 12, kinds = 8, shapes = 3;
};

struct RandomCluster {
    snapshot::Cluster cluster;
    std::vector<snapshot::PodGroupId> pod_groups;
    std::vector<TemplateNode> shapes;
    std::vector<snapshot::DefaultSpread> default_spread{};
};

/// `kinds` of pods are dealt over the nodes, whether they fit or not, and asked about.
RandomCluster make_random_cluster(std::uint64_t seed, const Sizes& sizes = {},
                                  const Frequencies& frequencies = {});

/// A pod of random kind, without a name.
snapshot::PodObject make_random_pod(Dice& dice, const Frequencies& frequencies);
/// Labels, taints and room of a node, or of a shape.
snapshot::NodeObject make_random_node(Dice& dice, const Frequencies& frequencies,
                                      const std::string& name);

}  // namespace capstan::engine::scheduling::naive
