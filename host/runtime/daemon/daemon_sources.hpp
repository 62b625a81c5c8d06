/// What the admin port answers, from a running daemon.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/daemon/admin_server.hpp"
#include "runtime/daemon/controllers.hpp"
#include "runtime/daemon/pass_reporter.hpp"
#include "runtime/daemon/plugin_starts.hpp"

namespace capstan::runtime::daemon {

struct DaemonFacts {
    std::string version{}, identity{};
    std::string cluster{};  ///< its name; empty: it has none
    bool dry_run = false;
    bool debugging_snapshot = false;        ///< /snapshotz is answered
    std::function<std::string()> config{};  ///< as TOML; asked on the loop's thread
    /// How far the instances have come, and a line for each that does not run; NULL: all run, since
    /// before the daemon began. [loop]
    std::function<std::vector<PluginStart>()> starts{};
    std::function<std::string()> absent{};
    /// Nothing: there is no controller of that name. [any thread]
    std::function<std::optional<instances::ControllerStatus>(const std::string& plugin)>
        controller{};
    /// Answers a question about a pass, as text or as JSON. [passes' thread]
    std::function<Result<std::string>(const PassReport& pass, const AdminQuestion& question)>
        explain{};
};

/// `beside` owns the server that asks these, and outlives them so.
AdminSources make_sources(PluginHost& host, ObservableState& shown, BackgroundServices& beside,
                          const DaemonFacts& facts);

}  // namespace capstan::runtime::daemon
