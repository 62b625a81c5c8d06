#include "engine/scale_down/removal_order.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "engine/snapshot/spread_timeout.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine {
namespace {

/// What makes one node a better choice than another, names left out.
struct Rank {
    bool has_pods = false;
    bool is_new = false;
    bool is_risky = false;
    std::size_t pods = 0;
    double utilization = 0;
    auto operator<=>(const Rank&) const = default;
};

Rank rank_of(const Candidate& node, const Cluster& cluster, const Memory& memory) {
    Rank out{.has_pods = !node.is_empty(), .is_risky = node.is_risky, .pods = node.moving.size()};
    out.is_new = !memory.unneeded.contains(cluster.text(cluster.node(node.node).name));
    // What goes with the node disturbs nobody.
    if (out.has_pods) out.utilization = node.utilization;
    return out;
}

/// Nodes of each machine type in each zone, fewer with each that goes.
class Zones {
public:
    explicit Zones(const Cluster& cluster) : place_of_(cluster.node_count()) {
        std::map<std::pair<Symbol, Symbol>, std::uint32_t> numbers;
        MachineTypeFinder machine_types(cluster);
        LabelFinder zones(cluster, zone_label);
        for (NodeIndex n = 0; n < place_of_.size(); ++n) {
            const NodeRow& node = cluster.node(n);
            const std::pair place(machine_types.find(node).value_or(Symbol::empty),
                                  zones.find(node.labels).value_or(Symbol::empty));
            place_of_[n] = numbers.try_emplace(place, numbers.size()).first->second;
            nodes_.resize(numbers.size());
            ++nodes_[place_of_[n]];
        }
    }
    std::uint32_t place_of(NodeIndex node) const { return place_of_[node]; }
    int nodes_in(std::uint32_t place) const { return nodes_[place]; }
    void take(NodeIndex node) { --nodes_[place_of_[node]]; }

private:
    std::vector<std::uint32_t> place_of_;  // by node: its machine type and zone
    std::vector<int> nodes_{};             // by place
};

/// Those of equal rank: always one from where there are the most.
void add_evenly(std::vector<std::size_t>& to, std::span<const std::size_t> equal,
                const Candidates& candidates, Zones& zones) {
    std::map<std::uint32_t, std::vector<std::size_t>> by_place;  // each by name, the last first
    for (std::size_t i = equal.size(); i-- > 0;) {
        const NodeIndex node = candidates.nodes[equal[i]].node;
        by_place[zones.place_of(node)].push_back(equal[i]);
    }
    const auto rank = [&](const auto& entry) {
        return std::pair(-zones.nodes_in(entry.first), entry.second.back());
    };
    while (!by_place.empty()) {
        const auto best = std::ranges::min_element(by_place, {}, rank);
        to.push_back(best->second.back());
        zones.take(candidates.nodes[best->second.back()].node);
        best->second.pop_back();
        if (best->second.empty()) by_place.erase(best);
    }
}

std::vector<std::size_t> sort_single_nodes(const Scene& scene, const Candidates& candidates,
                                           const Memory& memory, std::vector<std::size_t> nodes) {
    const Cluster& cluster = scene.snapshot->cluster;
    std::vector<Rank> ranks(candidates.nodes.size());
    for (const std::size_t i : nodes) ranks[i] = rank_of(candidates.nodes[i], cluster, memory);
    std::ranges::sort(nodes, [&](std::size_t a, std::size_t b) {
        return std::pair(ranks[a], a) < std::pair(ranks[b], b);
    });
    Zones zones(cluster);
    std::vector<std::size_t> out;
    for (std::size_t from = 0, end = 0; from < nodes.size(); from = end) {
        while (end < nodes.size() && ranks[nodes[end]] == ranks[nodes[from]]) ++end;
        add_evenly(out, std::span(nodes).subspan(from, end - from), candidates, zones);
    }
    return out;
}

}  // namespace

std::vector<RemovalUnit> removal_order(const Scene& scene, const Candidates& candidates,
                                       const Memory& memory) {
    std::map<GroupIndex, std::vector<std::size_t>> whole;
    std::vector<std::size_t> single;
    for (std::size_t i = 0; i < candidates.nodes.size(); ++i) {
        const GroupIndex group = candidates.nodes[i].group;
        const bool is_whole = scene.groups()[group].options.zero_or_max.value_or(false);
        (is_whole ? whole[group] : single).push_back(i);
    }
    std::vector<RemovalUnit> out;
    for (auto& [group, nodes] : whole) out.push_back({std::move(nodes), true});
    for (const std::size_t i : sort_single_nodes(scene, candidates, memory, std::move(single)))
        out.push_back({{i}, false});
    return out;
}

}  // namespace capstan::engine
