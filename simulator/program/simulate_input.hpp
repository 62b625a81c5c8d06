/// The input of a simulation: which files the command line names, read into one `Simulation`; and
/// the files that a simulation writes.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "autoscaler/offline/prepare.hpp"
#include "commands/input_options.hpp"
#include "simulator/input.hpp"
#include "simulator/observers.hpp"
#include "simulator/report.hpp"
#include "simulator/shared_replicas.hpp"

namespace CLI {
class App;
}

namespace capstan::simulator::program {

/// The input of a simulation as it was given.
struct SimulateInput : commands::InputOptions {
    int threads = 0;  ///< threads that read a trace's files; 0: one for each
};

/// Adds the options of `simulate`; `input` is filled when the line is parsed, and has to outlive
/// `command`.
void add_simulate_input(CLI::App& command, SimulateInput& input);

/// A simulation that is ready to run.
struct Simulation {
    simulator::Input input{};
    /// The sections of a scenario's configuration, as a table; empty for other inputs.
    config::TomlValue sections{};
    std::unique_ptr<autoscaler::offline::PreparedSetup> prepared{};  ///< not NULL, without errors
    std::vector<simulator::SharedReplicas> balancers{};              ///< of the scenario
};

/// Where the input is used. In real time, on the API server in memory, all plugins are called.
enum class RunsIn { virtual_time, real_time };

/// Reads the input and the configuration, and loads the plugins. Prints errors, warnings and the
/// plugins that are not called to `err`. Absent: there were errors, and the simulation cannot run.
std::optional<Simulation> make_simulation(const SimulateInput& from, std::ostream& err,
                                          RunsIn where = RunsIn::virtual_time);

}  // namespace capstan::simulator::program

namespace capstan::simulator::program {

/// The files that a simulation writes in addition to its output. The report and the metrics collect
/// data during the run and are written at its end; recorded passes are written as they are run.
class SimulateFiles {
public:
    /// An empty path: the file is not written.
    struct Paths {
        std::string report;   ///< an HTML page
        std::string metrics;  ///< in Prometheus' text format
        std::string record;   ///< a folder of recorded passes
    };
    /// Checks, before the simulation runs, that all files can be written. The error names the file
    /// that cannot be.
    static Result<SimulateFiles> make(const Paths& paths, const Simulation& simulation);
    SimulateFiles(SimulateFiles&&) noexcept;
    ~SimulateFiles();

    /// Adds the collectors of the files to `observers`, which borrow from this object.
    void add_to(simulator::Observers& observers);
    /// Writes the files; to be called when the run is over. The error names the file.
    Result<void> write(const simulator::Report& report, const simulator::Input& input);

private:
    struct Parts;
    explicit SimulateFiles(Paths paths);

    Paths paths_;
    std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::simulator::program
