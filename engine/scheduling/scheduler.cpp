#include "engine/scheduling/scheduler.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include <capstan/hash.hpp>
#include <capstan/well_known.hpp>

namespace capstan::engine::scheduling {
namespace {

class Scheduling {
public:
    Scheduling(const snapshot::Cluster& cluster, std::span<const PodGroupId> pods,
               SchedulerScore preferred)
        : preferred_(preferred),
          predicates_(cluster, classes_of(pods), {}),
          placement_(predicates_),
          zones_(cluster) {
        for (PodGroupIndex s = 0; s < predicates_.pod_groups().size(); ++s)
            subject_of_[predicates_.pod_groups()[s]] = s;
        classes_.resize(predicates_.pod_groups().size());
    }

    std::optional<NodeIndex> place(PodGroupId equivalence_group) {
        const PodGroupIndex pod_group = subject_of_.at(equivalence_group);
        Class& c = classes_[pod_group];
        if (c.refused_at &&
            (*c.refused_at == touched_.size() || !predicates_.has_inter_pod_constraints(pod_group)))
            return std::nullopt;
        NodeRanking& ranking = ranking_of(pod_group);
        const std::optional<NodeIndex> node = ranking.find_best();
        if (!node) {
            c.refused_at = touched_.size();
            return std::nullopt;
        }
        placement_.place(pod_group, *node, 1);
        ranking.count_pod(*node);
        touched_.push_back(*node);
        return node;
    }

    std::size_t placed() const noexcept { return touched_.size(); }

private:
    struct Class {
        std::unique_ptr<NodeRanking> ranking{};
        std::size_t seen = 0;  ///< entries of touched_ that `ranking` knows of
        /// How many pods had been placed when a pod of the class last found no node.
        std::optional<std::size_t> refused_at{};
    };

    static std::vector<PodGroupId> classes_of(std::span<const PodGroupId> pods) {
        const std::set<PodGroupId> distinct(pods.begin(), pods.end());
        return {distinct.begin(), distinct.end()};
    }

    NodeRanking& ranking_of(PodGroupIndex pod_group) {
        Class& c = classes_[pod_group];
        if (!c.ranking) {
            c.ranking = std::make_unique<NodeRanking>(placement_, pod_group, zones_, preferred_);
            count_present(pod_group, *c.ranking);
            c.seen = touched_.size();
        }
        for (; c.seen < touched_.size(); ++c.seen) c.ranking->refresh(touched_[c.seen]);
        return *c.ranking;
    }

    void count_present(PodGroupIndex pod_group, NodeRanking& ranking) {
        if (zones_.count < 2) return;
        const snapshot::Cluster& cluster = predicates_.cluster();
        for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
            for (const PodIndex pod : cluster.pods_on(n)) {
                if (cluster.equivalence_group_of(pod) == predicates_.pod_groups()[pod_group])
                    ranking.count_pod(n);
            }
        }
    }

    const SchedulerScore preferred_;
    CompiledPredicates predicates_;
    Placement placement_;
    Zones zones_;
    std::unordered_map<PodGroupId, PodGroupIndex> subject_of_;
    std::vector<Class> classes_;
    std::vector<NodeIndex> touched_;
};

}  // namespace

std::vector<std::optional<NodeIndex>> find_nodes(const snapshot::Cluster& cluster,
                                                 std::span<const PodGroupId> pods,
                                                 SchedulerScore preferred) {
    std::vector<std::optional<NodeIndex>> nodes(pods.size());
    if (pods.empty() || cluster.node_count() == 0) return nodes;
    Scheduling scheduling(cluster, pods, preferred);
    // A pod with inter-pod constraints may fit once others are placed: as long as any pod is
    // placed, the rest are tried again.
    std::size_t before = 0;
    do {
        before = scheduling.placed();
        for (std::size_t i = 0; i < pods.size(); ++i) {
            if (!nodes[i]) nodes[i] = scheduling.place(pods[i]);
        }
    } while (scheduling.placed() > before);
    return nodes;
}

namespace {

constexpr std::int64_t zone_weight = 2;
constexpr std::int64_t taint_weight = 3;

}  // namespace

