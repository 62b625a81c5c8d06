/// A scenario's cluster, live: API server, control plane, the scenario, and a daemon if wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "simulator/program/cluster_daemon.hpp"
#include "simulator/program/cluster_report.hpp"
#include "simulator/program/simulate_input.hpp"

namespace capstan::simulator::program {

struct ClusterOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  ///< 0: any free one
    double speed = 1;
    bool runs_daemon = false;       ///< starts `capstan run` as a process
    bool waits = false;             ///< the first step waits until an autoscaler holds the Lease
    bool once = false;              ///< the run ends with the last step
    std::optional<Duration> lasts;  ///< the run ends after this much real time
};

/// Runs until a signal comes, or as long as the options say. The error: the cluster could not
/// start, its daemon ended by itself, or, with `once`, an expectation of the scenario was not met
/// or `lasts` ran out first.
Result<void> run_cluster(const Simulation& simulation, const ClusterOptions& options,
                         const ClusterFolder& folder, ClusterReport& report);

}  // namespace capstan::simulator::program
