/// `capstan run`: the daemon that scales a live cluster.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <capstan/result.hpp>

#include "autoscaler/daemon/admin_server.hpp"
#include "autoscaler/daemon/reload.hpp"
#include "autoscaler/pass_report.hpp"
#include "autoscaler/plugin_host.hpp"

namespace capstan::autoscaler::daemon {

struct DaemonOptions {
    std::string version{};
    std::string identity{};  ///< of this process, unique: the Lease's holder
    std::uint64_t seed = 0;
    bool dry_run = false;
    /// The configuration's file, which is watched; without reload.watch a change is only reported.
    /// Empty: there is none.
    std::filesystem::path file{};
    /// Reads the configuration again; the error has its mistakes with their places.
    std::function<Result<std::shared_ptr<const LoadedConfig>>()> read_config{};
    /// Called when the daemon does not stop in time, or at a second stop signal. Must end the
    /// process.
    std::function<void()> on_overdue{};
    /// Called after each pass that was decided. [passes' thread]
    std::function<void(const PassReport&)> on_pass{};
    /// Answers a question about a pass, as text or as JSON. [passes' thread]
    std::function<Result<std::string>(const PassReport& pass, const AdminQuestion& question)>
        explain{};
    /// True: the host has no instances yet. The daemon creates and starts them, while signals are
    /// handled and the admin port answers; see PluginStarts.
    bool starts_plugins = false;
    /// For how long passes that see nothing new are skipped at most; 0: none is skipped.
    Duration skips_for = std::chrono::minutes(1);
    /// The client for requests to the API server. NULL: one that uses the network. Borrowed.
    io::HttpClient* http = nullptr;
};

/// Makes passes, one after the other, while this host leads, until a signal (INT, TERM, QUIT). At
/// the signal a decision that has not been acted on is dropped, actions under way are waited for,
/// and the Lease is released. This host stands by while another host leads, and again after it has
/// lost the Lease. With `starts_plugins` it starts the plugins first. On virtual time the host's
/// clock advances during waits, and passes and loop both run on the caller's thread. The error: the
/// daemon could not begin; `invalid_config`: a plugin refuses its settings.
Result<void> run_daemon(std::shared_ptr<const LoadedConfig> config, PluginHost& host,
                        DaemonOptions options);

}  // namespace capstan::autoscaler::daemon
