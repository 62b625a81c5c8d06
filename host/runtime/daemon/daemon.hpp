/// The autoscaler of a live cluster.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <capstan/result.hpp>

#include "runtime/daemon/admin_server.hpp"
#include "runtime/daemon/pass_report.hpp"
#include "runtime/daemon/reload.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::runtime::daemon {

struct DaemonOptions {
    std::string version{};
    std::string identity{};  ///< of this process, unlike any other's: the Lease's holder
    std::uint64_t seed = 0;
    bool dry_run = false;
    /// The configuration's file, watched where [reload] says so; empty: there is none.
    std::filesystem::path file{};
    /// Reads the configuration anew; the error says what is wrong with it, and where.
    std::function<Result<std::shared_ptr<const LoadedConfig>>()> read_config{};
    /// It does not come to an end in time, or was told twice to stop. Must end the process.
    std::function<void()> on_overdue{};
    /// Each pass that was decided. [passes' thread]
    std::function<void(const PassReport&)> on_pass{};
    /// Answers a question about a pass, as text or as JSON. [passes' thread]
    std::function<Result<std::string>(const PassReport& pass, const AdminQuestion& question)>
        explain{};
    /// The host has no instances yet: they are created and started here, while signals are taken
    /// and the admin port answers, and again where that may help; see PluginStarts.
    bool starts_plugins = false;
    /// How requests to the API server leave the process; NULL: over the network. Borrowed.
    io::HttpClient* http = nullptr;
};

/// Starts plugins where it is to. Makes passes, one after the other, while this host leads, until a
/// signal (INT, TERM, QUIT) ends it: a decision that has not been acted on is dropped, what was
/// begun is brought to its end, then the Lease is handed back. Stands by while another host leads,
/// and again after the Lease was lost. On virtual time the host's clock moves while this waits, and
/// both threads are the caller's. The error: it could not begin; `invalid_config`: a plugin refuses
/// its settings.
Result<void> run_daemon(std::shared_ptr<const LoadedConfig> config, PluginHost& host,
                        DaemonOptions options);

}  // namespace capstan::runtime::daemon
