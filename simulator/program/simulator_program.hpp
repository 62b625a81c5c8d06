/// The program `capstan-simulator`, which has the commands of `capstan` that need the simulator.
#pragma once

#include "commands/command_line.hpp"

namespace capstan::simulator::program {

commands::Program simulator_program();

// Each function adds its command below `parent`. If the line names that command, parsing stores the
// work to do in `action`.
void add_cluster(CLI::App& parent, commands::Action& action);
void add_replay(CLI::App& parent, commands::Action& action);
void add_simulate(CLI::App& parent, commands::Action& action);

}  // namespace capstan::simulator::program
