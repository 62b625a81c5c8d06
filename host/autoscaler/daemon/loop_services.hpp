/// What runs on the loop's thread during passes: the connection to the API server and everything
/// that uses it, signals, and the scheduler of passes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <vector>

#include <boost/asio/signal_set.hpp>

#include <capstan/assert.hpp>
#include <capstan/result.hpp>

#include "autoscaler/daemon/admin_server.hpp"
#include "autoscaler/daemon/api_cluster_client.hpp"
#include "autoscaler/daemon/cluster_link.hpp"
#include "autoscaler/daemon/config_watch.hpp"
#include "autoscaler/daemon/leadership.hpp"
#include "autoscaler/daemon/memory_keeper.hpp"
#include "autoscaler/daemon/pass_scheduler.hpp"
#include "autoscaler/daemon/startup_gate.hpp"
#include "autoscaler/daemon/status_writer.hpp"
#include "autoscaler/daemon/stuck_calls.hpp"
#include "autoscaler/plugin_host.hpp"
#include "config/configuration.hpp"
#include "io/http_server.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"

namespace capstan::autoscaler::daemon {

/// Used on the loop's thread alone, except for `cluster`.
class LoopServices {
public:
    struct Options {
        std::string version{};
        std::string identity{};  ///< of this process, unique
        std::uint64_t seed = 0;
        bool dry_run = false;
        std::function<void(const kubernetes::client::ApiAttempt&)> on_attempt{};
        /// Called when stopping takes longer than `stop_deadline` or a second stop signal comes.
        std::function<void()> on_overdue{};
        Duration stop_deadline = std::chrono::seconds(25);
        /// Called when this host begins to lead, and when it leads no longer.
        std::function<void(bool leads)> on_lead{};
        /// False: there is no cluster cache and there are no passes.
        bool makes_passes = true;
        /// What passes wait for before the cluster has to be seen, as a sentence; empty: nothing.
        /// [loop]
        std::function<std::string()> waits_for{};
        io::HttpClient* http = nullptr;  ///< see ClusterLink
    };
    /// Requests for the passes' thread.
    struct PendingRequests {
        bool stop = false;
        bool reload = false;
        std::vector<std::function<void()>> tasks{};  ///< to be run in this order
    };

    /// Borrows config and host. Sends no request yet.
    static Result<std::unique_ptr<LoopServices>> open(const config::Config& config,
                                                      PluginHost& host, Options options);
    LoopServices(const LoopServices&) = delete;
    LoopServices& operator=(const LoopServices&) = delete;
    /// No callback runs afterwards.
    ~LoopServices();

    /// Handles signals from now on; see take_pending_requests.
    void listen();
    /// Connects plugins to the API server: their watches begin, and their requests are sent.
    void connect_plugins();
    /// Starts the cluster cache, and waits for the Lease.
    void start();
    /// Answers on the admin port from now on.
    Result<void> serve(const config::Admin& config, AdminSources sources);
    /// See ConfigWatch. Logs a warning if the file cannot be watched.
    void watch(const std::filesystem::path& file, std::function<void()> on_change,
               std::function<void(bool is_gone)> on_gone, std::string known);
    /// Stops leading: removes the status ConfigMap if this host led, releases the Lease, and sends
    /// waiting Events. `done` is called at the end.
    void stop(std::function<void()> done);

    /// What passes wait for, on every host; empty: nothing, or no passes are to be made.
    std::string unready_because() const;
    /// Whether passes are to be made: this host leads, and it and its plugins have seen the
    /// cluster.
    bool wants_passes() const;
    /// From now on the ChangeGate allows changes while `term` lasts. The error: the term is over,
    /// or this host stops.
    Result<void> may_act(std::uint64_t term);
    /// Loads what the last leader has persisted, see MemoryKeeper::load. From now on the keeper may
    /// write as long as this term lasts.
    void load_memory(std::uint64_t term, MemoryKeeper::Loaded done);
    bool is_stop_requested() const noexcept { return pending_requests_.stop; }
    /// Takes reload and tasks, which are to be carried out by the caller.
    PendingRequests take_pending_requests();
    void request_reload();
    /// A cloud asks for a pass; logged.
    void request_pass(const plugin_runtime::services::PassRequest& request);
    /// Has the passes' thread run `task` between two passes. False: too many tasks wait already.
    bool add_task(std::function<void()> task);

