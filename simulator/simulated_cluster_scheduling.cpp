// Scheduling: which pods get nodes, and binding.
#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <capstan/sentence.hpp>

#include "engine/scheduling/scheduler.hpp"
#include "engine/snapshot/spread_timeout.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {
namespace {

std::string got_nodes(const std::string& batch, std::int64_t count) {
    return batch + ": " + counted(count, "pod") +
           (count == 1 ? " is bound to a node" : " are bound to nodes");
}

}  // namespace

/// A pod that may get a node now.
struct SimulatedCluster::Waiting {
    PodId id = 0;
    engine::PodGroupId equivalence_group = 0;
    std::int32_t priority = 0;
};

void SimulatedCluster::occupy(PodId id, Node& node, Time now) {
    Pod& pod = pods_[id];
    const Workload& of = batches_[pod.batch];
    touch(id);
    pod.node = node.object.name;
    node.pods.insert(id);
    node.requested += of.pod_template.spec.requests;
    statistics_.requested({of.pod_template.spec.requests.amount("cpu"),
                           of.pod_template.spec.requests.amount("memory")});
    if (of.duration) ends_.emplace(now + *of.duration, id);
    pod.has_started = of.start_up <= Duration(0);
    if (!pod.has_started) starts_.emplace(now + of.start_up, id);
    add_fact(FactKind::pod_bound, Cause::scheduler, id, now);
    update_health(id);
}

void SimulatedCluster::bind(PodId id, const std::string& node, Time now) {
    occupy(id, nodes_.find(node)->second, now);
    pending_.erase(id);
    const Pod& pod = pods_[id];
    builder_.bind_pod(batches_[pod.batch].pod_template.ns, pod.name, node);
    statistics_.bound(now - pod.created);
    longest_wait_ = std::max(longest_wait_, Duration(now - pod.created));
}

Result<void> SimulatedCluster::apply(const Bind& what, Time now) {
    const std::optional<PodId> pod = find_pod(what.pod);
    if (!pod || !pending_.contains(*pod)) {
        return fail(pod ? ErrorCode::conflict : ErrorCode::not_found,
                    "bind: no pending pod '" + what.pod + "'");
    }
    if (!has_node(what.node)) {
        return fail(ErrorCode::not_found, "bind: no node '" + what.node + "'");
    }
    bind(*pod, what.node, now);
    has_changed_ = true;
    const std::string& name = batches_[pods_[*pod].batch].pod_template.name;
    event_log_.add(now, EventKind::bound, name, got_nodes(name, 1), 1);
    reconcile(now);
    return {};
}

void SimulatedCluster::mark_unschedulable(PodId id) {
    if (std::exchange(pods_[id].is_marked, true)) return;
    touch(id);
    builder_.set(object_of(id));
}

/// The pods that may get a node, by priority, then by age, with the equivalence group that each is
/// in at this moment.
std::vector<SimulatedCluster::Waiting> SimulatedCluster::waiting(
    const engine::snapshot::Cluster& cluster, Time now) {
    std::vector<Waiting> out;
    for (const engine::PodIndex index : cluster.unbound()) {
        const engine::snapshot::PodRow row = cluster.pod(index);
        const engine::snapshot::PodGroupRow& of = cluster.equivalence_group(row.equivalence_group);
        const auto id = pod_by_name_.find(key_of(cluster.text(of.ns), cluster.text(row.name)));
        if (row.gated || row.deleted || id == pod_by_name_.end()) continue;
        const engine::PodGroupId is_of =
            engine::snapshot::equivalence_group_at(cluster, row, wall(now));
        if (is_of == row.equivalence_group && of.spread_timeout) {
            const auto lapse =
                engine::snapshot::lapse_of(row.created - wall_ahead_, *of.spread_timeout);
            if (lapse) next_lapse_ = std::min(next_lapse_.value_or(*lapse), *lapse);
        }
        out.push_back({id->second, is_of, of.spec->priority.value_or(0)});
    }
    std::ranges::sort(out, [](const Waiting& a, const Waiting& b) {
        return a.priority != b.priority ? a.priority > b.priority : a.id < b.id;
    });
    return out;
}

