/// What commands on a live cluster have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/daemon/daemon.hpp"
#include "commands/chosen_cluster.hpp"

namespace capstan::commands {

/// The configuration of a command on a live cluster, and options that override it.
struct LiveChoice {
    std::string config;  ///< a file
    std::vector<std::string> set{};
    ClusterChoice cluster{};
    std::string log_level{};  ///< empty: that of the file
};

/// Adds --config, --set, --kubeconfig, --context and --log-level. `choice` has to outlive
/// `command`.
void add_live_choice(CLI::App& command, LiveChoice& choice);

/// Reads the file, loads and checks its plugins. Warnings go to `warnings`. The error is
/// `invalid_config` and lists everything that is wrong, with its places.
Result<std::shared_ptr<const autoscaler::daemon::LoadedConfig>> load_live_config(
    const LiveChoice& choice, std::ostream& warnings);

/// The holder identity in the Lease: "node-7_1a2b3c4d5e6f7081". The random part makes it differ
/// between two processes on one machine, and between two runs of the program.
std::string make_identity(std::uint64_t chance);

/// A random number from std::random_device.
std::uint64_t random_seed();

/// The answer to a question about a pass, as `capstan explain` gives it.
Result<std::string> explain_pass(const autoscaler::PassReport& pass,
                                 const autoscaler::daemon::AdminQuestion& question);

}  // namespace capstan::commands
