#include "simulator/simulated_cluster.hpp"

#include <algorithm>
#include <tuple>

#include <capstan/hash.hpp>

#include "autoscaler/dump/daemon_pods.hpp"

namespace capstan::simulator {
namespace {

/// The controller that recreates pods of such an owner. Pods of a DaemonSet or a node are not
/// recreated: they go with their node.
Controller controller_kind(const engine::snapshot::PodOwner& owner) {
    if (owner.kind.empty() || owner.kind == "DaemonSet" || owner.kind == "Node")
        return Controller::none;
    if (owner.kind == "StatefulSet") return Controller::stateful_set;
    return owner.kind == "Job" ? Controller::job : Controller::replica_set;
}

}  // namespace

std::string SimulatedCluster::key_of(std::string_view ns, std::string_view name) {
    return std::string(ns) + "/" + std::string(name);
}

SimulatedCluster::BatchId SimulatedCluster::batch(const std::string& key,
                                                  const engine::snapshot::PodObject& pod_template) {
    const auto [at, is_new] =
        batch_by_name_.try_emplace(key, static_cast<BatchId>(batches_.size()));
    if (is_new) batches_.emplace_back();
    batches_[at->second].pod_template = pod_template;
    return at->second;
}

std::optional<SimulatedCluster::BatchId> SimulatedCluster::find_batch(std::string_view name) const {
    const bool full = name.find('/') != std::string_view::npos;
    const auto at = batch_by_name_.find(full ? std::string(name) : key_of("default", name));
    return at == batch_by_name_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<SimulatedCluster::PodId> SimulatedCluster::find_pod(std::string_view name) const {
    const bool full = name.find('/') != std::string_view::npos;
    const auto at = pod_by_name_.find(full ? std::string(name) : key_of("default", name));
    return at == pod_by_name_.end() ? std::nullopt : std::optional(at->second);
}

std::string SimulatedCluster::uid_of(PodId id) const {
    return pods_[id].uid.empty() ? "pod-" + std::to_string(id) : pods_[id].uid;
}

engine::snapshot::PodObject SimulatedCluster::object_of(PodId id) const {
    const Pod& pod = pods_[id];
    const Workload& of = batches_[pod.batch];
    const auto given = pods_as_given_.find(key_of(of.pod_template.ns, pod.name));
    engine::snapshot::PodObject out =
        given == pods_as_given_.end() ? of.pod_template : given->second;
    out.name = pod.name;
    out.uid = uid_of(id);
    out.created = pod.created_by_wall;
    out.deleted = pod.deleted;
    out.node_name = pod.node;
    out.phase = pod.node.empty() ? engine::snapshot::PodPhase::pending
                                 : engine::snapshot::PodPhase::running;
    out.unscheduled_reason = pod.is_marked && pod.node.empty() ? "Unschedulable" : "";
    return out;
}

SimulatedCluster::PodId SimulatedCluster::add_pod(BatchId of, std::string name, Time now) {
    const auto id = static_cast<PodId>(pods_.size());
    pod_by_name_.emplace(key_of(batches_[of].pod_template.ns, name), id);
    pods_.push_back(
        {.name = std::move(name), .batch = of, .created = now, .created_by_wall = wall(now)});
    batches_[of].pods.insert(id);
    touch(id);
    return id;
}

void SimulatedCluster::fill(const Objects& objects, Time now) {
    for (const auto& object : objects.controllers) {
        builder_.set(object);
        selectors_.emplace(key_of(object.ns, key_of(object.kind, object.name)), object.selector);
    }
    for (const auto& object : objects.claims) builder_.set(object);
    for (const auto& object : objects.volumes) builder_.set(object);
    for (const auto& object : objects.storage_classes) builder_.set(object);
    for (const auto& object : objects.csi_drivers) builder_.set(object);
    for (const auto& object : objects.csi_capacities) builder_.set(object);
    for (const auto& object : objects.namespaces) builder_.set(object);
    for (const auto& object : objects.services) builder_.set(object);
    for (const engine::snapshot::NodeObject& node : objects.nodes) add_node(node, "", now);
    fill_csi_nodes(objects.csi_nodes);
    std::vector<const engine::snapshot::PodObject*> pods;
    for (const engine::snapshot::PodObject& pod : objects.pods) pods.push_back(&pod);
    std::ranges::sort(pods, {}, [](const engine::snapshot::PodObject* p) {
        return std::tuple(p->created, std::string_view(p->ns), std::string_view(p->name));
    });
    for (const engine::snapshot::PodObject* pod : pods) fill_pod(*pod, now);
    for (const std::string& name : objects.unready) set_unready(name);
    for (Workload& b : batches_) {
        const engine::snapshot::PodOwner& owner = b.pod_template.owner;
        const auto scaled =
            objects.scaled.find(key_of(b.pod_template.ns, key_of(owner.kind, owner.name)));
        if (scaled != objects.scaled.end()) b.scaled = scaled->second;
    }
    for (const IdleWorkload& idle : objects.idle) {
        const std::string key = key_of(idle.pod_template.ns, idle.pod_template.name);
        if (batch_by_name_.contains(key)) continue;
        const BatchId of = batch(key, idle.pod_template);
        if (tracks_changes_) touched_batches_.insert(of);
        Workload& b = batches_[of];
        b.controller = idle.controller;
        b.scaled = idle.scaled;
    }
    for (const engine::snapshot::DaemonSetObject& set : objects.daemon_sets) fill_daemon_set(set);
    for (auto& [name, node] : nodes_) add_daemons(node, now);
}

/// For a pod that is terminating from the start: it is gone when its grace period is over by the
/// wall clock.
void SimulatedCluster::terminate_at(PodId id, Time deleted, Time now) {
    pods_[id].deleted = deleted;
    ++batches_[pods_[id].batch].ending;
    leaves_.emplace(std::max(now, deleted - wall_ahead_), id);
    update_health(id);
}

/// For a pod that is not ready from the start: it stays so, since nothing says when it will be
/// ready.
void SimulatedCluster::set_unready(std::string_view name) {
    const std::optional<PodId> id = find_pod(name);
    if (!id) return;
    pods_[*id].has_started = false;
    update_health(*id);
}

void SimulatedCluster::fill_daemon_set(const engine::snapshot::DaemonSetObject& set) {
    builder_.set(set);
    daemon_sets_.push_back(
        batch("DaemonSet " + key_of(set.ns, set.name), autoscaler::dump::pod_of(set)));
    batches_[daemon_sets_.back()].is_daemon = true;
}

/// Pods of one owner with equal specs become one batch.
void SimulatedCluster::fill_pod(const engine::snapshot::PodObject& pod, Time now) {
    if (pod.phase == engine::snapshot::PodPhase::succeeded ||
        pod.phase == engine::snapshot::PodPhase::failed)
        return;
    engine::snapshot::PodObject pod_template = pod;
    if (!pod.owner.name.empty()) pod_template.name = pod.owner.name;
    pod_template.node_name.clear();
    pod_template.nominated_node.clear();
    std::string key = key_of(pod_template.ns, pod_template.name);
    const auto known = batch_by_name_.find(key);
    if (known != batch_by_name_.end() &&
        batches_[known->second].pod_template.spec != pod_template.spec)
        key += "#" + std::to_string(engine::snapshot::hash_of(pod_template.spec));
    const BatchId of = batch(key, pod_template);
    batches_[of].controller = controller_kind(pod.owner);
    batches_[of].is_daemon = pod.owner.kind == "DaemonSet";
    // The controller has already created another pod in place of a terminating one.
    if (!pod.deleted) ++batches_[of].wanted;
    const PodId id = add_pod(of, pod.name, pod.created);
    pods_[id].uid = pod.uid;
    builder_.set(pod);
    const auto node = nodes_.find(pod.node_name);
    if (node != nodes_.end()) {
        occupy(id, node->second, now);
        if (pod.deleted) terminate_at(id, *pod.deleted, now);
    } else if (pod.node_name.empty()) {
        pods_as_given_.emplace(key_of(pod.ns, pod.name), pod);
        pending_.insert(id);
        if (const auto made_for = autoscaler::dump::node_of_daemon(pod))
            awaited_daemons_[*made_for].insert(id);
        statistics_.arrived(1);
        add_fact(FactKind::pod_arrived, Cause::scenario, id, now);
        has_changed_ = true;
    }
}

std::int64_t SimulatedCluster::nodes_in(const std::string& group) const {
    return std::ranges::count_if(nodes_, [&](const auto& n) { return n.second.group == group; });
}

std::string SimulatedCluster::batch_of(std::string_view pod) const {
    const auto at = pod_by_name_.find(std::string(pod));
    if (at != pod_by_name_.end()) return batches_[pods_[at->second].batch].pod_template.name;
    const std::size_t slash = pod.find('/');
    return std::string(slash == std::string_view::npos ? pod : pod.substr(slash + 1));
}

std::vector<StillPending> SimulatedCluster::still_pending(Time now) const {
    std::vector<StillPending> out;
    std::map<std::string, std::size_t> at;
    for (const PodId id : pending_) {
        const std::string& name = batches_[pods_[id].batch].pod_template.name;
        const auto [found, is_new] = at.try_emplace(name, out.size());
        if (is_new) out.push_back({.pods = name});
        StillPending& line = out[found->second];
        ++line.count;
        line.longest = std::max(line.longest, Duration(now - pods_[id].created));
    }
    return out;
}

Duration SimulatedCluster::take_longest_wait(Time now) {
    Duration longest = std::exchange(longest_wait_, Duration(0));
    for (const PodId id : pending_) longest = std::max(longest, Duration(now - pods_[id].created));
    return longest;
}

namespace {

void add_number(std::uint64_t number, Hash& hash) { hash.add(static_cast<std::int64_t>(number)); }

}  // namespace

// Sums of hashes do not depend on the order.
std::uint64_t SimulatedCluster::state_hash(Time now) const {
    const auto add_batches = [&](const std::set<PodId>& pods, Hash& hash) {
        std::map<BatchId, std::int64_t> counts;
        for (const PodId id : pods) ++counts[pods_[id].batch];
        for (const auto& [of, count] : counts) {
            hash.add(std::int64_t{of});
            hash.add(count);
        }
    };
    std::uint64_t nodes = 0, moments = 0;
    for (const auto& [name, node] : nodes_) {
        Hash hash;
        hash.add(node.group);
        hash.add(std::int64_t{node.object.ready});
        hash.add(std::int64_t{node.object.unschedulable});
        for (const Taint& taint : node.object.taints) hash.add(taint.key);
        add_batches(node.pods, hash);
        nodes += hash.value();
    }
    for (const Moments* const all : {&ends_, &leaves_, &starts_}) {
        for (const auto& [due, id] : *all) {
            if (!batches_[pods_[id].batch].pods.contains(id)) continue;
            Hash hash;
            hash.add(std::int64_t{pods_[id].batch});
            hash.add((due - now).count());
            moments += hash.value();
        }
    }
    Hash out;
    add_number(nodes, out);
    add_number(moments, out);
    add_batches(pending_, out);
    out.add(next_lapse_ ? (*next_lapse_ - now).count() : std::int64_t{0});
    return out.value();
}

}  // namespace capstan::simulator
