// DaemonSets: one pod on each node that takes it.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/pod.hpp>
#include <capstan/well_known.hpp>

#include "simulation/simulated_cluster.hpp"

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
            out.push_back({.key = std::string(well_known::node_prefix) + key,
                           .op = Toleration::Op::exists,
                           .effect = effect});
        }
        return out;
    }();
    return tolerations;
}

bool is_of_one_daemon_set(const engine::snapshot::PodObject& a,
                          const engine::snapshot::PodObject& b) {
    return a.ns == b.ns && a.owner.kind == b.owner.kind && a.owner.name == b.owner.name;
}

bool runs_on(const engine::snapshot::PodObject& daemon, const engine::snapshot::NodeObject& node,
             const Resources& requested) {
    std::vector<Toleration> tolerations = daemon.spec.tolerations;
    tolerations.insert(tolerations.end(), daemon_tolerations().begin(), daemon_tolerations().end());
    const auto& terms = daemon.spec.affinity_required;
    return has_all(node.labels, daemon.spec.node_selector) &&
           (terms.empty() || matches_any(terms, node.labels, node.name)) &&
           find_untolerated(node.taints, tolerations) == nullptr &&
           fits_in(daemon.spec.requests, node.allocatable - requested);
}

}  // namespace

std::optional<std::string> SimulatedCluster::node_of_daemon(
    const engine::snapshot::PodObject& pod) {
    if (pod.owner.kind != "DaemonSet") return std::nullopt;
    for (const NodeSelectorTerm& term : pod.spec.affinity_required) {
        for (const Requirement& field : term.fields) {
            if (field.key == "metadata.name" && field.op == Operator::in &&
                field.values.size() == 1)
                return field.values.front();
        }
    }
    return std::nullopt;
}

void SimulatedCluster::add_daemons(Node& node, Time now) {
    const auto awaited = awaited_daemons_.find(node.object.name);
    for (const BatchId of : daemon_sets_) {
        const engine::snapshot::PodObject& look = batches_[of].look;
        const auto is_among = [&](const std::set<PodId>& pods) {
            return std::ranges::any_of(pods, [&](PodId pod) {
                return is_of_one_daemon_set(batches_[pods_[pod].batch].look, look);
            });
        };
        const bool present =
            is_among(node.pods) || (awaited != awaited_daemons_.end() && is_among(awaited->second));
        if (present || !runs_on(look, node.object, node.requested)) continue;
        const PodId id = enter(of, look.name + "-" + node.object.name, now);
        occupy(id, node, now);
        builder_.set(object_of(id));
    }
}

Result<void> SimulatedCluster::happen(const engine::snapshot::DaemonSetObject& set, Time now) {
    const auto known = find_daemon_set(key_of(set.ns, set.name));
    if (known != daemon_sets_.end())
        return fail(ErrorCode::conflict, "DaemonSet '" + set.name + "' is there already");
    fill_daemon_set(set);
    event_log_.tell(now, EventKind::arrival, set.name, "DaemonSet " + set.name + " arrives", 0);
    for (auto& [name, node] : nodes_) add_daemons(node, now);
    has_changed_ = true;
    return {};
}

std::vector<SimulatedCluster::BatchId>::iterator SimulatedCluster::find_daemon_set(
    std::string_view name) {
    const bool is_full = name.find('/') != std::string_view::npos;
    return std::ranges::find_if(daemon_sets_, [&](BatchId of) {
        const engine::snapshot::PodObject& look = batches_[of].look;
        return key_of(look.ns, look.name) ==
               (is_full ? std::string(name) : key_of("default", name));
    });
}

bool SimulatedCluster::remove_daemon_set(std::string_view name, Time now) {
    const auto at = find_daemon_set(name);
    if (at == daemon_sets_.end()) return false;
    const engine::snapshot::PodObject look = batches_[*at].look;
    daemon_sets_.erase(at);
    builder_.remove(engine::snapshot::ObjectKind::daemon_set, look.ns, look.name);
    std::vector<PodId> pods;
    for (const Workload& b : batches_)
        if (b.is_daemon && is_of_one_daemon_set(b.look, look))
            pods.insert(pods.end(), b.pods.begin(), b.pods.end());
    for (const PodId id : pods) end(id, {}, now);
    event_log_.tell(now, EventKind::departure, look.name,
                    "DaemonSet " + look.name + " is taken away",
                    static_cast<std::int64_t>(pods.size()));
    has_changed_ = true;
    settle(now);
    return true;
}

}  // namespace capstan::simulation
