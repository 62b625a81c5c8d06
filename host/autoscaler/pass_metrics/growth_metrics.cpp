#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "autoscaler/pass_metrics/gpus.hpp"
#include "autoscaler/pass_metrics/pass_observers.hpp"
#include "engine/each_action.hpp"
#include "engine/snapshot.hpp"

namespace capstan::autoscaler::pass_metrics {
namespace {

using engine::ActionResult;
using engine::Increase;

/// The cloud's last refusal in this pass to increase the group; NULL: there was none.
const Error* find_refusal(const PassObservation& pass, const NodeGroupId& group) {
    const Error* out = nullptr;
    for_each_action_of<Increase>(pass.decision, pass.results,
                                 [&](const Increase& increase, const ActionResult& result) {
                                     if (increase.group == group && result.refusal() != nullptr)
                                         out = result.refusal();
                                 });
    return out;
}

/// The error of the group's first machine whose creation failed with `code`, the code of the
/// group's back-off; NULL: there is no such machine.
const Error* find_machine_error(const PassObservation& pass, const NodeGroupId& id,
                                ErrorCode code) {
    const engine::Group* group = engine::find_group(pass.snapshot, id);
    if (group == nullptr) return nullptr;
    for (const Machine& machine : group->machines)
        if (machine.error && machine.error->code == code) return &*machine.error;
    return nullptr;
}

/// How many machines of a removal the cloud agreed to remove.
int count_removed(const engine::MachineRemoval& removal, std::span<const Error> failed) {
    return static_cast<int>(std::ranges::count_if(removal.machines, [&](const MachineId& machine) {
        return engine::find_error(failed, machine) == nullptr;
    }));
}

class GrowthMetrics final : public PassObserver {
public:
    explicit GrowthMetrics(prometheus::Registry& registry) : registry_(registry) {
        for (const char* reason : {"cloudProviderError", "apiCallError", "timeout"}) {
            prometheus::Labels labels = labels_with_drivers({});
            labels["reason"] = reason;
            failed_.Add(labels);
            failed_nodes_.Add({{"reason", reason}});
        }
    }
    /// Counts failures. In the first pass only refusals count, because an earlier run of the host
    /// may have counted the other failures.
    void observe(const PassObservation& pass, const engine::health::Health&) override {
        observe_late(pass);
        count_failures(pass);
    }
    /// Counts the machines that clouds agreed to create, and those that clouds agreed to remove
    /// because they never joined.
    void observe_late(const PassObservation& pass) override;

private:
    void count_failures(const PassObservation& pass);
    void count_failure(const Gpu& gpu, const std::string& reason);
    int count_failed_nodes(const PassObservation& pass, const NodeGroupId& group) const;

