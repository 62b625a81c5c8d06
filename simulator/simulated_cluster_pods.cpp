// The lifecycle of pods: becoming ready, terminating, ending; evictions and their budgets.
#include <algorithm>
#include <chrono>
#include <vector>

#include <capstan/sentence.hpp>

#include "simulator/event_loop.hpp"
#include "simulator/simulated_cluster.hpp"

namespace capstan::simulator {
namespace {

constexpr Duration default_grace = std::chrono::seconds(30);

}  // namespace

std::optional<Time> SimulatedCluster::next_due() const {
    std::optional<Time> out;
    if (!scheduler_is_stopped_) out = next_lapse_;
    for (const Moments* moments : {&ends_, &leaves_, &starts_}) {
        if (!moments->empty()) out = earliest(out, moments->begin()->first);
    }
    return out;
}

void SimulatedCluster::reach(Time now) {
    // The pods whose moment has come and that still exist. A PodId is never used twice, so an entry
    // of a deleted pod is just left out.
    const auto take_due = [&](Moments& moments) {
        std::vector<PodId> due;
        for (; !moments.empty() && moments.begin()->first <= now; moments.erase(moments.begin())) {
            const PodId id = moments.begin()->second;
            if (batches_[pods_[id].batch].pods.contains(id)) due.push_back(id);
        }
        return due;
    };
    std::map<BatchId, int> ended;
    for (const PodId id : take_due(ends_)) {
        const BatchId of = pods_[id].batch;
        if (batches_[of].controller == Controller::job) set_replicas(of, batches_[of].wanted - 1);
        add_fact(FactKind::pod_completed, Cause::scenario, id, now);
        delete_pod(id, now);
        ++ended[of];
    }
    report_ended(ended, now);
    for (const PodId id : take_due(leaves_)) delete_pod(id, now);
    for (const PodId id : take_due(starts_)) {
        pods_[id].has_started = true;
        update_health(id);
    }
    reconcile(now);
}

void SimulatedCluster::report_ended(const std::map<BatchId, int>& ended, Time now) {
    for (const auto& [of, count] : ended) {
        statistics_.ended(count);
        const std::string& name = batches_[of].pod_template.name;
        event_log_.add(
            now, EventKind::departure, name,
            name + ": " + counted(count, "pod") + (count == 1 ? " completes" : " complete"), count);
    }
}

/// Begins the termination of the pod. The pod is gone after its stop time or its grace period,
/// whichever is shorter.
void SimulatedCluster::terminate(PodId id, std::optional<Duration> grace, Time now) {
    Pod& pod = pods_[id];
    const Workload& of = batches_[pod.batch];
    if (pod.deleted) return;
    const Duration allowed =
        grace.value_or(of.pod_template.spec.termination_grace.value_or(default_grace));
    const Duration takes = std::min(allowed, of.stop_time);
    if (pod.node.empty() || takes <= Duration(0)) return delete_pod(id, now);
    touch(id);
    pod.deleted = wall(now) + allowed;
    ++batches_[pod.batch].ending;
    leaves_.emplace(now + takes, id);
    builder_.set(object_of(id));
    update_health(id);
    to_reconcile_.insert(pod.batch);
    has_changed_ = true;
}

void SimulatedCluster::add_fact(FactKind kind, Cause cause, PodId id, Time now) {
    if (!event_log_.wants_facts()) return;
    const Pod& pod = pods_[id];
    const Workload& of = batches_[pod.batch];
    const std::string name = key_of(of.pod_template.ns, pod.name);
    const std::string batch = key_of(of.pod_template.ns, of.pod_template.name);
    const auto node = nodes_.find(pod.node);
    event_log_.add(Fact{.kind = kind,
                        .cause = cause,
                        .at = now,
                        .pod = name,
                        .batch = batch,
                        .node = pod.node,
                        .group = node == nodes_.end() ? std::string_view() : node->second.group,
                        .count = of.wanted,
                        .pod_object = &of.pod_template,
                        .node_object = node == nodes_.end() ? nullptr : &node->second.object});
}

void SimulatedCluster::delete_pod(PodId id, Time now) {
    add_fact(FactKind::pod_gone, Cause::scenario, id, now);
    Pod& pod = pods_[id];
    Workload& of = batches_[pod.batch];
    touch(id);
    const std::string key = key_of(of.pod_template.ns, pod.name);
    builder_.remove_pod(of.pod_template.ns, pod.name);
    pod_by_name_.erase(key);
    pods_as_given_.erase(key);
    of.pods.erase(id);
    if (pod.deleted) --of.ending;
    if (std::exchange(pod.is_healthy, false)) --of.healthy;
    pending_.erase(id);
    if (of.is_daemon)
        for (auto& [made_for, pods] : awaited_daemons_) pods.erase(id);
    if (const auto node = nodes_.find(pod.node); node != nodes_.end()) {
        node->second.pods.erase(id);
        node->second.requested -= of.pod_template.spec.requests;
        statistics_.released({of.pod_template.spec.requests.amount("cpu"),
                              of.pod_template.spec.requests.amount("memory")});
    }
    to_reconcile_.insert(pod.batch);
    has_changed_ = true;
}

/// Recomputes whether the pod is healthy, which matters to budgets and to a StatefulSet's next pod.
void SimulatedCluster::update_health(PodId id) {
    Pod& pod = pods_[id];
    const auto node = nodes_.find(pod.node);
    const bool is_healthy =
        pod.has_started && !pod.deleted && node != nodes_.end() && node->second.object.ready;
    if (std::exchange(pod.is_healthy, is_healthy) == is_healthy) return;
    touch(id);
    Workload& of = batches_[pod.batch];
    of.healthy += is_healthy ? 1 : -1;
    if (of.controller == Controller::stateful_set) to_reconcile_.insert(pod.batch);
    if (!budgets_.empty()) has_changed_ = true;
}

Result<void> SimulatedCluster::evict(const engine::Eviction& eviction, Time now) {
    const std::string key = key_of(eviction.ns, eviction.pod);
    const auto at = pod_by_name_.find(key);
    if (at == pod_by_name_.end() || uid_of(at->second) != eviction.uid)
        return fail(ErrorCode::not_found, "pod " + key + " no longer exists");
    const PodId id = at->second;
    const Pod& pod = pods_[id];
    if (pod.deleted) return {};
    if (!pod.node.empty() && !budgets_.empty()) {
        const engine::snapshot::PodObject& pod_template = batches_[pod.batch].pod_template;
        if (auto why = budgets_.find_refusal(pod_template.ns, pod_template.labels, pod.is_healthy,
                                             pod_sets()))
            return fail(ErrorCode::throttled, "pod " + key + ": " + *why);
    }
    add_fact(FactKind::pod_evicted, Cause::autoscaler, id, now);
    terminate(id, eviction.grace, now);
    reconcile(now);
    return {};
}

Result<void> SimulatedCluster::recheck(const engine::removal::NodeRecheck& recheck) const {
    const auto node = nodes_.find(recheck.node);
    if (node == nodes_.end()) return {};
    const auto counts = [&](const Workload& batch) {
        const engine::snapshot::PodSpec& spec = batch.pod_template.spec;
        const bool is_expendable = recheck.expendable_below && spec.priority &&
                                   *spec.priority < *recheck.expendable_below &&
                                   !spec.never_preempts;
        return !batch.is_daemon && !is_expendable;
    };
    for (const PodId id : node->second.pods) {
        const Pod& pod = pods_[id];
        const Workload& batch = batches_[pod.batch];
        const std::string name = key_of(batch.pod_template.ns, pod.name);
        if (counts(batch) &&
            !std::ranges::binary_search(recheck.known_pods, name + "/" + uid_of(id)))
            return fail({ErrorCode::conflict,
                         "it has a pod that the decision did not know: " + name,
                         std::string(engine::removal::unknown_pods), recheck.node});
    }
    return {};
}

void SimulatedCluster::fill(const std::vector<Budget>& budgets) {
    for (const Budget& budget : budgets) budgets_.set(budget);
    refresh_budgets();
}

Result<void> SimulatedCluster::apply(const Budget& budget, Time) {
    budgets_.set(budget);
    has_changed_ = true;
    refresh_budgets();
    return {};
}

std::vector<PodSet> SimulatedCluster::pod_sets() const {
    // Pods of one controller with different specs are in several batches.
    std::map<std::string, int, std::less<>> wanted;
    for (const Workload& b : batches_)
        if (b.scaled.id.empty()) wanted[b.pod_template.owner.uid] += b.wanted;
    std::vector<PodSet> out;
    for (const Workload& b : batches_)
        if (!b.pods.empty()) out.push_back(pod_set_of(b, wanted[b.pod_template.owner.uid]));
    return out;
}

PodSet SimulatedCluster::pod_set_of(const Workload& b, int wanted_by_owner) const {
    PodSet out{.ns = b.pod_template.ns,
               .labels = &b.pod_template.labels,
               .present = static_cast<int>(b.pods.size()),
               .healthy = b.healthy};
    if (!b.scaled.id.empty()) {
        out.controller = b.scaled.id;
        out.wanted = b.scaled.wanted;
    } else if (!b.pod_template.owner.uid.empty()) {
        out.controller = b.pod_template.owner.uid;
        const bool has_scale =
            b.controller == Controller::replica_set || b.controller == Controller::stateful_set;
        if (has_scale) out.wanted = wanted_by_owner;
    }
    return out;
}

void SimulatedCluster::refresh_budgets() {
    if (budgets_.empty()) return;
    for (auto& object : budgets_.refresh(pod_sets())) builder_.set(std::move(object));
}

}  // namespace capstan::simulator
