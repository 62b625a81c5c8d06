#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "autoscaler/pass_metrics/gpus.hpp"
#include "autoscaler/pass_metrics/pass_observers.hpp"
#include "engine/each_action.hpp"
#include "engine/node_marks.hpp"
#include "engine/removal/phases.hpp"

namespace capstan::autoscaler::pass_metrics {
namespace {

using engine::ActionResult;
using engine::NodeRemoval;
using engine::RemovalPhase;

/// From the fastest removal of an empty node to a drain of half a day.
const prometheus::Histogram::BucketBoundaries removal_buckets = growing_buckets(0.1, 50'000, 60);
/// Upstream's buckets: from a second to 25 minutes, each 1.5 times the one before.
const prometheus::Histogram::BucketBoundaries latency_buckets =
    growing_buckets(1, 1477.891880035400390625, 19);

double in_seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

const NodeRemoval* find_removal(const engine::Memory& memory, const std::string& node) {
    const auto at = memory.removals.find(node);
    return at != memory.removals.end() ? &at->second : nullptr;
}

bool was_unmarked(const engine::Decision& decision, const std::string& node) {
    return std::ranges::any_of(decision.node_changes, [&](const engine::NodeChange& change) {
        return change.node == node &&
               std::ranges::find(change.drop_taints, engine::to_be_deleted_taint) !=
                   change.drop_taints.end();
    });
}

bool was_asked_to_go(const engine::Decision& decision, const std::string& node) {
    return std::ranges::any_of(decision.removals, [&](const engine::MachineRemoval& removal) {
        return std::ranges::find(removal.nodes, node) != removal.nodes.end();
    });
}

/// The step that failed, as the Zalando fork numbers them.
const char* failure_of(const engine::Decision& decision, const std::string& node,
                       RemovalPhase before) {
    if (before == RemovalPhase::tainting) return "1";
    const bool was_machine = was_asked_to_go(decision, node) || before == RemovalPhase::deleting ||
                             before == RemovalPhase::removed;
    return was_machine ? "3" : "2";
}

const char* removal_kind(const NodeRemoval& removal) {
    return removal.empty ? "empty" : "nonempty";
}

class RemovalMetrics final : public PassObserver {
public:
    explicit RemovalMetrics(prometheus::Registry& registry) : registry_(registry) {
        for (const char* reason : {"underutilized", "empty", "unready"}) {
            prometheus::Labels labels = labels_with_drivers({});
            labels["reason"] = reason;
            scaled_down_.Add(labels);
        }
        for (const char* result : {"succeeded", "failed"})
            evicted_.Add({{"eviction_result", result}});
    }
    /// Compares memory with that of the last pass. Removals that are under way in the first pass
    /// count from then on, with the times that memory has of them.
    void observe(const PassObservation& pass, const engine::health::Health&) override;
    /// Counts the machines that clouds agreed to remove.
    void observe_late(const PassObservation& pass) override;

private:
    /// The parts of memory that are compared from pass to pass.
    struct State {
        decltype(engine::Memory::unneeded) unneeded{};
        decltype(engine::Memory::removals) removals{};
    };
    void count_machine(const Gpu& gpu, engine::RemovalCause cause);
    void count_evictions(const PassObservation& pass);
    void observe_removals(const PassObservation& pass, const State& last);
    void observe_removal(const PassObservation& pass, const std::string& node,
                         const NodeRemoval& before, const NodeRemoval* after);
    void count_failure(const PassObservation& pass, const std::string& node,
                       const NodeRemoval& before);
    void end(const NodeRemoval& removal, Time at);
    void observe_latency(Duration latency, bool deleted);
    void observe_unneeded(const PassObservation& pass, const State& last);

    prometheus::Registry& registry_;
    Counters& scaled_down_ = counters(registry_, "cluster_autoscaler_scaled_down_nodes_total",
                                      "Nodes whose removal clouds accepted, by reason.");
    /// Upstream removed it in 1.36; kept for dashboards.
    Counters& scaled_down_gpu_ =
        counters(registry_, "cluster_autoscaler_scaled_down_gpu_nodes_total",
                 "Nodes with GPUs whose removal clouds accepted, by reason.");
    Counters& evicted_ = counters(registry_, "cluster_autoscaler_evicted_pods_total",
                                  "Evicted pods: succeeded, or failed (the drain gave up).");
    Counters& refused_ = counters(registry_, "capstan_refused_evictions_total",
                                  "Eviction requests refused by the API server, by error code.");
    Counters& failed_ =
        counters(registry_, "cluster_autoscaler_failed_scale_down_total",
                 "Failed removals of nodes. Reason 1: not tainted, 2: not drained, 3: "
                 "machine not removed.");
    Histograms& durations_ = function_durations(registry_);
    Histograms& phases_ = histograms(registry_, "capstan_node_removal_phase_duration_seconds",
                                     "Time that node removals spend in each phase.");
    Histograms& latencies_ =
        histograms(registry_, "cluster_autoscaler_node_removal_latency_seconds",
                   "Time from a node becoming unneeded until it was removed or needed again.");
    std::optional<State> before_{};  ///< of the last pass
};

void RemovalMetrics::observe(const PassObservation& pass, const engine::health::Health&) {
    observe_late(pass);
    count_evictions(pass);
    if (before_) {
        const State& last = *before_;
        observe_removals(pass, last);
        observe_unneeded(pass, last);
    }
    before_ = State{pass.memory.unneeded, pass.memory.removals};
}

void RemovalMetrics::observe_late(const PassObservation& pass) {
    const auto record = [&](const engine::MachineRemoval& removal, const ActionResult& result) {
        if (!result.is_known) return;
        for (const std::string& node : removal.nodes) {
            const NodeRemoval* after = find_removal(pass.memory, node);
            if (after == nullptr || after->phase != RemovalPhase::removed) continue;
            count_machine(gpu_of_node(pass.snapshot, node, removal.group), removal.cause);
            observe_latency(pass.at - after->unneeded_since.value_or(after->since), true);
        }
    };
    for_each_action_of<engine::MachineRemoval>(pass.decision, pass.results, record);
}

void RemovalMetrics::count_machine(const Gpu& gpu, engine::RemovalCause cause) {
    prometheus::Labels labels = labels_with_drivers(gpu);
    labels["reason"] = engine::name_of(cause);
    scaled_down_.Add(labels).Increment();
    if (gpu.name.empty()) return;
    labels.erase("dra_drivers");
    scaled_down_gpu_.Add(labels).Increment();
}

void RemovalMetrics::count_evictions(const PassObservation& pass) {
    int done = 0;
    const auto record = [&](const engine::Eviction&, const ActionResult& result) {
        const Error* const error = result.error();
        // The eviction was not sent, so the API server neither accepted nor refused it.
        if (!result.is_known || (error != nullptr && error->code == ErrorCode::cancelled)) return;
        const bool is_done = error == nullptr || error->code == ErrorCode::not_found;
        done += is_done ? 1 : 0;
        if (!is_done) refused_.Add({{"code", std::string(name_of(error->code))}}).Increment();
    };
    for_each_action_of<engine::Eviction>(pass.decision, pass.results, record);
    evicted_.Add({{"eviction_result", "succeeded"}}).Increment(done);
}

void RemovalMetrics::observe_removals(const PassObservation& pass, const State& last) {
    for (const auto& [node, before] : last.removals)
        observe_removal(pass, node, before, find_removal(pass.memory, node));
    // Removals that were chosen and cancelled within one pass. A leftover taint of an earlier run,
    // which memory does not have, is no such removal: its taint is removed at once.
    for (const auto& [node, after] : pass.memory.removals)
        if (after.phase == RemovalPhase::undoing && !last.removals.contains(node) &&
            !was_unmarked(pass.decision, node))
            count_failure(
                pass, node,
                {.phase = RemovalPhase::tainting, .empty = after.empty, .since = after.since});
}

void RemovalMetrics::observe_removal(const PassObservation& pass, const std::string& node,
                                     const NodeRemoval& before, const NodeRemoval* after) {
    if (after == nullptr || after->phase != before.phase) {
        phases_.Add({{"phase", std::string(engine::name_of(before.phase))}}, removal_buckets)
            .Observe(in_seconds(pass.at - before.phase_since));
    }
    if (before.phase == RemovalPhase::undoing) return;
    const bool was_kept = after != nullptr ? after->phase == RemovalPhase::undoing
                                           : was_unmarked(pass.decision, node);
    if (was_kept) return count_failure(pass, node, before);
    if (after == nullptr) end(before, pass.at);
}

void RemovalMetrics::count_failure(const PassObservation& pass, const std::string& node,
                                   const NodeRemoval& before) {
    failed_
        .Add({{"kind", removal_kind(before)},
              {"reason", failure_of(pass.decision, node, before.phase)}})
        .Increment();
    const auto left = std::ranges::count_if(before.evictions, [](const auto& eviction) {
        return eviction.second.refused > eviction.second.agreed;
    });
    evicted_.Add({{"eviction_result", "failed"}}).Increment(static_cast<double>(left));
    end(before, pass.at);
}

void RemovalMetrics::end(const NodeRemoval& removal, Time at) {
    const std::string all = "scaleDown:nodeDeletion";
    for (const std::string& function : {all, all + (removal.empty ? ":empty" : ":nonEmpty")})
        durations_.Add({{"function", function}}, removal_buckets)
            .Observe(in_seconds(at - removal.since));
}

void RemovalMetrics::observe_latency(Duration latency, bool deleted) {
    latencies_.Add({{"deleted", deleted ? "true" : "false"}, {"delay_reason", ""}}, latency_buckets)
        .Observe(in_seconds(latency));
}

void RemovalMetrics::observe_unneeded(const PassObservation& pass, const State& last) {
    for (const auto& [node, before] : last.unneeded) {
        const bool is_still = pass.memory.unneeded.contains(node) ||
                              pass.memory.removals.contains(node) ||
                              !pass.snapshot.cluster.find_node(node);
        if (!is_still) observe_latency(pass.at - before.since, false);
    }
}

}  // namespace

std::unique_ptr<PassObserver> make_removal_metrics(prometheus::Registry& registry) {
    return std::make_unique<RemovalMetrics>(registry);
}

}  // namespace capstan::autoscaler::pass_metrics
