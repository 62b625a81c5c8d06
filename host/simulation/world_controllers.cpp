// Pods come and go: by order from outside, by their own end, with their node, and back by their
// controllers.
#include <algorithm>
#include <vector>

#include <capstan/pod.hpp>
#include <capstan/sentence.hpp>

#include "simulation/world.hpp"

namespace capstan::simulation {
namespace {

/// What the DaemonSet controller lets its pods tolerate beyond what their template says.
const std::vector<Toleration>& daemon_tolerations() {
    static const std::vector<Toleration> tolerations = [] {
        std::vector<Toleration> out;
        for (const auto& [key, effect] : {std::pair{"not-ready", Effect::no_execute},
                                          std::pair{"unreachable", Effect::no_execute},
                                          std::pair{"disk-pressure", Effect::no_schedule},
                                          std::pair{"memory-pressure", Effect::no_schedule},
                                          std::pair{"pid-pressure", Effect::no_schedule},
                                          std::pair{"unschedulable", Effect::no_schedule},
                                          // Its pods are bound by the scheduler, which for want of
                                          // a node's readiness alone does not wait.
                                          std::pair{"not-ready", Effect::no_schedule}}) {
            out.push_back({.key = std::string("node.kubernetes.io/") + key,
                           .op = Toleration::Op::exists,
                           .effect = effect});
        }
        return out;
    }();
    return tolerations;
}

bool runs_on(const engine::PodObject& daemon, const engine::NodeObject& node,
             const Resources& requested) {
    std::vector<Toleration> tolerations = daemon.spec.tolerations;
    tolerations.insert(tolerations.end(), daemon_tolerations().begin(), daemon_tolerations().end());
    const auto& terms = daemon.spec.affinity_required;
    return has_all(node.labels, daemon.spec.node_selector) &&
           (terms.empty() || matches_any(terms, node.labels, node.name)) &&
           find_untolerated(node.taints, tolerations) == nullptr &&
           fits_in(daemon.spec.requests, node.allocatable - requested);
}

std::string pods_of(const std::string& batch, std::int64_t count) {
    return batch + ": " + counted(count, "pod");
}

}  // namespace

Result<void> World::happen(const Scale& to, Time now) {
    const std::optional<BatchId> of = find_batch(to.batch);
    if (!of || !batches_[*of].replicas) {
        return fail(ErrorCode::invalid_config,
                    "scale of '" + to.batch + "', which is no replica set that is there");
    }
    const auto present = static_cast<int>(batches_[*of].pods.size());
    if (to.replicas > present) {
        story_.tell(now, EventKind::arrival, to.batch,
                    to.batch + " scales from " + std::to_string(present) + " to " +
                        counted(to.replicas, "pod"),
                    to.replicas - present);
        create(*of, to.replicas - present, now);
    } else {
        shrink(*of, static_cast<std::size_t>(present - to.replicas), now);
    }
    return {};
}

Result<void> World::happen(const Remove& what, Time now) {
    if (const auto of = find_batch(what.name)) {
        batches_[*of].replicas = false;
        shrink(*of, batches_[*of].pods.size(), now);
        return {};
    }
    const bool full = what.name.find('/') != std::string::npos;
    const auto pod = pod_by_name_.find(full ? what.name : key_of("default", what.name));
    if (pod != pod_by_name_.end()) {
        const BatchId of = pods_[pod->second].batch;
        story_.tell(now, EventKind::departure, batches_[of].look.name, what.name + " is taken away",
                    1);
        if (take_away(pod->second)) replace({{of, 1}}, now);
        return {};
    }
    if (remove_node(what.name, now)) return {};
    return fail(ErrorCode::invalid_config,
                "removal of '" + what.name + "', and there is no pod or node of that name");
}

bool World::take_away(PodId id) {
    const Pod pod = pods_[id];
    Batch& of = batches_[pod.batch];
    builder_.remove_pod(of.look.ns, pod.name);
    pod_by_name_.erase(key_of(of.look.ns, pod.name));
    given_.erase(key_of(of.look.ns, pod.name));
    of.pods.erase(id);
    pending_.erase(id);
    if (const auto node = nodes_.find(pod.node); node != nodes_.end()) {
        node->second.pods.erase(id);
        node->second.requested -= of.look.spec.requests;
        tally_.released(
            {of.look.spec.requests.amount("cpu"), of.look.spec.requests.amount("memory")});
    }
    has_changed_ = true;
    return of.replicas;
}

/// Like the ReplicaSet controller: pods without a node first, then the youngest.
void World::shrink(BatchId of, std::size_t count, Time now) {
    if (count == 0) return;
    std::vector<PodId> order(batches_[of].pods.begin(), batches_[of].pods.end());
    std::ranges::sort(order, [&](PodId a, PodId b) {
        const bool a_waits = pods_[a].node.empty();
        return a_waits != pods_[b].node.empty() ? a_waits : a > b;
    });
    order.resize(count);
    for (const PodId id : order) take_away(id);
    const std::string& name = batches_[of].look.name;
    story_.tell(now, EventKind::departure, name,
                pods_of(name, static_cast<std::int64_t>(count)) + (count == 1 ? " is" : " are") +
                    " taken away",
                static_cast<std::int64_t>(count));
}

void World::replace(const std::map<BatchId, int>& vanished, Time now) {
    for (const auto& [of, count] : vanished) {
        const std::string& name = batches_[of].look.name;
        story_.tell(
            now, EventKind::arrival, name,
            pods_of(name, count) + (count == 1 ? " comes" : " come") + " back without a node",
            count);
        create(of, count, now);
    }
}

std::optional<Time> World::next_end() const {
    return ends_.empty() ? std::nullopt : std::optional(ends_.begin()->first);
}

void World::end_pods(Time now) {
    std::map<BatchId, int> ended;
    while (!ends_.empty() && ends_.begin()->first <= now) {
        const PodId id = ends_.begin()->second;
        ends_.erase(ends_.begin());
        // Gone before its time: its batch knows nothing of it any more.
        if (!batches_[pods_[id].batch].pods.contains(id)) continue;
        take_away(id);
        ++ended[pods_[id].batch];
    }
    for (const auto& [of, count] : ended) {
        tally_.ended(count);
        const std::string& name = batches_[of].look.name;
        story_.tell(now, EventKind::departure, name,
                    pods_of(name, count) + (count == 1 ? " ends" : " end"), count);
    }
}

void World::add_daemons(Node& node, Time now) {
    for (const BatchId of : daemon_sets_) {
        const engine::PodObject& look = batches_[of].look;
        const bool present = std::ranges::any_of(node.pods, [&](PodId pod) {
            const engine::PodObject& other = batches_[pods_[pod].batch].look;
            return other.ns == look.ns && other.owner.kind == look.owner.kind &&
                   other.owner.name == look.owner.name;
        });
        if (present || !runs_on(look, node.object, node.requested)) continue;
        const PodId id = enter(of, look.name + "-" + node.object.name, now);
        occupy(id, node, now);
        builder_.set(object_of(id));
    }
}

}  // namespace capstan::simulation