    ClusterLink& link() noexcept { return *link_; }
    Leadership& leadership() noexcept {
        CAPSTAN_ASSERT(leadership_, "there is no leadership");
        return *leadership_;
    }
    PassScheduler& pass_scheduler() noexcept { return pass_scheduler_; }
    MemoryKeeper& keeper() noexcept {
        CAPSTAN_ASSERT(keeper_, "there is no memory keeper");
        return *keeper_;
    }
    /// NULL: no status is written.
    StatusWriter* status() noexcept { return status_ ? &*status_ : nullptr; }
    kubernetes::client::EventRecorder& events() noexcept {
        CAPSTAN_ASSERT(events_, "there is no event recorder");
        return *events_;
    }
    /// [any thread]
    ClusterClient& cluster() noexcept {
        CAPSTAN_ASSERT(cluster_, "there is no cluster client");
        return *cluster_;
    }
    /// The gate of changes: open while the term of may_act lasts. To be called on the loop's
    /// thread.
    plugin_runtime::instances::ChangeGate gate();

private:
    LoopServices(const config::Config& config, PluginHost& host, Options options);
    Result<void> open_link(const config::Config& config);
    void make_writers(const config::Cluster& config);
    void make_reporters(const config::Config& all);
    void watch_calls(const config::Config& all);
    void report_unknown_pods(const std::string& node, const std::vector<std::string>& pods);
    void report_leadership(const config::Cluster& config);
    void await_signal();
    void take_signal(int number);
    void await_sync();
    void report_unsynced();
    bool leads() const { return leadership_ && leadership_->term(); }
    Result<void> ask_gate(std::uint64_t term) const;
    Result<void> may_write() const;

    PluginHost& host_;
    const Options options_;
    PendingRequests pending_requests_{};
    std::uint64_t acting_term_ = 0;  ///< decisions of this term are carried out
    std::uint64_t memory_term_ = 0;  ///< the memory of this term is persisted
    PassScheduler pass_scheduler_;
    /// Absent: the guard takes signals.
    std::optional<boost::asio::signal_set> signals_{};
    /// For callbacks of the guard's thread: they do nothing once this object is destroyed.
    std::shared_ptr<LoopServices*> self_ = std::make_shared<LoopServices*>(this);
    std::optional<io::TimerId> sync_timer_{}, stop_timer_{};
    Duration stop_asked_{};  ///< on the loop's clock; valid once pending_requests_.stop is set
    std::optional<Duration> sync_begun_{};  ///< when the wait for the cluster began
    Duration unsynced_logged_{};
    std::optional<StartupGate> startup_gate_{};  ///< absent: the cluster has not been seen yet
    std::unique_ptr<ClusterLink> link_{};
    struct DisconnectPlugins {
        void operator()(plugin_runtime::services::KubeGateway* plugins) const {
            plugins->disconnect();
        }
    };
    /// The connection of plugins to the API server through `link_`.
    std::unique_ptr<plugin_runtime::services::KubeGateway, DisconnectPlugins> plugin_connection_{};
    std::optional<ApiClusterClient> cluster_{};
    std::optional<GatedApi> memory_api_{};
    std::optional<MemoryKeeper> keeper_{};
    std::optional<StatusWriter> status_{};
    std::optional<kubernetes::client::EventRecorder> events_{};
    std::optional<Leadership> leadership_{};
    std::optional<StuckCalls> stuck_calls_{};  ///< absent: strands are on the loop
    std::unique_ptr<io::HttpServer> admin_{};
    std::unique_ptr<ConfigWatch> config_watch_{};
};

}  // namespace capstan::autoscaler::daemon
