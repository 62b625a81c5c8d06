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
#include "simulator/input.hpp"
#include "simulator/observers.hpp"
#include "simulator/report.hpp"
#include "simulator/shared_replicas.hpp"

namespace CLI {
class App;
}

namespace capstan::commands {

/// Options as they were given. Exactly one input is set: `file`, `scenario`, `cluster` or `trace`,
/// or, for `explain` only, `recorded`, `server` or `live`.
struct SimulateInput {
    std::string file;              ///< scenario, dump or recorded pass; see `recognize_file`
    std::string scenario;          ///< a TOML file
    std::string cluster;           ///< a dump of a cluster; "-": standard input
    std::string trace;             ///< a folder with a production trace
    std::string recorded;          ///< a recorded pass; `explain` only
    std::string server;            ///< a daemon's admin URL; `explain` only
    std::string token_file;        ///< the bearer token for `server`; empty: no token
    std::string ca_file;           ///< authorities to trust for `server`; empty: the system's
    bool live = false;             ///< the live cluster of `config`; `explain` only
    std::string config;            ///< empty: the scenario's own configuration, or the defaults
    std::vector<std::string> set;  ///< KEY=VALUE that override the configuration
    int threads = 0;               ///< threads that read a trace's files; 0: one for each
};

/// Adds the options of `simulate`; `input` is filled when the line is parsed, and has to outlive
/// `command`.
void add_simulate_input(CLI::App& command, SimulateInput& input);

/// Adds the options of `explain`, whose positional arguments are a kind and a name: a scenario is
/// given as --scenario.
void add_explain_input(CLI::App& command, SimulateInput& input);

/// Recognizes a file by its beginning: "-", gzip, JSON and YAML objects are dumps; JSON that begins
/// with "version" is a recorded pass; everything else is a scenario. A file that cannot be read
/// counts as a scenario, and reading that reports the error.
enum class InputFile { scenario, dump, recorded_pass };
InputFile recognize_file(const std::string& file);

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

}  // namespace capstan::commands

namespace capstan::commands {

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

}  // namespace capstan::commands
