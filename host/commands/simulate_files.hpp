/// The files that a simulation writes beside what it tells.
#pragma once

#include <memory>
#include <string>

#include <capstan/result.hpp>

#include "commands/simulate_input.hpp"
#include "simulation/observers.hpp"
#include "simulation/report.hpp"

namespace capstan::commands {

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
