/// `capstan simulate --chaos`: a scenario run once per seed, each time with other faults.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "commands/command_line.hpp"
#include "commands/result_output.hpp"
#include "simulator/program/simulate_input.hpp"

namespace capstan::simulator::program {

struct ChaosBatch {
    std::uint64_t first_seed = 0;
    int seeds = 1;  ///< 1: its events are printed, too
    /// In real time: seeds are begun until it is over, however many; absent: `seeds` are run.
    std::optional<std::chrono::minutes> time{};
    int jobs = 1;  ///< seeds at a time, each in a process of its own if more than 1
    bool every_pass = false;
    /// Where reduced breaks are written; empty: breaks are not reduced.
    std::string breaks{};
    commands::OutputFormat format = commands::OutputFormat::text;
    std::string repeat{};  ///< the command line without seeds; with --seed it repeats one run
};

/// Prints each violation with its time, the scenario file of the reduced break, and the command
/// that repeats the run, then counts of the whole batch. Returns the exit code: `exit_failed` if
/// any run failed.
int run_chaos(const Simulation& simulation, const ChaosBatch& batch, commands::Streams streams);

}  // namespace capstan::simulator::program
