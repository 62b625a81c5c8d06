/// A scenario's cluster, live: API server, control plane, the scenario, and a daemon if wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <capstan/result.hpp>

#include "commands/cluster_daemon.hpp"
#include "commands/cluster_report.hpp"
#include "commands/simulate_input.hpp"

namespace capstan::commands {

struct ClusterOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  ///< 0: any free one
    double speed = 1;
    bool runs_daemon = false;       ///< `capstan run` beside it
    bool waits = false;             ///< steps begin once an autoscaler holds the Lease
    bool once = false;              ///< ends with the last step
    std::optional<Duration> lasts;  ///< ends after so much real time
};

/// Until a signal comes, or as the options say. The error: it could not begin, its daemon ended by
/// itself, or with `once` the story was not told as expected.
Result<void> run_cluster(const Simulation& simulation, const ClusterOptions& options,
                         const ClusterFolder& folder, ClusterReport& report);

}  // namespace capstan::commands
