#include "naive/scheduler_comparison.hpp"

#include <algorithm>
#include <numeric>

#include "naive/naive_predicates.hpp"

namespace capstan::engine::scheduling::naive {
namespace {

constexpr int wanted = 4;

std::string to_text(const Refusal& refusal) {
    return std::string(name_of(refusal.predicate)) + " (" + refusal.sentence + ")";
}

std::string to_text(const Room& room) {
    return "room for " + std::to_string(room.in_all) + ", " + std::to_string(room.per_node) +
           " per node";
}

}  // namespace

SchedulerComparison::SchedulerComparison(RandomCluster start)
    : cluster_(start.cluster),
      template_nodes_(start.template_nodes),
      predicates_(std::make_unique<CompiledPredicates>(
          snapshot::with_default_spread(start.cluster, start.default_spread), start.pod_groups,
          start.template_nodes)),
      fast_(*predicates_),
      now_{.naive_cluster = make_naive_cluster(start.cluster),
           .closed = std::vector<bool>(start.cluster.node_count(), false)} {
    now_.naive_cluster.default_spread = start.default_spread;
    for (const PodGroupId pod_group : start.pod_groups) {
        pods_.push_back(with_spread(now_.naive_cluster, make_pod(cluster_, pod_group)));
        pods_.back().name = "pod_group " + std::to_string(pods_.size() - 1);
    }
    for (std::size_t i = 0; i < cluster_.node_count(); ++i) now_.nodes_of.push_back({i});
}

Refusal SchedulerComparison::naive_why_not(const State& state, PodGroupIndex pod_group,
                                           std::size_t node) const {
    const auto allowed = state.allowed.find(pod_group);
    if (allowed == state.allowed.end()) return why_not(state.naive_cluster, pods_[pod_group], node);
    // The constraint stays, since the other constraints count only nodes with its key. But it
    // allows every such node.
    const auto& [key, left] = allowed->second;
    Pod pod = pods_[pod_group];
    for (snapshot::SpreadConstraint& constraint : pod.spec.spread) {
        if (constraint.topology_key == key) constraint.max_skew = 1'000'000;
    }
    const Refusal out = why_not(state.naive_cluster, pod, node);
    const bool is_later = out.predicate == Predicate::inter_pod_affinity ||
                          out.predicate == Predicate::dynamic_resources ||
                          out.predicate == Predicate::none;
    if (!is_later) return out;
    const auto domain = left.find(state.naive_cluster.nodes[node].labels.at(key));
    if (domain != left.end() && domain->second > 0) return out;
    return {Predicate::pod_topology_spread, "not allowed there"};
}

void SchedulerComparison::naive_place(State& state, PodGroupIndex pod_group,
                                      std::size_t node) const {
    const auto allowed = state.allowed.find(pod_group);
    if (allowed != state.allowed.end()) {
        auto& [key, left] = allowed->second;
        --left[state.naive_cluster.nodes[node].labels.at(key)];
    }
    state.naive_cluster.nodes[node].pods.push_back(pods_[pod_group]);
    state.naive_cluster.nodes[node].unopened = false;
}

std::string SchedulerComparison::compare_domains(PodGroupIndex pod_group) const {
    const std::optional<SpreadDomains> spread = fast_.spread(pod_group);
    if (!spread) return "";
    for (const auto& constraint : pods_[pod_group].spec.spread) {
        if (constraint.topology_key != spread->topology_key) continue;
        naive::NaiveCluster remaining = now_.naive_cluster;
        for (naive::Node& node : remaining.nodes) node.draining = false;
        const std::map<std::string, int> counts =
            count_domains(remaining, constraint, pods_[pod_group]);
        std::map<std::string, int> found;
        for (const auto& domain : spread->domains) {
            if (domain.exists) found[domain.value] = domain.count;
        }
        if (found != counts) return about(pod_group, "all domains") + "the counts differ";
    }
    return "";
}

std::string SchedulerComparison::about(PodGroupIndex pod_group, const std::string& where) const {
    return pods_[pod_group].name + " on " + where + ": ";
}

Room SchedulerComparison::count_room(PodGroupIndex pod_group, Slot slot, int most) const {
    Room out;
    State state = now_;
    const auto fill = [&](std::size_t node, int pods) {
        int placed = 0;
        for (; placed < pods; ++placed) {
            if (naive_why_not(state, pod_group, node).predicate != Predicate::none) break;
            naive_place(state, pod_group, node);
        }
        out.in_all += placed;
        return placed;
    };
    const std::vector<std::size_t>& nodes = now_.nodes_of[slot];
    out.per_node = fill(nodes.front(), most);
    for (std::size_t i = 1; i < nodes.size(); ++i) {
        fill(nodes[i], std::min(out.per_node, most - out.in_all));
    }
    return out;
}

std::string SchedulerComparison::compare(PodGroupIndex pod_group, Slot slot) {
    const std::string where = about(pod_group, "slot " + std::to_string(slot));
    const Room room = fast_.room(pod_group, slot, wanted);
    if (now_.closed[slot]) return room == Room{} ? "" : where + "has room on a closed slot";
    const Refusal fast = fast_.why_not(pod_group, slot);
    const Refusal slow = naive_why_not(now_, pod_group, now_.nodes_of[slot].front());
    if (fast.predicate != slow.predicate)
        return where + to_text(fast) + ", expected " + to_text(slow);
    const Room count = count_room(pod_group, slot, wanted);
    if (room != count) return where + to_text(room) + ", expected " + to_text(count);
    const auto cpu = std::accumulate(
        now_.naive_cluster.nodes[now_.nodes_of[slot].front()].pods.begin(),
        now_.naive_cluster.nodes[now_.nodes_of[slot].front()].pods.end(), std::int64_t{0},
        [](auto sum, const Pod& pod) { return sum + pod.spec.requests.amount("cpu"); });
    const auto free =
        now_.naive_cluster.nodes[now_.nodes_of[slot].front()].allocatable.amount("cpu") - cpu;
    return fast_.free(slot, snapshot::cpu_index) == free ? "" : where + "the free cpu differs";
}

std::string SchedulerComparison::compare_new(PodGroupIndex pod_group,
                                             TemplateNodeId template_node) const {
    State state = now_;
    const std::size_t added =
        add_node(state.naive_cluster, cluster_, template_nodes_[template_node]);
    const Refusal slow = naive_why_not(state, pod_group, added);
    const Refusal fast = fast_.why_not_new(pod_group, template_node);
    if (fast != fast_.why_not_new(pod_group, predicates_->equivalent(template_node)))
        return "template_node " + std::to_string(template_node) +
               " is not equivalent to that which equivalent() returns";
    if (fast.predicate == slow.predicate) return "";
    return about(pod_group, "template_node " + std::to_string(template_node)) + to_text(fast) +
           ", expected " + to_text(slow);
}

std::string SchedulerComparison::compare_find(PodGroupIndex pod_group) const {
    std::optional<Slot> slow;
    const auto end = static_cast<Slot>(now_.nodes_of.size());
    for (Slot slot = 0; slot < end && !slow; ++slot) {
        if (!now_.closed[slot] &&
            naive_why_not(now_, pod_group, now_.nodes_of[slot].front()).predicate ==
                Predicate::none)
            slow = slot;
    }
    return fast_.find(pod_group, 0, end) == slow
               ? ""
               : about(pod_group, "any slot") + "find returns another slot";
}

std::string SchedulerComparison::find_disagreement() {
    for (PodGroupIndex pod_group = 0; pod_group < pods_.size(); ++pod_group) {
        for (Slot slot = 0; slot < now_.nodes_of.size(); ++slot) {
            if (std::string found = compare(pod_group, slot); !found.empty()) return found;
        }
        for (TemplateNodeId template_node = 0; template_node < template_nodes_.size();
             ++template_node) {
            if (std::string found = compare_new(pod_group, template_node); !found.empty())
                return found;
        }
        if (std::string found = compare_find(pod_group); !found.empty()) return found;
        if (std::string found = compare_domains(pod_group); !found.empty()) return found;
    }
    return "";
}

Slot SchedulerComparison::any_slot(Dice& dice) const {
    return static_cast<Slot>(dice.below(static_cast<int>(now_.nodes_of.size())));
}

void SchedulerComparison::step(Dice& dice) {
    switch (dice.below(10)) {
        case 0: return add(dice);
        case 1: return split(dice);
        case 2: return close(dice);
        case 3: return save();
        case 4: return undo();
        case 5: return allow(dice);
        default: return place(dice);
    }
}

void SchedulerComparison::place(Dice& dice) {
    const auto pod_group = static_cast<PodGroupIndex>(dice.below(static_cast<int>(pods_.size())));
    const Slot slot = any_slot(dice);
    const std::vector<std::size_t>& nodes = now_.nodes_of[slot];
    const auto n = static_cast<int>(nodes.size());
    if (now_.closed[slot]) return;
    const int per_node = count_room(pod_group, slot, n * dice.between(1, 2)).in_all / n;
    if (per_node == 0) return;
    Placement copy(fast_);
    copy.place(pod_group, slot, per_node);
    if (dice.chance(20)) return;  // a change of a copy must not affect the original
    fast_.place(pod_group, slot, per_node);
    for (const std::size_t node : nodes) {
        for (int i = 0; i < per_node; ++i) naive_place(now_, pod_group, node);
    }
}

void SchedulerComparison::add(Dice& dice) {
    const auto template_node =
        static_cast<TemplateNodeId>(dice.below(static_cast<int>(template_nodes_.size())));
    const int nodes = dice.between(1, 3);
    fast_.add(template_node, nodes);
    now_.nodes_of.emplace_back();
    now_.closed.push_back(false);
    for (int i = 0; i < nodes; ++i) {
        now_.nodes_of.back().push_back(
            add_node(now_.naive_cluster, cluster_, template_nodes_[template_node]));
        now_.naive_cluster.nodes.back().unopened = true;
    }
}

void SchedulerComparison::split(Dice& dice) {
    const Slot slot = any_slot(dice);
    const auto n = static_cast<int>(now_.nodes_of[slot].size());
    if (n < 2 || now_.closed[slot]) return;
    const int moved = dice.between(1, n - 1);
    fast_.split(slot, moved);
    now_.nodes_of.emplace_back(now_.nodes_of[slot].end() - moved, now_.nodes_of[slot].end());
    now_.nodes_of[slot].resize(static_cast<std::size_t>(n - moved));
    now_.closed.push_back(false);
}

void SchedulerComparison::close(Dice& dice) {
    const Slot slot = any_slot(dice);
    if (now_.closed[slot]) return;
    fast_.close(slot);
    now_.closed[slot] = true;
    const bool is_draining = slot < cluster_.node_count() && dice.chance(50);
    fast_.set_draining(slot, is_draining);
    for (const std::size_t node : now_.nodes_of[slot]) {
        now_.naive_cluster.nodes[node].gone = true;
        now_.naive_cluster.nodes[node].draining = is_draining;
    }
}

void SchedulerComparison::allow(Dice& dice) {
    const auto pod_group = static_cast<PodGroupIndex>(dice.below(static_cast<int>(pods_.size())));
    const std::optional<SpreadDomains> spread = fast_.spread(pod_group);
    if (!spread || spread->domains.empty()) return;
    if (dice.chance(30)) {
        fast_.disallow(pod_group);
        now_.allowed.erase(pod_group);
        return;
    }
    const int domain = dice.below(static_cast<int>(spread->domains.size())), pods = dice.below(4);
    fast_.allow(pod_group, static_cast<std::uint32_t>(domain), pods);
    Allowance& allowance = now_.allowed[pod_group];
    allowance.key = spread->topology_key;
    allowance.left[spread->domains[static_cast<std::size_t>(domain)].value] = pods;
}

void SchedulerComparison::save() { saved_.push_back({fast_.mark(), now_}); }

void SchedulerComparison::undo() {
    if (saved_.empty()) return;
    Saved saved = std::move(saved_.back());
    saved_.pop_back();
    fast_.undo(saved.mark);
    now_ = std::move(saved.state);
}

}  // namespace capstan::engine::scheduling::naive
