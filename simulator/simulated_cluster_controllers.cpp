#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/sentence.hpp>

#include "autoscaler/dump/daemon_pods.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {

// External events add, scale and remove pods; controllers recreate pods that vanish.

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
    const std::string& name = batch.pod.owner.name.empty() ? batch.pod.name : batch.pod.owner.name;
    return {.kind = kind,
            .api_group = api_group,
            .name = name,
            .uid = batch.pod.ns + "/" + name,
            .job_among_owners = controller == Controller::job};
}

std::string pods_of(const std::string& batch, std::int64_t count) {
    return batch + ": " + counted(count, "pod");
}

}  // namespace

Result<void> SimulatedCluster::apply(const PodBatch& given, Time now) {
    // Pods that end by themselves are a Job's unless the input names another controller.
    const Controller controller =
        given.controller == Controller::none && given.duration ? Controller::job : given.controller;
    engine::snapshot::PodObject pod_template = given.pod;
    pod_template.owner = owner_of(given, controller);
    const bool single = !given.count && given.controller == Controller::none;
    if (single && pod_by_name_.contains(key_of(pod_template.ns, pod_template.name)))
        return fail(ErrorCode::conflict, "pod '" + pod_template.name + "' already exists");
    const BatchId of = batch(key_of(pod_template.ns, pod_template.name), pod_template);
    Workload& b = batches_[of];
    b.controller = controller;
    b.duration = given.duration;
    b.start_up = given.start_up;
    b.stop_time = given.stop_time;
    b.is_packed = given.packed;
    const int count = given.count.value_or(1);
    event_log_.add(now, EventKind::arrival, pod_template.name,
                   pods_of(pod_template.name, count) + (count == 1 ? " arrives" : " arrive"),
                   count);
    set_replicas(of, b.wanted + count);
    if (single) {
        create_pod(of, pod_template.name, Cause::scenario, now);
    } else if (controller == Controller::stateful_set) {
        to_reconcile_.insert(of);
        reconcile(now);
    } else {
        create(of, count, Cause::scenario, now);
    }
    return {};
}

Result<void> SimulatedCluster::apply(const Scale& to, Time now) {
    const std::optional<BatchId> of = find_batch(to.batch);
    if (!of || batches_[*of].controller == Controller::none) {
        return fail(of ? ErrorCode::invalid_config : ErrorCode::not_found,
                    "scale: no batch '" + to.batch + "' with a controller");
    }
    scale(*of, to.batch, to.replicas, now);
    return {};
}

void SimulatedCluster::scale(BatchId of, const std::string& name, int replicas, Time now) {
    const Workload& b = batches_[of];
    const int present = alive(b);
    set_replicas(of, replicas);
    if (replicas <= present) return shrink(of, present - replicas, now);
    event_log_.add(
        now, EventKind::arrival, name,
        name + " scales from " + std::to_string(present) + " to " + counted(replicas, "pod"),
        replicas - present);
    if (b.controller != Controller::stateful_set)
        create(of, replicas - present, Cause::scenario, now);
    to_reconcile_.insert(of);
    reconcile(now);
}

Result<void> SimulatedCluster::apply(const Remove& what, Time now) {
    if (const auto of = find_batch(what.name)) {
        batches_[*of].controller = Controller::none;
        set_replicas(*of, 0);
        shrink(*of, alive(batches_[*of]), now);
        return {};
    }
    if (const auto pod = find_pod(what.name)) {
        event_log_.add(now, EventKind::departure, batches_[pods_[*pod].batch].pod_template.name,
                       what.name + " is deleted", 1);
        add_fact(FactKind::pod_deleted, Cause::scenario, *pod, now);
        terminate(*pod, {}, now);
        reconcile(now);
        return {};
    }
    if (remove_daemon_set(what.name, now) || remove_node(what.name, now)) return {};
    return fail(ErrorCode::not_found,
                "remove: no batch, pod, DaemonSet or node '" + what.name + "'");
}