bool SimulatedCluster::schedule(Time now) {
    const bool has_lapsed = next_lapse_ && *next_lapse_ <= now;
    if (scheduler_is_stopped_ || (!has_changed_ && !has_lapsed)) return false;
    // Binding a pod may let a StatefulSet create its next pod, which may be bound in turn.
    do {
        has_changed_ = false;
        next_lapse_.reset();
        place(now);
        reconcile(now);
    } while (has_changed_);
    refresh_budgets();
    return true;
}

void SimulatedCluster::place(Time now) {
    if (pending_.empty()) return;
    pack(now);
    const engine::snapshot::Cluster cluster = builder_.build();
    const std::vector<Waiting> pods = waiting(cluster, now);
    std::vector<engine::PodGroupId> pod_groups;
    for (const Waiting& pod : pods) pod_groups.push_back(pod.equivalence_group);
    std::vector<std::optional<engine::NodeIndex>> nodes(pods.size());
    if (has_scheduler_)
        nodes = engine::scheduling::find_nodes(
            engine::snapshot::with_default_spread(cluster, default_spread_), pod_groups,
            scheduler_score_);
    std::map<BatchId, std::int64_t> bound;
    for (std::size_t i = 0; i < pods.size(); ++i) {
        const std::optional<engine::NodeIndex>& node = nodes[i];
        if (!node) {
            mark_unschedulable(pods[i].id);
            continue;
        }
        bind(pods[i].id, std::string(cluster.text(cluster.node(*node).name)), now);
        ++bound[pods_[pods[i].id].batch];
    }
    report_bound(bound, now);
}

void SimulatedCluster::report_bound(const std::map<BatchId, std::int64_t>& bound, Time now) {
    for (const auto& [of, count] : bound) {
        const std::string& name = batches_[of].pod_template.name;
        event_log_.add(now, EventKind::bound, name, got_nodes(name, count), count);
    }
}

/// All nodes: the first node of each group, then the second of each, and so on.
std::vector<SimulatedCluster::Node*> SimulatedCluster::nodes_in_turn() {
    std::map<std::string_view, int> seen;
    std::vector<std::pair<int, Node*>> order;
    for (auto& [name, node] : nodes_) order.emplace_back(seen[node.group]++, &node);
    std::ranges::sort(order, {}, [](const auto& entry) {
        const auto& [turn, node] = entry;
        return std::tuple(turn, std::string_view(node->group), std::string_view(node->object.name));
    });
    std::vector<Node*> out;
    for (const auto& [turn, node] : order) out.push_back(node);
    return out;
}

/// Gives the pods of `packed` batches their nodes, as soon as there are nodes.
void SimulatedCluster::pack(Time now) {
    const bool is_asked_for = std::ranges::any_of(batches_, &Workload::is_packed);
    if (!is_asked_for || nodes_.empty()) return;
    const std::vector<Node*> nodes = nodes_in_turn();
    std::map<BatchId, std::int64_t> bound;
    for (BatchId of = 0; of < batches_.size(); ++of) {
        if (!std::exchange(batches_[of].is_packed, false)) continue;
        Resources need = batches_[of].pod_template.spec.requests;
        need.set("pods", 1);
        auto node = nodes.begin();
        for (const PodId id : batches_[of].pods) {
            if (!pending_.contains(id)) continue;
            node = std::find_if(node, nodes.end(), [&](const Node* n) {
                Resources free = n->object.allocatable - n->requested;
                free.set("pods", free.amount("pods") - static_cast<std::int64_t>(n->pods.size()));
                return fits_in(need, free);
            });
            if (node == nodes.end()) break;
            bind(id, (*node)->object.name, now);
            ++bound[of];
        }
    }
    report_bound(bound, now);
}

}  // namespace capstan::simulator
