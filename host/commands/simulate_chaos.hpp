/// `capstan simulate --chaos`: a scenario run once per seed, each time with other faults.
#pragma once

#include <cstdint>
#include <string>

#include "commands/command_line.hpp"
#include "commands/result_output.hpp"
#include "commands/simulate_input.hpp"

namespace capstan::commands {

struct ChaosBatch {
    std::uint64_t first_seed = 0;
    int seeds = 1;  ///< 1: its events are printed, too
    bool every_pass = false;
    OutputFormat format = OutputFormat::text;
    std::string repeat{};  ///< the command line without seeds; with --seed it repeats one run
};

/// Prints each violation with its time and the command that repeats the run, then counts of the
/// whole batch. Returns the exit code: `exit_failed` if any run failed.
int run_chaos(const Simulation& simulation, const ChaosBatch& batch, Streams streams);

}  // namespace capstan::commands
