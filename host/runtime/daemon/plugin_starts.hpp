/// How the instances of a host come to life while log, admin port and signals work already, and
/// again where a start failed.
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

#include "io/loop.hpp"
#include "runtime/daemon/reload.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::runtime::daemon {

// What plugins keep (capstan.state/1), handed on from leader to leader.

struct SharedStates {
    std::map<std::string, std::string> texts{};  ///< by instance
    std::size_t bytes = 0;                       ///< of all of them
    std::optional<Error> trouble{};              ///< why something is left out
};

/// Everything that instances keep which were granted to, as far as there is room: in the order of
/// their names, and what is left out stays on this host alone. `name`: of this host's store, see
/// StateStore::share. [passes' thread]
SharedStates share_states(PluginHost& host, const std::string& name, std::size_t room);

/// Each instance goes on from what the leader before kept. What cannot be read is told, and leaves
/// the instance with what it has. [passes' thread]
void take_over_states(PluginHost& host, const std::map<std::string, std::string>& shared);

/// How far one instance of the configuration has come.
struct PluginStart {
    enum class Phase {
        queued,    ///< is to be created
        creating,  ///< inside the plugin's create
        starting,  ///< between start and its end
        running,
        stopping,  ///< could not be started, and goes
        waiting,   ///< for its next try
        out,       ///< until this host starts anew
    };
    services::InstanceIdentity identity{};
    std::string kind{};
    Phase phase = Phase::queued;
    Duration since{};         ///< by the clock of deadlines: when the phase began
    bool is_overdue = false;  ///< the call under way has not ended within its time
    int failures = 0;
    std::optional<Error> error{};    ///< of the last try that failed
    std::optional<Duration> next{};  ///< while it waits: when that ends
};

/// "plugin aws: start has been under way for 12s", "plugin aws: start: ...; tried again in 10s".
/// Empty: it runs.
std::string sentence_of(const PluginStart& start, Duration now);

/// Creates the instances in the order of the configuration, one at a time, each on a thread that is
/// abandoned where the plugin does not return; an instance is started as soon as it is there. A
/// call that takes longer than its limit is told, and the others go on without it; it counts again
/// once it has ended. An instance whose start failed is stopped, and where a repetition may help a
/// new one takes its place, after 5 s, twice as long after each further failure, 5 min at most, and
/// up to a quarter more by chance. On virtual time plugins are created on the loop's thread. Used
/// on the loop's thread alone.
class PluginStarts : public std::enable_shared_from_this<PluginStarts> {
public:
    struct Options {
        std::uint64_t seed = 0;
        /// One of them runs, has failed or is overdue.
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
    /// Whether the first try of each has ended, or is overdue.
    bool has_settled() const;
    /// What the host waits for before it may make passes; empty: nothing. First the first tries,
    /// then one of `clouds`, where there are any.
    std::string unready_because(const std::vector<PluginInstanceId>& clouds) const;
    /// All that does not run, a line each; empty: all run.
    std::string absent() const;
    /// `invalid_config`: a plugin refused its settings at its first try, so this host is not to
    /// run.
    Result<void> refusal() const { return refusal_; }
    /// Those that run since this was asked last.
    std::vector<std::shared_ptr<instances::PluginInstance>> take_started();
    /// Instances of these names are others' concern from now on: they are neither tried again nor
    /// told of, and what has been created of them and does not run is stopped. Their gauges stay as
    /// they are.
    void leave(const std::vector<PluginInstanceId>& ids);
    /// Nothing is tried again; what has been created and does not run is stopped, what is inside
    /// create abandoned. `done` when that is over.
    void stop(std::function<void()> done);

private:
    using Phase = PluginStart::Phase;
    struct Slot;
    struct Mailbox;
    struct Creation;

    void go_on();
    void create(Slot& slot);
    void created(std::size_t at, Result<std::shared_ptr<instances::PluginInstance>> made);
    void start(Slot& slot, std::shared_ptr<instances::PluginInstance> instance);
    void started(std::size_t at, const Result<void>& result);
    void failed(Slot& slot, const Error& error);
    void stop_candidate(Slot& slot, Duration timeout);
    void stopped(std::size_t at, const Result<void>& result);
    void after_failure(Slot& slot);
    void try_later(Slot& slot);
    void watch(Slot& slot, std::string_view call, Duration limit);
    void call_is_late(std::size_t at, std::string_view call, Duration limit);
    void enter(Slot& slot, Phase phase);
    void set_timer(Slot& slot, Duration delay, std::function<void()> then);
    void cancel_timer(Slot& slot);
    void say(config::LogLevel level, const Slot& slot, const std::string& what);
    void changed();
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
    std::vector<std::shared_ptr<instances::PluginInstance>> started_;  ///< since take_started
    Result<void> refusal_{};
    bool is_stopping_ = false;
    std::function<void()> on_stopped_{};
};

}  // namespace capstan::runtime::daemon
