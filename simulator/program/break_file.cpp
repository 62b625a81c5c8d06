#include "simulator/program/break_file.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "commands/command_line.hpp"
#include "commands/file_io.hpp"
#include "simulator/chaos/shortest_break.hpp"
#include "simulator/run_figures.hpp"
#include "simulator/scenario_writer.hpp"

namespace capstan::simulator::program {
namespace {

simulator::Setup setup_of(const Simulation& simulation) {
    return {.config = simulation.prepared->sound_config(),
            .plugins = simulation.prepared->plugins,
            .version = CAPSTAN_VERSION};
}

/// Runs the file without chaos.
Result<void> check_break(const std::filesystem::path& file,
                         const simulator::chaos::Violation& wanted) {
    std::ostringstream complaints;
    SimulateInput input;
    input.scenario = file.string();
    const std::optional<Simulation> read = make_simulation(input, complaints);
    if (!read)
        return fail(ErrorCode::internal, file.string() + ": cannot be read: " + complaints.str());
    simulator::Observers none;
    const auto report = simulator::chaos::run_judged(read->input, setup_of(*read), none);
    const bool is_error = wanted.invariant == "error";
    const bool breaks =
        report ? std::ranges::any_of(report->unmet,
                                     [&](const simulator::Unmet& unmet) {
                                         return unmet.text.starts_with(wanted.invariant + ": ");
                                     })
               : is_error;
    if (breaks) return {};
    return fail(ErrorCode::internal, file.string() + ": does not break " + wanted.invariant);
}

}  // namespace

Result<BreakFile> write_break(const Simulation& simulation, std::uint64_t seed,
                              const std::filesystem::path& folder, const std::string& repeat) {
    CAPSTAN_TRY(simulator::chaos::Break found, simulator::chaos::find_shortest_break(
                                                   simulation.input, setup_of(simulation), seed));
    const simulator::chaos::Violation& violation = found.violation;
    found.input.title = violation.invariant + ": " + violation.text;
    const simulator::ScenarioExtras extras{
        .sections = simulation.sections,
        .balancers = simulation.balancers,
        .remarks = {
            "Found by: " + repeat,
            "Breaks " + violation.invariant + " at " + simulator::clock_text(violation.at) + ".",
            "Move this file to tests/scenarios/found to keep it as a test."}};
    CAPSTAN_TRY(const std::string text, simulator::write_scenario(found.input, extras));
    const std::filesystem::path file =
        folder / (std::filesystem::path(simulation.input.source).stem().string() + "-seed-" +
                  std::to_string(seed) + ".toml");
    CAPSTAN_CHECK(commands::write_file(file, text));
    CAPSTAN_CHECK(check_break(file, violation));
    return BreakFile{
        .path = file.string(), .events = found.events, .events_before = found.events_before};
}

}  // namespace capstan::simulator::program