Zones::Zones(const snapshot::Cluster& cluster) {
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const auto zone =
            snapshot::find_label(cluster, cluster.node(n).labels, well_known::zone_label);
        const auto symbol = static_cast<std::uint32_t>(zone.value_or(snapshot::Symbol::empty));
        of_node.push_back(numbers.try_emplace(symbol, count).first->second);
        count = static_cast<std::uint32_t>(numbers.size());
    }
}

NodeRanking::NodeRanking(const Placement& placement, PodGroupIndex pod_group, const Zones& zones,
                         SchedulerScore preferred)
    : placement_(placement),
      pod_group_(pod_group),
      zones_(zones),
      preferred_(preferred),
      is_lasting_(!placement.predicates().has_inter_pod_constraints(pod_group)),
      by_zone_(zones.count),
      score_of_(zones.of_node.size()),
      pods_in_(zones.count, 0) {
    find_unwanted();
    for (NodeIndex n = 0; n < zones.of_node.size(); ++n) refresh(n);
}

void NodeRanking::find_unwanted() {
    const snapshot::Cluster& cluster = placement_.predicates().cluster();
    const PodGroupId id = placement_.predicates().pod_groups()[pod_group_];
    const std::vector<Toleration>& tolerations = cluster.equivalence_group(id).spec->tolerations;
    const auto is_unwanted = [&](const Taint& taint) {
        return taint.effect == Effect::prefer_no_schedule &&
               std::ranges::none_of(tolerations, [&](const Toleration& toleration) {
                   return tolerates(toleration, taint);
               });
    };
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const std::int64_t count = std::ranges::count_if(cluster.node(n).taints, is_unwanted);
        if (count == 0) continue;
        unwanted_.resize(cluster.node_count());
        unwanted_[n] = count;
        most_unwanted_ = std::max(most_unwanted_, count);
    }
}

void NodeRanking::count_pod(NodeIndex node) { ++pods_in_[zones_.of_node[node]]; }

void NodeRanking::refresh(NodeIndex node) {
    Order& order = by_zone_[zones_.of_node[node]];
    std::optional<std::int64_t>& current = score_of_[node];
    if (current) order.erase({*current, node});
    current = score(node);
    if (current) order.insert({*current, node});
}

std::optional<NodeIndex> NodeRanking::find_best() {
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

/// The score without that of the zone; absent: the node lacks resources for the pod, which is cheap
/// to check.
std::optional<std::int64_t> NodeRanking::score(NodeIndex node) const {
    const auto allocatable = placement_.predicates().cluster().allocatable(node);
    std::int64_t left[2] = {placement_.free(node, snapshot::cpu_index),
                            placement_.free(node, snapshot::memory_index)};
    for (const snapshot::Request& request : placement_.predicates().requests(pod_group_)) {
        if (placement_.free(node, request.resource) < request.amount) return std::nullopt;
        if (request.resource <= snapshot::memory_index) left[request.resource] -= request.amount;
    }
    std::int64_t sum = 0;
    for (const ResourceIndex r : {snapshot::cpu_index, snapshot::memory_index}) {
        if (allocatable[r] > 0) {
            sum += static_cast<std::int64_t>(
                100.0 * static_cast<double>(std::max<std::int64_t>(left[r], 0)) /
                static_cast<double>(allocatable[r]));
        }
    }
    const std::int64_t unwanted =
        unwanted_.empty() ? 0 : taint_weight * 100 * unwanted_[node] / most_unwanted_;
    return preference(node, sum / 2) - unwanted;
}

/// From 0 to 100. `free_share`: the share of resources that stays free, from 0 to 100.
std::int64_t NodeRanking::preference(NodeIndex node, std::int64_t free_share) const {
    switch (preferred_) {
        case SchedulerScore::least_allocated: return free_share;
        case SchedulerScore::most_allocated: return 100 - free_share;
        case SchedulerScore::random: break;
    }
    const snapshot::Cluster& cluster = placement_.predicates().cluster();
    Hash hash;
    hash.add(cluster.text(cluster.node(node).name));
    hash.add(free_share);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(hash.value()) % 101);
}

std::int64_t NodeRanking::zone_score(std::uint32_t zone) const {
    const std::int64_t most = *std::ranges::max_element(pods_in_);
    return most == 0 ? 0 : zone_weight * 100 * (most - pods_in_[zone]) / most;
}

bool NodeRanking::takes_one(NodeIndex node) const {
    return placement_.room(pod_group_, node, 1).in_all > 0;
}

}  // namespace capstan::engine::scheduling
