/// Metrics of node removals, from the changes of memory between two passes.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <prometheus/registry.h>

#include "autoscaler/pass_metrics/families.hpp"
#include "autoscaler/pass_metrics/gpus.hpp"

namespace capstan::autoscaler::pass_metrics {

class RemovalMetrics {
public:
    explicit RemovalMetrics(prometheus::Registry& registry);
    /// Compares memory with that of the last pass. Removals that are under way in the first pass
    /// count from then on, with the times that memory has of them.
    void observe(const PassObservation& pass);
    /// Counts the machines that clouds agreed to remove.
    void count_machines(const PassObservation& pass);

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
                         const engine::NodeRemoval& before, const engine::NodeRemoval* after);
    void count_failure(const PassObservation& pass, const std::string& node,
                       const engine::NodeRemoval& before);
    void end(const engine::NodeRemoval& removal, Time at);
    void observe_latency(Duration latency, bool deleted);
    void observe_unneeded(const PassObservation& pass, const State& last);

    Counters& scaled_down_;
    Counters& scaled_down_gpu_;  ///< upstream removed it in 1.36; kept for dashboards
    Counters& evicted_;
    Counters& refused_;
    Counters& failed_;
    Histograms& durations_;
    Histograms& phases_;
    Histograms& latencies_;
    std::optional<State> before_{};  ///< of the last pass
};

}  // namespace capstan::autoscaler::pass_metrics
