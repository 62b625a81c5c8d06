// Nodes, and the pods on them.
#include <algorithm>
#include <vector>

#include <capstan/sentence.hpp>

#include "engine/snapshot/spread_timeout.hpp"
#include "simulation/scheduler.hpp"
#include "simulation/world.hpp"

namespace capstan::simulation {
namespace {

const Taint not_ready{.key = "node.kubernetes.io/not-ready", .effect = Effect::no_schedule};

Load load_of(const Resources& resources) {
    return {resources.amount("cpu"), resources.amount("memory")};
}

}  // namespace

/// A pod that may get a node now.
struct World::Waiting {
    PodId id = 0;
    engine::ClassId pod_class = 0;
    std::int32_t priority = 0;
};

void World::add_node(engine::NodeObject object, std::string group, Time now) {
    object.labels.emplace("kubernetes.io/hostname", object.name);
    if (!object.ready && std::ranges::find(object.taints, not_ready) == object.taints.end())
        object.taints.push_back(not_ready);
    builder_.set(object);
    if (!object.provider_id.empty()) node_by_provider_id_[object.provider_id] = object.name;
    tally_.node_joined(group, load_of(object.allocatable));
    const std::string name = object.name;
    Node& node = nodes_.insert_or_assign(name, Node{std::move(object), std::move(group), {}, {}})
                     .first->second;
    add_daemons(node, now);
    has_changed_ = true;
}

Result<void> World::happen(const engine::NodeObject& node, Time now) {
    if (has_node(node.name))
        return fail(ErrorCode::invalid_config, "node '" + node.name + "' is there already");
    add_node(node, "", now);
    story_.tell(now, EventKind::node, "", "node " + node.name + " joins", 1);
    return {};
}

void World::make_ready(const std::string& name, Time now) {
    const auto at = nodes_.find(name);
    if (at == nodes_.end()) return;
    engine::NodeObject& object = at->second.object;
    object.ready = true;
    object.ready_since = now;
    std::erase(object.taints, not_ready);
    builder_.set(object);
    add_daemons(at->second, now);
    has_changed_ = true;
}

std::optional<std::string> World::adopt_node(const std::string& provider_id,
                                             const std::string& group) {
    const auto known = node_by_provider_id_.find(provider_id);
    if (known == node_by_provider_id_.end()) return std::nullopt;
    Node& node = nodes_.find(known->second)->second;
    tally_.node_vanished(node.group, load_of(node.object.allocatable));
    tally_.node_joined(group, load_of(node.object.allocatable));
    node.group = group;
    return known->second;
}

bool World::remove_node(const std::string& name, Time now) {
    const auto at = nodes_.find(name);
    if (at == nodes_.end()) return false;
    std::map<BatchId, int> vanished;
    std::int64_t others = 0;
    for (const PodId id : std::vector<PodId>(at->second.pods.begin(), at->second.pods.end())) {
        const BatchId of = pods_[id].batch;
        if (!batches_[of].daemon) ++others;
        if (take_away(id)) ++vanished[of];
    }
    tally_.node_vanished(at->second.group, load_of(at->second.object.allocatable));
    node_by_provider_id_.erase(at->second.object.provider_id);
    builder_.remove_node(name);
    const std::string group = at->second.group;
    nodes_.erase(at);
    has_changed_ = true;
    story_.tell(
        now, EventKind::node, group,
        "node " + name + " vanishes" + (others == 0 ? "" : " with " + counted(others, "pod")), 1);
    replace(vanished, now);
    return true;
}

void World::occupy(PodId id, Node& node, Time now) {
    Pod& pod = pods_[id];
    const Batch& of = batches_[pod.batch];
    pod.node = node.object.name;
    node.pods.insert(id);
    node.requested += of.look.spec.requests;
    tally_.requested(load_of(of.look.spec.requests));
    if (of.duration) ends_.emplace(now + *of.duration, id);
}

void World::bind(PodId id, const std::string& node, Time now) {
    occupy(id, nodes_.find(node)->second, now);
    pending_.erase(id);
    const Pod& pod = pods_[id];
    builder_.bind_pod(batches_[pod.batch].look.ns, pod.name, node);
    tally_.bound(now - pod.created);
}

void World::mark(PodId id) {
    if (std::exchange(pods_[id].is_marked, true)) return;
    builder_.set(object_of(id));
}

/// By priority, then by age, each under the class that it is of now.
std::vector<World::Waiting> World::waiting(const engine::Cluster& cluster, Time now) {
    std::vector<Waiting> out;
    for (const engine::PodIndex index : cluster.unbound()) {
        const engine::PodRow row = cluster.pod(index);
        const engine::ClassRow& of = cluster.pod_class(row.pod_class);
        const auto id = pod_by_name_.find(key_of(cluster.text(of.ns), cluster.text(row.name)));
        if (row.gated || row.deleted || id == pod_by_name_.end()) continue;
        const engine::ClassId is_of = engine::class_at(cluster, row, now);
        if (is_of == row.pod_class && of.spread_timeout) {
            const auto lapse = engine::lapse_of(row.created, *of.spread_timeout);
            if (lapse) next_lapse_ = std::min(next_lapse_.value_or(*lapse), *lapse);
        }
        out.push_back({id->second, is_of, of.spec->priority.value_or(0)});
    }
    std::ranges::sort(out, [](const Waiting& a, const Waiting& b) {
        return a.priority != b.priority ? a.priority > b.priority : a.id < b.id;
    });
    return out;
}

bool World::schedule(Time now) {
    const bool has_lapsed = next_lapse_ && *next_lapse_ <= now;
    if (!std::exchange(has_changed_, false) && !has_lapsed) return false;
    next_lapse_.reset();
    if (pending_.empty()) return true;
    const engine::Cluster cluster = builder_.build();
    const std::vector<Waiting> pods = waiting(cluster, now);
    std::vector<engine::ClassId> classes;
    for (const Waiting& pod : pods) classes.push_back(pod.pod_class);
    const auto nodes = find_nodes(cluster, classes);
    std::map<BatchId, std::int64_t> bound;
    for (std::size_t i = 0; i < pods.size(); ++i) {
        if (!nodes[i]) {
            mark(pods[i].id);
            continue;
        }
        bind(pods[i].id, std::string(cluster.text(cluster.node(*nodes[i]).name)), now);
        ++bound[pods_[pods[i].id].batch];
    }
    for (const auto& [of, count] : bound) {
        const std::string& name = batches_[of].look.name;
        story_.tell(
            now, EventKind::bound, name,
            name + ": " + counted(count, "pod") + (count == 1 ? " gets" : " get") + " a node",
            count);
    }
    return true;
}

}  // namespace capstan::simulation
