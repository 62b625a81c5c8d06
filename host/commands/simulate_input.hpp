/// What a simulation is made of, by the command line: the one place that knows all kinds of input.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "simulation/input.hpp"
#include "simulation/observers.hpp"
#include "simulation/prepare.hpp"
#include "simulation/report.hpp"
#include "simulation/shared_replicas.hpp"

namespace CLI {
class App;
}

namespace capstan::commands {

/// One of the first four is given, or for questions `server` or `live`.
struct SimulateInput {
    std::string file;              ///< one of the next three, as it turns out to be; or recorded
    std::string scenario;          ///< a TOML file
    std::string cluster;           ///< a dump of a cluster; "-": standard input
    std::string trace;             ///< a folder
    std::string recorded;          ///< a pass, for commands that ask one
    std::string server;            ///< a daemon's admin port, for the same
    std::string token_file;        ///< with what that wants to see
    std::string ca_file;           ///< and authorities to trust there; empty: the system's
    bool live = false;             ///< the cluster of `config`, for the same
    std::string config;            ///< empty: what the input itself says, else the defaults
    std::vector<std::string> set;  ///< KEY=VALUE, in place of what files say
    int threads = 0;               ///< that read the files of a trace; 0: one for each
};

/// Adds the options; the fields hold what was chosen once the line has been parsed.
void add_simulate_input(CLI::App& command, SimulateInput& input);

/// The same as options alone, for commands whose arguments are something else: --scenario.
void add_explain_input(CLI::App& command, SimulateInput& input);

/// What a file is, by how it begins: JSON is a dump, or a recorded pass where it has what only such
/// a one has; all else is a scenario. One that cannot be read is for its reader to complain of.
enum class InputFile { scenario, dump, recorded_pass };
InputFile recognize_file(const std::string& file);

/// Ready to run.
struct Simulation {
    simulation::Input input{};
    std::unique_ptr<simulation::PreparedSetup> prepared{};  ///< not NULL, and sound
    std::vector<simulation::SharedReplicas> balancers{};    ///< that a live cluster has, too
};

/// Reads everything and loads the plugins. What is wrong goes to `err`; nothing: then it cannot
/// run.
std::optional<Simulation> make_simulation(const SimulateInput& from, std::ostream& err);

}  // namespace capstan::commands

namespace capstan::commands {

// The files that a simulation writes beside what it tells.

/// Each looks on by itself and is written in the end, but for recorded passes, which are written as
/// they come.
class SimulateFiles {
public:
    /// Empty: not wanted.
    struct Paths {
        std::string report;   ///< a page
        std::string metrics;  ///< in Prometheus' text format
        std::string record;   ///< a folder of passes
    };
    /// Finds out, before anything runs, whether all can be written. The error names the one that
    /// cannot.
    static Result<SimulateFiles> make(const Paths& paths, const Simulation& simulation);
    SimulateFiles(SimulateFiles&&) noexcept;
    ~SimulateFiles();

    /// They look on, and have to outlive that.
    void add_to(simulation::Observers& observers);
    /// Once the run is over. The error names the file.
    Result<void> write(const simulation::Report& report, const simulation::Input& input);

private:
    struct Parts;
    explicit SimulateFiles(Paths paths);

    Paths paths_;
    std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::commands