/// Sets the replicas that the controller wants, also in the controller's object.
void SimulatedCluster::set_replicas(BatchId of, int count) {
    Workload& b = batches_[of];
    b.wanted = count;
    if (tracks_changes_) touched_batches_.insert(of);
    if (b.scaled.wanted) b.scaled.wanted = count;
    has_changed_ = true;
    // No decision reads a Job's object, and traces have very many Jobs.
    if (b.controller == Controller::none || b.controller == Controller::job) return;
    builder_.set(engine::snapshot::ControllerObject{.kind = b.pod_template.owner.kind,
                                                    .ns = b.pod_template.ns,
                                                    .name = b.pod_template.owner.name,
                                                    .uid = b.pod_template.owner.uid,
                                                    .replicas = wanted_of_owner(b),
                                                    .selector = selector_of(b)});
}

/// The pods that the controller wants, in all batches that it owns.
int SimulatedCluster::wanted_of_owner(const Workload& b) const {
    const std::string& owner = b.pod_template.owner.uid;
    if (b.pod_template.owner.name == b.pod_template.name) return b.wanted;
    int out = 0;
    for (const Workload& other : batches_)
        if (other.pod_template.owner.uid == owner) out += other.wanted;
    return out;
}

/// The selector of the controller: that of its object if it was there from the start, else the
/// label `app`.
std::optional<LabelSelector> SimulatedCluster::selector_of(const Workload& b) const {
    const engine::snapshot::PodOwner& owner = b.pod_template.owner;
    const auto known = selectors_.find(key_of(b.pod_template.ns, key_of(owner.kind, owner.name)));
    if (known != selectors_.end()) return known->second;
    const auto app = b.pod_template.labels.find("app");
    if (app == b.pod_template.labels.end()) return std::nullopt;
    return LabelSelector{.match_labels = {*app}};
}

int SimulatedCluster::alive(const Workload& b) const {
    return static_cast<int>(b.pods.size()) - b.ending;
}

void SimulatedCluster::create_pod(BatchId of, std::string name, Cause cause, Time now) {
    const PodId id = add_pod(of, std::move(name), now);
    builder_.set(object_of(id));
    pending_.insert(id);
    statistics_.arrived(1);
    add_fact(FactKind::pod_arrived, cause, id, now);
    has_changed_ = true;
}

void SimulatedCluster::create(BatchId of, int count, Cause cause, Time now) {
    for (int i = 0; i < count; ++i) {
        Workload& b = batches_[of];
        std::string name;
        do {
            name = b.pod_template.name + "-" + std::to_string(++b.last_number);
        } while (pod_by_name_.contains(key_of(b.pod_template.ns, name)));
        create_pod(of, std::move(name), cause, now);
    }
}

/// Terminates `count` pods. Like the ReplicaSet controller: pods without a node first, then the
/// youngest. A StatefulSet terminates the pods with the highest numbers.
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
    for (const PodId id : order) {
        add_fact(FactKind::pod_deleted, Cause::scenario, id, now);
        terminate(id, {}, now);
    }
    const std::string& name = batches_[of].pod_template.name;
    event_log_.add(now, EventKind::departure, name,
                   pods_of(name, count) + (count == 1 ? " is" : " are") + " deleted", count);
    reconcile(now);
}

/// The number of the pod that a StatefulSet creates next; absent: all pods exist, or a pod with a
/// lower number is not ready.
std::optional<std::uint32_t> SimulatedCluster::next_in_row(const Workload& b) const {
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(b.wanted); ++i) {
        const auto pod = pod_by_name_.find(
            key_of(b.pod_template.ns, b.pod_template.name + "-" + std::to_string(i)));
        if (pod == pod_by_name_.end()) return i;
        if (!pods_[pod->second].is_healthy) return std::nullopt;
    }
    return std::nullopt;
}

void SimulatedCluster::reconcile(Time now) {
    while (!to_reconcile_.empty()) {
        const BatchId of = *to_reconcile_.begin();
        to_reconcile_.erase(to_reconcile_.begin());
        reconcile(of, now);
    }
}

