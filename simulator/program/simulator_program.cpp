#include "simulator/program/simulator_program.hpp"

#include <CLI/CLI.hpp>

#include "simulator/program/explain_run.hpp"

namespace capstan::simulator::program {
namespace {

void add_commands(CLI::App& app, commands::Action& action) {
    add_simulate(app, action);
    add_cluster(app, action);
    add_replay(app, action);
    // The help does not list it: `capstan explain` runs it for questions about a point in time.
    commands::define_explain(app, action, explain_over_time).group("");
}

}  // namespace

commands::Program simulator_program() { return {.add_commands = add_commands}; }

}  // namespace capstan::simulator::program
