#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "autoscaler/daemon/host_environment.hpp"
#include "commands/live_command.hpp"
#include "commands/options.hpp"
#include "commands/pass_recorder.hpp"
#include "plugin_runtime/loop/breadcrumbs.hpp"

namespace capstan::commands {
namespace {

/// How long the end of the process waits for records that are not written yet.
constexpr Duration records_patience = std::chrono::seconds(3);

struct RunArguments {
    LiveChoice live;
    bool dry_run = false;
    std::string state;
    std::string record;
    int record_max = 1000;
    pid_t parent = 0;  ///< the daemon ends when this process does; 0: none
};

/// Makes the kernel kill this process when its parent ends. False: the parent has ended already.
bool end_with_parent(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return ::getppid() == parent;
}

/// A breadcrumbs file that no other process uses. Several daemons on one machine, of which one
/// leads, may share the folder and the state of the plugins.
std::filesystem::path free_breadcrumbs(const std::filesystem::path& folder) {
    constexpr int most = 16;
    for (int i = 1; i < most; ++i) {
        const std::filesystem::path file =
            folder / (i == 1 ? "breadcrumbs" : "breadcrumbs-" + std::to_string(i));
        if (!plugin_runtime::loop::Breadcrumbs::is_taken(file)) return file;
    }
    return folder / "breadcrumbs";
}

autoscaler::PluginHost::Options host_options(const RunArguments& arguments, std::uint64_t seed,
                                             plugin_runtime::guard::Guard& guard) {
    autoscaler::PluginHost::Options out{.seed = seed, .version = CAPSTAN_VERSION};
    out.has_cluster = true;
    out.has_strand_threads = true;
    out.guard = &guard;
    if (arguments.state.empty()) return out;
    const std::filesystem::path folder(arguments.state);
    out.state = folder / "plugins";
    if (!arguments.dry_run) out.cache = folder / "cache";
    out.breadcrumbs = free_breadcrumbs(folder);
    return out;
}

/// NULL if --record is not given.
Result<std::unique_ptr<RecordWriter>> make_recorder(
    const RunArguments& arguments, const autoscaler::daemon::LoadedConfig& loaded) {
    if (arguments.record.empty()) return nullptr;
    CAPSTAN_TRY(
        auto recorder,
        PassRecorder::make(arguments.record,
                           autoscaler::record::make_setup_record(loaded.config, loaded.plugins),
                           CAPSTAN_VERSION, static_cast<std::size_t>(arguments.record_max)));
    return std::make_unique<RecordWriter>(std::move(recorder));
}

/// Records each pass. Logs the first of several failures in a row.
std::function<void(const autoscaler::PassReport&)> recording(
    RecordWriter& recorder, plugin_runtime::services::Logger& log) {
    return [&recorder, &log, has_logged = false](const autoscaler::PassReport& pass) mutable {
        const Result<void> recorded = recorder.on_pass(pass.input, pass.result);
        if (std::exchange(has_logged, !recorded) || recorded) return;
        log.write(config::LogLevel::error, "capstan",
                  recorded.error().code == ErrorCode::busy
                      ? "records: " + recorded.error().message
                      : "recording of passes stopped: " + recorded.error().message);
    };
}

Result<void> run_live(const RunArguments& arguments,
                      const std::shared_ptr<const autoscaler::daemon::LoadedConfig>& loaded,
                      plugin_runtime::guard::Guard& guard, Streams streams) {
    if (!arguments.state.empty()) {
        std::error_code error;
        std::filesystem::create_directories(std::filesystem::path(arguments.state) / "plugins",
                                            error);
        if (error)
            return fail(ErrorCode::unavailable, "--state " + arguments.state +
                                                    ": cannot be created: " + error.message() +
                                                    "; choose a writable folder");
    }
    CAPSTAN_TRY(const std::unique_ptr<RecordWriter> recorder, make_recorder(arguments, *loaded));
    const std::uint64_t seed = random_seed();
    const bool is_dry_run = arguments.dry_run || loaded->config.cluster.dry_run;
    autoscaler::PluginHost::Options plugin_host_options = host_options(arguments, seed, guard);
    plugin_host_options.is_dry_run = is_dry_run;
    CAPSTAN_TRY(const auto host, autoscaler::PluginHost::open(loaded->config, loaded->plugins,
                                                              std::move(plugin_host_options)));
    if (!arguments.state.empty())
        autoscaler::daemon::log_warnings(autoscaler::daemon::check_state_folder(arguments.state),
                                         host->log());
    autoscaler::daemon::DaemonOptions options{
        .version = CAPSTAN_VERSION,
        .identity = make_identity(seed),
        .seed = seed,
        .dry_run = is_dry_run,
        .file = arguments.live.config,
        .read_config = [&] { return load_live_config(arguments.live, streams.err); },
        .on_overdue =
            [breadcrumbs = host->breadcrumbs()] {
                if (breadcrumbs) breadcrumbs->note_end("shutdown timed out");
                std::fputs("capstan: shutdown timed out; exiting now\n", stderr);
                std::_Exit(exit_failed);
            },
        .explain = explain_pass,
        .starts_plugins = true};
    if (recorder) options.on_pass = recording(*recorder, host->log());
    CAPSTAN_CHECK(autoscaler::daemon::run_daemon(loaded, *host, std::move(options)));
    return recorder ? recorder->finish(records_patience) : Result<void>();
}

int run_daemon_command(const RunArguments& arguments, Streams streams) {
    if (arguments.parent != 0 && !end_with_parent(arguments.parent)) return exit_failed;
    // A closed connection is then an error of one request instead of the end of the process.
    std::signal(SIGPIPE, SIG_IGN);
    // The guard has to exist before any other thread, and before any code of a plugin runs.
    plugin_runtime::guard::Guard guard({});
    const auto loaded = load_live_config(arguments.live, streams.err);
    if (!loaded) {
        streams.err << loaded.error().message;
        return exit_usage;
    }
    const Result<void> ended = run_live(arguments, *loaded, guard, streams);
    return ended
               ? exit_ok
               : refuse(streams, ended.error().message,
                        ended.error().code == ErrorCode::invalid_config ? exit_usage : exit_failed);
}

}  // namespace

void add_run(CLI::App& parent, Action& action) {
    const auto [command, arguments] =
        add_command(parent, action, "run", "Run the autoscaler", run_daemon_command);
    add_live_choice(command, arguments.live);
    command.add_flag("--dry-run", arguments.dry_run, "Decide and log, but change nothing");
    add_option(command, "--state", arguments.state, "DIR",
               "Folder for data that plugins keep across restarts, and for the name of a "
               "plugin call that crashed the process");
    add_option(command, "--record", arguments.record, "DIR", record_help);
    add_option(command, "--record-max", arguments.record_max, "N",
               "With --record: number of files to keep (default: 1000)")
        ->check(at_least_one());
    // `capstan cluster` uses this option to start its daemon. The empty group hides it from the
    // help.
    command.add_option("--parent", arguments.parent)->group("");
}

}  // namespace capstan::commands
