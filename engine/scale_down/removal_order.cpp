#include "engine/scale_down/removal_order.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>
#include <capstan/well_known.hpp>

#include "engine/next_change.hpp"
#include "engine/snapshot/spread_timeout.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine::scale_down {
namespace {

/// The order of single nodes, without zones and names: the lower comes first.
struct Rank {
    bool has_pods = false;
    bool is_new = false;
    bool is_risky = false;
    std::size_t pods = 0;
    double utilization = 0;
    auto operator<=>(const Rank&) const = default;
};

Rank rank_of(const drainability::Candidate& node, const snapshot::Cluster& cluster,
             const Memory& memory) {
    Rank out{.has_pods = !node.is_empty(), .is_risky = node.is_risky, .pods = node.moving.size()};
    out.is_new = !memory.unneeded.contains(cluster.text(cluster.node(node.node).name));
    // A DaemonSet pod ends with its node, which counts as no disruption.
    if (out.has_pods) out.utilization = node.utilization;
    return out;
}

/// The number of nodes of each machine type in each zone that are not removed yet.
class Zones {
public:
    explicit Zones(const snapshot::Cluster& cluster) : place_of_(cluster.node_count()) {
        std::map<std::pair<snapshot::Symbol, snapshot::Symbol>, std::uint32_t> numbers;
        templates::MachineTypeFinder machine_types(cluster);
        snapshot::LabelFinder zones(cluster, well_known::zone_label);
        for (NodeIndex n = 0; n < place_of_.size(); ++n) {
            const snapshot::NodeRow& node = cluster.node(n);
            const std::pair place(machine_types.find(node).value_or(snapshot::Symbol::empty),
                                  zones.find(node.labels).value_or(snapshot::Symbol::empty));
            place_of_[n] = numbers.try_emplace(place, numbers.size()).first->second;
            nodes_.resize(numbers.size());
            ++nodes_[place_of_[n]];
        }
    }
    std::uint32_t place_of(NodeIndex node) const { return place_of_[node]; }
    int nodes_in(std::uint32_t place) const { return nodes_[place]; }
    void take(NodeIndex node) { --nodes_[place_of_[node]]; }

private:
    std::vector<std::uint32_t> place_of_;  // by node: the number of its machine type and zone
    std::vector<int> nodes_{};             // by that number
};

/// Appends candidates of equal rank, each time one from the zone with the most nodes left.
void add_evenly(std::vector<std::size_t>& to, std::span<const std::size_t> equal,
                const drainability::Candidates& candidates, Zones& zones) {
    std::map<std::uint32_t, std::vector<std::size_t>> by_place;  // each in descending order
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

std::vector<std::size_t> sort_single_nodes(const pass_context::PassContext& context,
                                           const drainability::Candidates& candidates,
                                           const Memory& memory, std::vector<std::size_t> nodes) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
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

std::vector<RemovalUnit> removal_order(const pass_context::PassContext& context,
                                       const drainability::Candidates& candidates,
                                       const Memory& memory) {
    std::map<GroupIndex, std::vector<std::size_t>> atomic;
    std::vector<std::size_t> single;
    for (std::size_t i = 0; i < candidates.nodes.size(); ++i) {
        const GroupIndex group = candidates.nodes[i].group;
        const bool is_atomic = context.groups()[group].options.zero_or_max.value_or(false);
        (is_atomic ? atomic[group] : single).push_back(i);
    }
    std::vector<RemovalUnit> out;
    for (auto& [group, nodes] : atomic) out.push_back({std::move(nodes), true});
    for (const std::size_t i : sort_single_nodes(context, candidates, memory, std::move(single)))
        out.push_back({{i}, false});
    return out;
}

namespace {

class Turns {
public:
    Turns(std::span<const WaitingRemovals> waiting, RemovalsUnderWay under_way,
          const ScaleDownSettings& settings, const std::function<bool(std::size_t)>& may_begin)
        : waiting_(waiting),
          may_begin_(may_begin),
          all_(settings.max_parallelism - under_way.empty - under_way.drain),
          drain_(settings.max_drain_parallelism - under_way.drain),
          under_way_(under_way),
          most_(settings.max_parallelism) {}

    std::vector<std::size_t> take() {
        take_atomic([](const WaitingRemovals& turn) { return turn.empty > 0; });
        take_atomic([](const WaitingRemovals& turn) { return turn.empty == 0; });
        const bool keep_all_waiting = all_ < 1 && under_way_.empty == 0 && out_.empty();
        if (keep_all_waiting) take_single(std::min(most_, 1), true);
        take_single(all_, true);
        take_single(std::min(all_, drain_), false);
        return std::move(out_);
    }

private:
    template <class IsOfKind>
    void take_atomic(IsOfKind is_of_kind) {
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            const WaitingRemovals& turn = waiting_[i];
            if (!turn.atomic || !is_of_kind(turn)) continue;
            const int drain = std::min(all_, drain_);
            const bool fits = turn.empty + turn.drain <= all_ && turn.drain <= drain;
            const bool is_any_left = all_ > 0 && (turn.drain == 0 || drain > 0);
            // Smaller units behind it do not begin, or they would keep it waiting for ever.
            if (!fits && (!is_any_left || !may_go_beyond_)) return;
            if (begin(i)) may_go_beyond_ = false;
        }
    }

    void take_single(int most, bool empty) {
        for (std::size_t i = 0; i < waiting_.size() && most > 0; ++i) {
            if (waiting_[i].atomic || (waiting_[i].empty > 0) != empty) continue;
            CAPSTAN_ASSERT(waiting_[i].empty + waiting_[i].drain == 1,
                           "a removal of one node has several");
            if (!begin(i)) continue;
            --most;
            CAPSTAN_ASSERT(empty || (all_ >= 0 && drain_ >= 0),
                           "more drains begin than the maximum allows");
        }
    }

    bool begin(std::size_t i) {
        if (may_begin_ && !may_begin_(i)) return false;
        all_ -= waiting_[i].empty + waiting_[i].drain;
        drain_ -= waiting_[i].drain;
        out_.push_back(i);
        return true;
    }

    std::span<const WaitingRemovals> waiting_;
    const std::function<bool(std::size_t)>& may_begin_;
    int all_;    // how many more nodes may begin
    int drain_;  // how many more nodes with pods may begin
    RemovalsUnderWay under_way_;
    int most_;
    bool may_go_beyond_ = true;  // only the first whole group
    std::vector<std::size_t> out_{};
};

}  // namespace

std::vector<std::size_t> select_removals_to_begin(
    std::span<const WaitingRemovals> waiting, RemovalsUnderWay under_way,
    const ScaleDownSettings& settings, const std::function<bool(std::size_t)>& may_begin) {
    return Turns(waiting, under_way, settings, may_begin).take();
}

std::optional<Cooldown> find_cooldown(const LastActions& last, const ScaleDownSettings& settings,
                                      Time now, std::string_view grown) {
    std::optional<Cooldown> out;
    const auto consider = [&](std::optional<Time> when, const std::string& what, Duration delay,
                              const char* key) {
        if (!when) return;
        const Time until = later(*when, delay);
        if (until <= now || (out && out->until >= until)) return;
        const auto ago = std::chrono::floor<std::chrono::seconds>(now - *when);
        const std::string setting = std::string("scale_down.") + key;
        out = {.until = until,
               .setting = setting,
               .after = "the last " + what,
               .because = "last " + what + " " + format_rough_duration(ago) + " ago, " + setting +
                          " is " + format_duration(delay)};
    };
    const std::string of = grown.empty() ? "" : " (group " + std::string(grown) + ")";
    consider(last.scale_up, "scale-up" + of, settings.delay_after_add, "delay_after_add");
    consider(last.failed_removal, "failed removal", settings.delay_after_failure,
             "delay_after_failure");
    consider(last.removal, "removal", settings.delay_after_delete, "delay_after_delete");
    return out;
}

}  // namespace capstan::engine::scale_down