    prometheus::Registry& registry_;
    Counters& scaled_up_ = counters(registry_, "cluster_autoscaler_scaled_up_nodes_total",
                                    "Machines of scale-ups that clouds accepted.");
    /// Upstream removed it in 1.36; kept for dashboards.
    Counters& scaled_up_gpu_ = counters(registry_, "cluster_autoscaler_scaled_up_gpu_nodes_total",
                                        "Machines with GPUs of scale-ups that clouds accepted.");
    Counters& failed_ = counters(registry_, "cluster_autoscaler_failed_scale_ups_total",
                                 "Failed scale-ups, by reason.");
    /// Upstream removed it in 1.36; kept for dashboards.
    Counters& failed_gpu_ = counters(registry_, "cluster_autoscaler_failed_gpu_scale_ups_total",
                                     "Failed scale-ups of groups with GPUs, by reason.");
    Counters& failed_nodes_ = counters(registry_, "cluster_autoscaler_failed_node_creations_total",
                                       "Machines missing because of failed scale-ups, by reason.");
    prometheus::Counter& never_joined_ =
        single_counter(registry_, "cluster_autoscaler_old_unregistered_nodes_removed_count",
                       "Machines removed because they did not join the cluster.");
    std::optional<std::map<NodeGroupId, Time>> last_failures_{};
    // From the memory of the last pass.
    std::map<NodeGroupId, engine::ScaleUpRequest> requests_{};
    std::map<NodeGroupId, std::set<MachineId>> failed_machines_{};
};

void GrowthMetrics::observe_late(const PassObservation& pass) {
    const auto observe_removal = [&](const engine::MachineRemoval& removal,
                                     const ActionResult& result) {
        if (result.is_known && removal.cause == engine::RemovalCause::never_joined)
            never_joined_.Increment(count_removed(removal, result.errors));
    };
    const auto observe_increase = [&](const Increase& increase, const ActionResult& result) {
        if (!result.is_done()) return;
        const Gpu gpu = gpu_of_group(pass.snapshot, increase.group);
        scaled_up_.Add(labels_with_drivers(gpu)).Increment(result.agreed);
        if (!gpu.name.empty()) scaled_up_gpu_.Add(labels_of(gpu)).Increment(result.agreed);
    };
    for_each_action(pass.decision, pass.results,
                    engine::Visitors{observe_removal, observe_increase,
                                     [](const auto&, const ActionResult&) {}});
}

// Each failure changes `last_failure` of its group's back-off: a refusal in this pass, a machine
// that could not be created, and one that did not join in time. So a new `last_failure` is counted
// as one failure.
void GrowthMetrics::count_failures(const PassObservation& pass) {
    std::map<NodeGroupId, Time> seen;
    for (const auto& [group, backoff] : pass.memory.backoffs) {
        seen[group] = backoff.last_failure;
        const Error* error = find_refusal(pass, group);
        if (!last_failures_ && error == nullptr) continue;
        if (last_failures_) {
            const auto known = last_failures_->find(group);
            if (known != last_failures_->end() && known->second == backoff.last_failure) continue;
        }
        if (error == nullptr) error = find_machine_error(pass, group, backoff.code);
        const std::string reason =
            error != nullptr ? failure_reason(*error) : failure_reason(backoff.code);
        count_failure(gpu_of_group(pass.snapshot, group), reason);
        failed_nodes_.Add({{"reason", reason}}).Increment(count_failed_nodes(pass, group));
    }
    last_failures_ = std::move(seen);
    requests_ = pass.memory.requests;
    failed_machines_ = pass.memory.failed_machines;
}

/// How many machines a failure is about: those that the cloud refused in this pass; or else those
/// that failed since the last pass; or else all that were still expected.
int GrowthMetrics::count_failed_nodes(const PassObservation& pass, const NodeGroupId& group) const {
    int refused = 0;
    for_each_action_of<Increase>(pass.decision, pass.results,
                                 [&](const Increase& increase, const ActionResult& result) {
                                     if (increase.group == group && result.refusal() != nullptr)
                                         refused += increase.by - result.agreed;
                                 });
    if (refused > 0) return refused;
    const auto known = failed_machines_.find(group);
    const auto now = pass.memory.failed_machines.find(group);
    const auto is_new = [&](const MachineId& machine) {
        return known == failed_machines_.end() || !known->second.contains(machine);
    };
    const auto failed = now == pass.memory.failed_machines.end()
                            ? 0
                            : static_cast<int>(std::ranges::count_if(now->second, is_new));
    if (failed > 0) return failed;
    const auto request = requests_.find(group);
    return request == requests_.end() ? 0 : std::max(0, request->second.increase);
}

void GrowthMetrics::count_failure(const Gpu& gpu, const std::string& reason) {
    prometheus::Labels labels = labels_with_drivers(gpu);
    labels["reason"] = reason;
    failed_.Add(labels).Increment();
    if (gpu.name.empty()) return;
    labels.erase("dra_drivers");
    failed_gpu_.Add(labels).Increment();
}

}  // namespace

std::unique_ptr<PassObserver> make_growth_metrics(prometheus::Registry& registry) {
    return std::make_unique<GrowthMetrics>(registry);
}

}  // namespace capstan::autoscaler::pass_metrics
