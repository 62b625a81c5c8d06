#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/pod.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "simulation/simulated_cluster.hpp"

namespace capstan::simulation {

// Pods come and go by order from outside, and come back by their controllers.

namespace {

struct OwnerKind {
    const char *name, *api_group;
};

OwnerKind owner_kind_of(Controller controller) {
    switch (controller) {
        case Controller::none: return {"", ""};
        case Controller::replica_set: return {"ReplicaSet", "apps"};
        case Controller::stateful_set: return {"StatefulSet", "apps"};
        case Controller::job: return {"Job", "batch"};
    }
    return {"", ""};
}

engine::snapshot::PodOwner owner_of(const PodBatch& batch, Controller controller) {
    if (controller == Controller::none) return batch.pod.owner;
    const auto [kind, api_group] = owner_kind_of(controller);
    return {.kind = kind,
            .api_group = api_group,
            .name = batch.pod.name,
            .uid = batch.pod.ns + "/" + batch.pod.name,
            .job_among_owners = controller == Controller::job};
}

std::string pods_of(const std::string& batch, std::int64_t count) {
    return batch + ": " + counted(count, "pod");
}

}  // namespace

Result<void> SimulatedCluster::happen(const PodBatch& given, Time now) {
    // What ends by itself is what a Job is for.
    const Controller controller =
        given.controller == Controller::none && given.duration ? Controller::job : given.controller;
    engine::snapshot::PodObject look = given.pod;
    look.owner = owner_of(given, controller);
    const bool single = !given.count && given.controller == Controller::none;
    if (single && pod_by_name_.contains(key_of(look.ns, look.name)))
        return fail(ErrorCode::conflict, "pod '" + look.name + "' is there already");
    const BatchId of = batch(key_of(look.ns, look.name), look);
    Workload& b = batches_[of];
    b.controller = controller;
    b.duration = given.duration;
    b.start_up = given.start_up;
    b.stop_time = given.stop_time;
    b.is_packed = given.packed;
    const int count = given.count.value_or(1);
    event_log_.tell(now, EventKind::arrival, look.name,
                    pods_of(look.name, count) + (count == 1 ? " arrives" : " arrive"), count);
    want(of, b.wanted + count);
    if (single) {
        create_pod(of, look.name, now);
    } else if (controller == Controller::stateful_set) {
        unsettled_.insert(of);
        settle(now);
    } else {
        create(of, count, now);
    }
    return {};
}

Result<void> SimulatedCluster::happen(const Scale& to, Time now) {
    const std::optional<BatchId> of = find_batch(to.batch);
    if (!of || batches_[*of].controller == Controller::none) {
        return fail(of ? ErrorCode::invalid_config : ErrorCode::not_found,
                    "scale of '" + to.batch + "', which is no replica set that is there");
    }
    const Workload& b = batches_[*of];
    const int present = alive(b);
    want(*of, to.replicas);
    if (to.replicas <= present) {
        shrink(*of, present - to.replicas, now);
        return {};
    }
    event_log_.tell(
        now, EventKind::arrival, to.batch,
        to.batch + " scales from " + std::to_string(present) + " to " + counted(to.replicas, "pod"),
        to.replicas - present);
    if (b.controller != Controller::stateful_set) create(*of, to.replicas - present, now);
    unsettled_.insert(*of);
    settle(now);
    return {};
}

Result<void> SimulatedCluster::happen(const Remove& what, Time now) {
    if (const auto of = find_batch(what.name)) {
        batches_[*of].controller = Controller::none;
        want(*of, 0);
        shrink(*of, alive(batches_[*of]), now);
        return {};
    }
    if (const auto pod = find_pod(what.name)) {
        event_log_.tell(now, EventKind::departure, batches_[pods_[*pod].batch].look.name,
                        what.name + " is taken away", 1);
        end(*pod, {}, now);
        settle(now);
        return {};
    }
    if (remove_daemon_set(what.name, now) || remove_node(what.name, now)) return {};
    return fail(ErrorCode::not_found, "removal of '" + what.name +
                                          "', and there is no pod, DaemonSet or node of that name");
}

/// The controller's object says so, too, where there is one.
void SimulatedCluster::want(BatchId of, int count) {
    Workload& b = batches_[of];
    b.wanted = count;
    if (b.scaled.wanted) b.scaled.wanted = count;
    has_changed_ = true;
    // A Job's object says nothing that is read, and traces have very many of them.
    if (b.controller == Controller::none || b.controller == Controller::job) return;
    builder_.set(engine::snapshot::ControllerObject{.kind = b.look.owner.kind,
                                                    .ns = b.look.ns,
                                                    .name = b.look.owner.name,
                                                    .uid = b.look.owner.uid,
                                                    .replicas = count,
                                                    .selector = selector_of(b)});
}

/// Pods of a story are told apart by one label, whatever others they have.
std::optional<LabelSelector> SimulatedCluster::selector_of(const Workload& b) const {
    const engine::snapshot::PodOwner& owner = b.look.owner;
    const auto known = selectors_.find(key_of(b.look.ns, key_of(owner.kind, owner.name)));
    if (known != selectors_.end()) return known->second;
    const auto app = b.look.labels.find("app");
    if (app == b.look.labels.end()) return std::nullopt;
    return LabelSelector{.match_labels = {*app}};
}

int SimulatedCluster::alive(const Workload& b) const {
    return static_cast<int>(b.pods.size()) - b.ending;
}

void SimulatedCluster::create_pod(BatchId of, std::string name, Time now) {
    const PodId id = enter(of, std::move(name), now);
    builder_.set(object_of(id));
    pending_.insert(id);
    statistics_.arrived(1);
    has_changed_ = true;
}

void SimulatedCluster::create(BatchId of, int count, Time now) {
    for (int i = 0; i < count; ++i) {
        Workload& b = batches_[of];
        std::string name;
        do {
            name = b.look.name + "-" + std::to_string(++b.last_number);
        } while (pod_by_name_.contains(key_of(b.look.ns, name)));
        create_pod(of, std::move(name), now);
    }
}

/// Like the ReplicaSet controller: pods without a node first, then the youngest. Of a StatefulSet
/// the last ones go, which are the youngest unless one came back.
void SimulatedCluster::shrink(BatchId of, int count, Time now) {
    if (count <= 0) return;
    std::vector<PodId> order;
    for (const PodId id : batches_[of].pods) {
        if (!pods_[id].deleted) order.push_back(id);
    }
    const bool in_row = batches_[of].controller == Controller::stateful_set;
    std::ranges::sort(order, [&](PodId a, PodId b) {
        const std::string &one = pods_[a].name, &other = pods_[b].name;
        if (in_row) return one.size() != other.size() ? one.size() > other.size() : one > other;
        const bool a_waits = pods_[a].node.empty();
        return a_waits != pods_[b].node.empty() ? a_waits : a > b;
    });
    order.resize(static_cast<std::size_t>(count));
    for (const PodId id : order) end(id, {}, now);
    const std::string& name = batches_[of].look.name;
    event_log_.tell(now, EventKind::departure, name,
                    pods_of(name, count) + (count == 1 ? " is" : " are") + " taken away", count);
    settle(now);
}

/// The number of the pod that a StatefulSet makes next; nothing: it has all, or one before it is
/// not ready.
std::optional<std::uint32_t> SimulatedCluster::next_in_row(const Workload& b) const {
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(b.wanted); ++i) {
        const auto pod =
            pod_by_name_.find(key_of(b.look.ns, b.look.name + "-" + std::to_string(i)));
        if (pod == pod_by_name_.end()) return i;
        if (!pods_[pod->second].is_healthy) return std::nullopt;
    }
    return std::nullopt;
}

void SimulatedCluster::settle(Time now) {
    while (!unsettled_.empty()) {
        const BatchId of = *unsettled_.begin();
        unsettled_.erase(unsettled_.begin());
        settle(of, now);
    }
}

void SimulatedCluster::settle(BatchId of, Time now) {
    Workload& b = batches_[of];
    std::int64_t back = 0;
    if (b.controller == Controller::stateful_set) {
        const auto number = next_in_row(b);
        if (!number) return;
        back = *number < b.last_number ? 1 : 0;
        b.last_number = std::max(b.last_number, *number + 1);
        create_pod(of, b.look.name + "-" + std::to_string(*number), now);
    } else if (b.controller != Controller::none) {
        back = std::max(0, b.wanted - alive(b));
        create(of, static_cast<int>(back), now);
    }
    if (back == 0) return;
    statistics_.recreated(back);
    const std::string& name = batches_[of].look.name;
    event_log_.tell(now, EventKind::arrival, name,
                    pods_of(name, back) + (back == 1 ? " comes" : " come") + " back without a node",
                    back);
}

// DaemonSets: one pod on each node that takes it.

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
