/// Creates and starts the instances of a host while log, admin port and signals work already, and
/// retries failed starts. Hands the state of plugins from leader to leader.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <prometheus/gauge.h>

#include <capstan/error.hpp>

#include "autoscaler/daemon/reload.hpp"
#include "autoscaler/plugin_host.hpp"
#include "io/loop.hpp"

namespace capstan::autoscaler::daemon {

// The state of plugins (capstan.state/1), handed from leader to leader.

struct SharedStates {
    std::map<std::string, std::string> texts{};  ///< by instance
    std::size_t bytes = 0;                       ///< of all of them
    std::optional<Error> error{};                ///< why the state of an instance is left out
};

/// The state of all instances with the grant `state`, in the order of their names, as far as there
/// is room. State that is left out stays on this host alone. `name`: of this host's store, see
/// StateStore::share. [passes' thread]
SharedStates share_states(PluginHost& host, const std::string& name, std::size_t room);

/// Gives each instance the state that the last leader has shared. State that cannot be read is
/// logged, and the instance keeps its own. [passes' thread]
void take_over_states(PluginHost& host, const std::map<std::string, std::string>& shared);

/// The progress of the start of one instance.
struct PluginStart {
    enum class Phase {
        queued,    ///< is to be created
        creating,  ///< inside the plugin's create
        starting,  ///< inside the plugin's start
        running,
        stopping,  ///< is being stopped, because it could not be started
        waiting,   ///< for its next try
        disabled,  ///< not tried again until the daemon is restarted
    };
    plugin_runtime::services::InstanceIdentity identity{};
    std::string kind{};
    Phase phase = Phase::queued;
    Duration since{};         ///< when the phase began, on the clock of deadlines
    bool is_overdue = false;  ///< the call under way has not ended within its time
    int failures = 0;
    std::optional<Error> error{};    ///< of the last try that failed
    std::optional<Duration> next{};  ///< when the next try begins, in the phase `waiting`
};

/// "plugin aws: start has been running for 12s", "plugin aws: start: ...; retry in 10s".
/// Empty: it runs.
std::string sentence_of(const PluginStart& start, Duration now);

/// Creates the instances in the order of the configuration, one at a time, each on a thread that is
/// abandoned if the plugin does not return. An instance is started as soon as it has been created.
/// A call that takes longer than its limit is logged, and the other instances go on without it; its
/// instance takes part once the call has ended. An instance that could not start is stopped. If a
/// retry may help, a new instance is created after 5 s, twice as long after each further failure, 5
/// min at most, plus up to a quarter of jitter. On virtual time plugins are created on the loop's
/// thread. Used on the loop's thread alone.
class PluginStarts : public std::enable_shared_from_this<PluginStarts> {
public:
    struct Options {
        std::uint64_t seed = 0;
        /// Called when an instance runs, has failed or is overdue.
        std::function<void()> on_change{};
        Duration create_limit = std::chrono::seconds(30);
        Duration start_limit = std::chrono::seconds(30);
    };
    /// Borrows the host.
    PluginStarts(std::shared_ptr<const LoadedConfig> config, PluginHost& host, Options options);
    PluginStarts(const PluginStarts&) = delete;
    PluginStarts& operator=(const PluginStarts&) = delete;
    ~PluginStarts();

    void begin();
    /// In the order of the configuration.
    std::vector<PluginStart> starts() const;
    /// Whether the first try of each instance has ended or is overdue.
    bool has_settled() const;
    /// What the host waits for before it may make passes; empty: nothing. It waits for the first
    /// try of each instance, then for one of `clouds` to run, if there are any.
    std::string unready_because(const std::vector<PluginInstanceId>& clouds) const;
    /// The instances that do not run, a line each; empty: all run.
    std::string absent() const;
    /// `invalid_config`: a plugin has refused its settings at its first try, so the daemon has to
    /// end.
    Result<void> refusal() const { return refusal_; }
    /// The instances that have started since the last call.
    std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> take_started();
    /// Instances of these ids are neither tried again nor reported from now on: a reload replaces
    /// or removes them. Those that have been created and do not run are stopped. Their gauges stay
    /// as they are.
    void detach(const std::vector<PluginInstanceId>& ids);
    /// Makes no further tries. Instances that have been created and do not run are stopped; calls
    /// of create under way are abandoned. `done` is called at the end.
    void stop(std::function<void()> done);

private:
    using Phase = PluginStart::Phase;
    struct Slot;
    struct Mailbox;
    struct Creation;

    void advance();
    void create(Slot& slot);
    void on_created(std::size_t at,
                    Result<std::shared_ptr<plugin_runtime::instances::PluginInstance>> made);
    void start(Slot& slot, std::shared_ptr<plugin_runtime::instances::PluginInstance> instance);
    void on_started(std::size_t at, const Result<void>& result);
    void on_failed(Slot& slot, const Error& error);
    void stop_candidate(Slot& slot, Duration timeout);
    void on_stopped(std::size_t at, const Result<void>& result);
    void retry_or_disable(Slot& slot);
    void schedule_retry(Slot& slot);
    void watch(Slot& slot, std::string_view call, Duration limit);
    void call_is_late(std::size_t at, std::string_view call, Duration limit);
    void enter(Slot& slot, Phase phase);
    void set_timer(Slot& slot, Duration delay, std::function<void()> then);
    void cancel_timer(Slot& slot);
    void log(config::LogLevel level, const Slot& slot, const std::string& what);
    void notify_changed();
    void end_stop();
    bool waits_for_its_file(const Slot& slot) const;
    std::size_t index_of(const Slot& slot) const;
    Duration now() const { return host_.loop().monotonic(); }

    const std::shared_ptr<const LoadedConfig> config_;
    PluginHost& host_;
    const Options options_;
    io::RandomSource random_;
    const std::shared_ptr<Mailbox> mailbox_;
    std::vector<Slot> slots_;
    std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>>
        started_;  ///< since take_started
    Result<void> refusal_{};
    bool is_stopping_ = false;
    std::function<void()> on_stopped_{};
};

}  // namespace capstan::autoscaler::daemon