void SimulatedCluster::reconcile(BatchId of, Time now) {
    Workload& b = batches_[of];
    std::int64_t back = 0;
    if (b.controller == Controller::stateful_set) {
        const auto number = next_in_row(b);
        if (!number) return;
        back = *number < b.last_number ? 1 : 0;
        b.last_number = std::max(b.last_number, *number + 1);
        create_pod(of, b.pod_template.name + "-" + std::to_string(*number),
                   back == 0 ? Cause::scenario : Cause::controller, now);
    } else if (b.controller != Controller::none) {
        back = std::max(0, b.wanted - alive(b));
        create(of, static_cast<int>(back), Cause::controller, now);
    }
    if (back == 0) return;
    statistics_.recreated(back);
    const std::string& name = batches_[of].pod_template.name;
    event_log_.add(now, EventKind::arrival, name,
                   pods_of(name, back) + (back == 1 ? " is" : " are") + " recreated and pending",
                   back);
}

// DaemonSets: one pod on each node that takes it.

void SimulatedCluster::add_daemons(Node& node, Time now) {
    const auto awaited = awaited_daemons_.find(node.object.name);
    for (const BatchId of : daemon_sets_) {
        const engine::snapshot::PodObject& pod_template = batches_[of].pod_template;
        const auto is_among = [&](const std::set<PodId>& pods) {
            return std::ranges::any_of(pods, [&](PodId pod) {
                return autoscaler::dump::is_of_one_daemon_set(
                    batches_[pods_[pod].batch].pod_template, pod_template);
            });
        };
        const bool present =
            is_among(node.pods) || (awaited != awaited_daemons_.end() && is_among(awaited->second));
        if (present || !autoscaler::dump::runs_on(pod_template, node.object, node.requested))
            continue;
        const PodId id = add_pod(of, pod_template.name + "-" + node.object.name, now);
        occupy(id, node, now);
        builder_.set(object_of(id));
    }
}

Result<void> SimulatedCluster::apply(const engine::snapshot::DaemonSetObject& set, Time now) {
    const auto known = find_daemon_set(key_of(set.ns, set.name));
    if (known != daemon_sets_.end())
        return fail(ErrorCode::conflict, "DaemonSet '" + set.name + "' already exists");
    fill_daemon_set(set);
    event_log_.add(now, EventKind::arrival, set.name, "DaemonSet " + set.name + " arrives", 0);
    for (auto& [name, node] : nodes_) add_daemons(node, now);
    has_changed_ = true;
    return {};
}

std::vector<SimulatedCluster::BatchId>::iterator SimulatedCluster::find_daemon_set(
    std::string_view name) {
    const bool is_full = name.find('/') != std::string_view::npos;
    return std::ranges::find_if(daemon_sets_, [&](BatchId of) {
        const engine::snapshot::PodObject& pod_template = batches_[of].pod_template;
        return key_of(pod_template.ns, pod_template.name) ==
               (is_full ? std::string(name) : key_of("default", name));
    });
}

bool SimulatedCluster::remove_daemon_set(std::string_view name, Time now) {
    const auto at = find_daemon_set(name);
    if (at == daemon_sets_.end()) return false;
    const engine::snapshot::PodObject pod_template = batches_[*at].pod_template;
    daemon_sets_.erase(at);
    builder_.remove(engine::snapshot::ObjectKind::daemon_set, pod_template.ns, pod_template.name);
    std::vector<PodId> pods;
    for (const Workload& b : batches_)
        if (b.is_daemon && autoscaler::dump::is_of_one_daemon_set(b.pod_template, pod_template))
            pods.insert(pods.end(), b.pods.begin(), b.pods.end());
    for (const PodId id : pods) {
        add_fact(FactKind::pod_deleted, Cause::scenario, id, now);
        terminate(id, {}, now);
    }
    event_log_.add(now, EventKind::departure, pod_template.name,
                   "DaemonSet " + pod_template.name + " is deleted",
                   static_cast<std::int64_t>(pods.size()));
    has_changed_ = true;
    reconcile(now);
    return true;
}

}  // namespace capstan::simulator
