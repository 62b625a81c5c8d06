/// What goes on beside the passes, on the loop's thread: the connection to the API server and all
/// that uses it, signals, and what wakes the passes' thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <vector>

#include <boost/asio/signal_set.hpp>

#include <capstan/result.hpp>

#include "io/http_server.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"
#include "runtime/config/configuration.hpp"
#include "runtime/daemon/admin_server.hpp"
#include "runtime/daemon/api_cluster_client.hpp"
#include "runtime/daemon/cluster_link.hpp"
#include "runtime/daemon/config_watch.hpp"
#include "runtime/daemon/leadership.hpp"
#include "runtime/daemon/memory_keeper.hpp"
#include "runtime/daemon/pass_scheduler.hpp"
#include "runtime/daemon/startup_gate.hpp"
#include "runtime/daemon/status_writer.hpp"
#include "runtime/daemon/stuck_calls.hpp"
#include "runtime/plugin_host.hpp"

namespace capstan::runtime::daemon {

/// Lives on the loop's thread alone, but for `cluster`.
class BackgroundServices {
public:
    struct Options {
        std::string version{};
        std::string identity{};  ///< of this process, unlike any other's
        std::uint64_t seed = 0;
        bool dry_run = false;
        std::function<void(const kubernetes::client::ApiAttempt&)> on_attempt{};
        /// Stopping takes longer than `stop_deadline`, or was asked for twice.
        std::function<void()> on_overdue{};
        Duration stop_deadline = std::chrono::seconds(25);
        /// This host begins to lead, or leads no longer.
        std::function<void(bool leads)> on_lead{};
        /// Otherwise the cluster is not mirrored, and nothing of it is decided.
        bool makes_passes = true;
        /// What is to come before the cluster is of interest; empty: nothing. [loop]
        std::function<std::string()> waits_for{};
        io::HttpClient* http = nullptr;  ///< see ClusterLink
    };
    /// What the passes' thread is to look after.
    struct PendingRequests {
        bool stop = false;
        bool reload = false;
        std::vector<std::function<void()>> tasks{};  ///< to be run in turn
    };

    /// Borrows config and host. Sends nothing yet.
    static Result<std::unique_ptr<BackgroundServices>> open(const config::Config& config,
                                                            PluginHost& host, Options options);
    BackgroundServices(const BackgroundServices&) = delete;
    BackgroundServices& operator=(const BackgroundServices&) = delete;
    /// No callback runs afterwards.
    ~BackgroundServices();

    /// Signals are taken from now on; see take_pending_requests.
    void listen();
    /// What plugins follow of the cluster begins, and what they ask is sent.
    void connect_plugins();
    /// Sees the cluster and waits in line for the Lease.
    void start();
    /// Answers on the admin port from now on.
    Result<void> serve(const config::Admin& config, AdminSources sources);
    /// See ConfigWatch. Where the file cannot be watched, that is said.
    void watch(const std::filesystem::path& file, std::function<void()> on_change,
               std::function<void(bool is_gone)> on_gone, std::string known);
    /// Leads no longer: brings events out, takes the status away if it is this host's, hands the
    /// Lease back. `done` when that is over.
    void stop(std::function<void()> done);

    /// What passes wait for, on every host; empty: nothing, or no passes are to be made.
    std::string unready_because() const;
    /// Whether passes are to be made: this host leads, and it and its plugins have seen the
    /// cluster.
    bool wants_passes() const;
    /// From now on this term's decisions may be carried out; the error: it is over, or this host
    /// stops.
    Result<void> may_act(std::uint64_t term);
    /// What outlives a restart, as the leader before left it; kept from now on as long as this term
    /// lasts. See MemoryKeeper::load.
    void load_memory(std::uint64_t term, MemoryKeeper::Loaded done);
    bool is_told_to_stop() const noexcept { return pending_requests_.stop; }
    /// The reload that was asked for is taken over by the caller.
    PendingRequests take_pending_requests();
    void request_reload();
    /// A cloud wants the next pass to begin soon; said in the log.
    void request_pass(const services::PassRequest& request);
    /// Something for the passes' thread, between two passes; false: too much waits already.
    bool add_task(std::function<void()> task);

    ClusterLink& link() noexcept { return *link_; }
    Leadership& leadership() noexcept { return *leadership_; }
    PassScheduler& pass_scheduler() noexcept { return pass_scheduler_; }
    MemoryKeeper& keeper() noexcept { return *keeper_; }
    /// NULL: no status is written.
    StatusWriter* status() noexcept { return status_ ? &*status_ : nullptr; }
    kubernetes::client::EventRecorder& events() noexcept { return *events_; }
    /// [any thread]
    ClusterClient& cluster() noexcept { return *cluster_; }
    /// Open while the term lasts whose decisions may be carried out. Asked on the loop's thread.
    instances::ChangeGate gate();

private:
    BackgroundServices(const config::Config& config, PluginHost& host, Options options);
    Result<void> open_link(const config::Config& config);
    void make_writers(const config::Cluster& config);
    void make_tellers(const config::Config& all);
    void watch_calls(const config::Config& all);
    void see_unknown_pods(const std::string& node, const std::vector<std::string>& pods);
    void tell_of_leadership(const config::Cluster& config);
    void await_signal();
    void take_signal(int number);
    void await_sync();
    Result<void> ask_gate(std::uint64_t term) const;
    Result<void> may_write() const;

    PluginHost& host_;
    const Options options_;
    PendingRequests pending_requests_{};
    std::uint64_t acting_term_ = 0;  ///< whose decisions are carried out
    std::uint64_t memory_term_ = 0;  ///< whose memory is kept
    PassScheduler pass_scheduler_;
    /// Without a guard, which takes them otherwise.
    std::optional<boost::asio::signal_set> signals_{};
    /// What the guard's thread hands on, as long as this lives.
    std::shared_ptr<BackgroundServices*> self_ = std::make_shared<BackgroundServices*>(this);
    std::optional<io::TimerId> sync_timer_{}, stop_timer_{};
    Duration stop_asked_{};              ///< when, on the loop's clock, once wishes_.stop is set
    std::optional<StartupGate> hold_{};  ///< nothing: the cluster has not been seen yet
    std::unique_ptr<ClusterLink> link_{};
    struct TakeBack {
        void operator()(services::KubeGateway* plugins) const { plugins->disconnect(); }
    };
    std::unique_ptr<services::KubeGateway, TakeBack> lent_{};  ///< the link, to plugins
    std::optional<ApiClusterClient> cluster_{};
    std::optional<GatedApi> memory_api_{};
    std::optional<MemoryKeeper> keeper_{};
    std::optional<StatusWriter> status_{};
    std::optional<kubernetes::client::EventRecorder> events_{};
    std::optional<Leadership> leadership_{};
    std::optional<StuckCalls> stuck_calls_{};  ///< nothing: strands are on the loop
    std::unique_ptr<io::HttpServer> admin_{};
    std::unique_ptr<ConfigWatch> config_watch_{};
};

}  // namespace capstan::runtime::daemon
