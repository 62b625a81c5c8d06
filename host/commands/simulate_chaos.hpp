/// `capstan simulate --chaos`: a scenario again and again, each time with other things that go
/// wrong.
#pragma once

#include <cstdint>
#include <string>

#include "commands/command_line.hpp"
#include "commands/result_output.hpp"
#include "commands/simulate_input.hpp"

namespace capstan::commands {

struct ChaosBatch {
    std::uint64_t first_seed = 0;
    int seeds = 1;  ///< one: its story is told, too
    bool every_pass = false;
    OutputFormat format = OutputFormat::text;
    std::string repeat{};  ///< the command line without its seeds, which repeats one with --seed
};

/// Prints what was violated, when, and the command that repeats it, then what the batch was like.
/// The exit code: `exit_failed` when anything was.
int run_chaos(const Simulation& simulation, const ChaosBatch& batch, Streams streams);

}  // namespace capstan::commands
