#include "commands/simulate_input.hpp"

#include <utility>

#include <CLI/CLI.hpp>

#include "simulation/scenario.hpp"

namespace capstan::commands {
namespace {

/// The configuration that counts: the command line's, that which the scenario names, or its own.
runtime::Loaded config_of(const SimulateInput& from, simulation::Scenario& scenario,
                          const runtime::ShippedPlugins& shipped, std::ostream& err) {
    if (!from.config.empty()) {
        if (scenario.has_sections)
            err << "capstan: " << from.config << " counts, not the sections of the scenario\n";
        return runtime::load_config(from.config, shipped);
    }
    if (!scenario.config_file.empty()) return runtime::load_config(scenario.config_file, shipped);
    return {std::move(scenario.config), scenario.diagnostics};
}

std::optional<Simulation> from_scenario(const SimulateInput& from, std::ostream& err) {
    runtime::ShippedPlugins shipped(runtime::shipped_plugins_root());
    simulation::Scenario scenario = simulation::read_scenario(from.scenario, shipped);
    const bool is_elsewhere = !from.config.empty() || !scenario.config_file.empty();
    if (scenario.diagnostics.errors() > 0 || !scenario.input || is_elsewhere)
        err << scenario.diagnostics.text();
    if (scenario.diagnostics.errors() > 0 || !scenario.input) return std::nullopt;
    runtime::Loaded loaded = config_of(from, scenario, shipped, err);
    Simulation out{.input = *std::move(scenario.input)};
    if (is_elsewhere && loaded.config && !scenario.has_scan_interval)
        out.input.scan_interval = loaded.config->cluster.scan_interval;
    out.prepared = simulation::prepare(std::move(loaded), out.input.cloud, std::move(shipped));
    err << out.prepared->complaints;
    return out.prepared->is_sound ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

void add_simulate_input(CLI::App& command, SimulateInput& input) {
    command.add_option("scenario", input.scenario, "The story to run")
        ->required()
        ->type_name("SCENARIO.toml");
    command
        .add_option("--config", input.config,
                    "The configuration, in place of what the scenario says of one")
        ->type_name("FILE");
    command
        .add_option("--threads", input.threads,
                    "Threads that read the input; the result does not depend on them")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
}

std::optional<Simulation> make_simulation(const SimulateInput& from, std::ostream& err) {
    return from_scenario(from, err);
}

}  // namespace capstan::commands
