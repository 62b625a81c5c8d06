#include "simulation/node_ranking.hpp"

#include <algorithm>
#include <unordered_map>

#include <capstan/well_known.hpp>

namespace capstan::simulation {
namespace {

constexpr std::int64_t zone_weight = 2;

}  // namespace

Zones::Zones(const engine::snapshot::Cluster& cluster) {
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (engine::snapshot::NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const auto zone =
            engine::snapshot::find_label(cluster, cluster.node(n).labels, well_known::zone_label);
        const auto symbol =
            static_cast<std::uint32_t>(zone.value_or(engine::snapshot::Symbol::empty));
        of_node.push_back(numbers.try_emplace(symbol, count).first->second);
        count = static_cast<std::uint32_t>(numbers.size());
    }
}

NodeRanking::NodeRanking(const engine::scheduling::Placement& placement,
                         engine::scheduling::PodGroupIndex pod_group, const Zones& zones)
    : placement_(placement),
      pod_group_(pod_group),
      zones_(zones),
      is_lasting_(!placement.rules().has_inter_pod_constraints(pod_group)),
      by_zone_(zones.count),
      score_of_(zones.of_node.size()),
      pods_in_(zones.count, 0) {
    for (engine::snapshot::NodeIndex n = 0; n < zones.of_node.size(); ++n) refresh(n);
}

void NodeRanking::count_pod(engine::snapshot::NodeIndex node) { ++pods_in_[zones_.of_node[node]]; }

void NodeRanking::refresh(engine::snapshot::NodeIndex node) {
    Order& order = by_zone_[zones_.of_node[node]];
    if (score_of_[node]) order.erase({*score_of_[node], node});
    score_of_[node] = score(node);
    if (score_of_[node]) order.insert({*score_of_[node], node});
}

std::optional<engine::snapshot::NodeIndex> NodeRanking::find_best() {
    std::vector<Order::iterator> next;
    for (Order& order : by_zone_) next.push_back(order.begin());
    while (true) {
        std::optional<std::uint32_t> zone;
        Candidate best;
        for (std::uint32_t z = 0; z < by_zone_.size(); ++z) {
            if (next[z] == by_zone_[z].end()) continue;
            const Candidate here{next[z]->score + zone_score(z), next[z]->node};
            if (zone && !(here < best)) continue;
            zone = z;
            best = here;
        }
        if (!zone) return std::nullopt;
        if (takes_one(best.node)) return best.node;
        if (is_lasting_) {
            next[*zone] = by_zone_[*zone].erase(next[*zone]);
            score_of_[best.node].reset();
        } else {
            ++next[*zone];
        }
    }
}

/// Nothing: the resources alone keep the pod off, which is cheap to see.
std::optional<std::int64_t> NodeRanking::score(engine::snapshot::NodeIndex node) const {
    const auto allocatable = placement_.rules().cluster().allocatable(node);
    std::int64_t left[2] = {placement_.free(node, engine::snapshot::cpu_index),
                            placement_.free(node, engine::snapshot::memory_index)};
    for (const engine::snapshot::Request& request : placement_.rules().requests(pod_group_)) {
        if (placement_.free(node, request.resource) < request.amount) return std::nullopt;
        if (request.resource <= engine::snapshot::memory_index)
            left[request.resource] -= request.amount;
    }
    std::int64_t sum = 0;
    for (const engine::snapshot::ResourceIndex r :
         {engine::snapshot::cpu_index, engine::snapshot::memory_index}) {
        if (allocatable[r] > 0) {
            sum += static_cast<std::int64_t>(
                100.0 * static_cast<double>(std::max<std::int64_t>(left[r], 0)) /
                static_cast<double>(allocatable[r]));
        }
    }
    return sum / 2;
}

std::int64_t NodeRanking::zone_score(std::uint32_t zone) const {
    const std::int64_t most = *std::ranges::max_element(pods_in_);
    return most == 0 ? 0 : zone_weight * 100 * (most - pods_in_[zone]) / most;
}

bool NodeRanking::takes_one(engine::snapshot::NodeIndex node) const {
    return placement_.room(pod_group_, node, 1).in_all > 0;
}

}  // namespace capstan::simulation
