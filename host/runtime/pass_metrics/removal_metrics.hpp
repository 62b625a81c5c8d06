/// How removals go, followed from pass to pass.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <prometheus/registry.h>

#include "runtime/pass_metrics/families.hpp"
#include "runtime/pass_metrics/gpus.hpp"

namespace capstan::runtime::pass_metrics {

class RemovalMetrics {
public:
    explicit RemovalMetrics(prometheus::Registry& registry);
    /// Removals that the first pass finds under way are followed from there on, with the times that
    /// memory has of them.
    void observe(const PassObservation& pass);
    /// Machines that clouds agreed to remove.
    void count_machines(const PassObservation& pass);

private:
    void count_machine(const Gpu& gpu, engine::RemovalCause cause);
    void count_evictions(const PassObservation& pass);
    void follow(const PassObservation& pass);
    void follow(const PassObservation& pass, const std::string& node,
                const engine::NodeRemoval& before, const engine::NodeRemoval* after);
    void count_failure(const PassObservation& pass, const std::string& node,
                       const engine::NodeRemoval& before);
    void end(const engine::NodeRemoval& removal, Time at);
    void observe_latency(Duration latency, bool deleted);
    void follow_unneeded(const PassObservation& pass);

    Counters& scaled_down_;
    Counters& scaled_down_gpu_;  ///< upstream gave it up with 1.36, and dashboards have it
    Counters& evicted_;
    Counters& refused_;
    Counters& failed_;
    Histograms& durations_;
    Histograms& phases_;
    Histograms& latencies_;
    /// Of memory, as of the last pass.
    struct Followed {
        decltype(engine::Memory::unneeded) unneeded{};
        decltype(engine::Memory::removals) removals{};
    };
    std::optional<Followed> before_{};
};

}  // namespace capstan::runtime::pass_metrics
