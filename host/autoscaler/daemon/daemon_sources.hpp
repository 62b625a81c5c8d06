/// Makes the answers of the admin port from a running daemon.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autoscaler/daemon/admin_server.hpp"
#include "autoscaler/daemon/controllers.hpp"
#include "autoscaler/daemon/pass_reporter.hpp"
#include "autoscaler/daemon/plugin_starts.hpp"

namespace capstan::autoscaler::daemon {

struct DaemonFacts {
    std::string version{}, identity{};
    std::string cluster{};  ///< its name; empty: it has no name
    bool dry_run = false;
    bool debugging_snapshot = false;        ///< /snapshotz is answered
    std::function<std::string()> config{};  ///< as TOML; asked on the loop's thread
    /// The progress of the starts of instances, and a line for each instance that does not run.
    /// NULL: all were running before the daemon began. [loop]
    std::function<std::vector<PluginStart>()> starts{};
    std::function<std::string()> absent{};
    /// Absent: there is no controller of that id. [any thread]
    std::function<std::optional<plugin_runtime::instances::ControllerStatus>(
        const std::string& plugin)>
        controller{};
    /// Answers a question about a pass, as text or as JSON. [passes' thread]
    std::function<Result<std::string>(const PassReport& pass, const AdminQuestion& question)>
        explain{};
};

/// AdminSources::absent: `absent`, and the warnings of the last pass; `pass` NULL: there has been
/// none.
std::string describe_shortcomings(std::string absent, const PassReport* pass);
/// Why nothing is ordered, if the memory could not be written at the end of the last pass;
/// otherwise empty.
std::string describe_unwritten_memory(const PassReport* pass);

/// The sources borrow their arguments. `services` owns the server that calls them.
AdminSources make_sources(PluginHost& host, ObservableState& observable, LoopServices& services,
                          const DaemonFacts& facts);

}  // namespace capstan::autoscaler::daemon
