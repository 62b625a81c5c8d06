/// The host as one instance sees it: the implementation of its capstan_host.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <capstan/abi/services.h>
#include <capstan/ids.hpp>

#include "config/pipeline.hpp"
#include "io/http_client.hpp"
#include "plugin_runtime/loop/abandoned_threads.hpp"
#include "plugin_runtime/loop/breadcrumbs.hpp"
#include "plugin_runtime/loop/pending_callbacks.hpp"
#include "plugin_runtime/loop/plugin_calls.hpp"
#include "plugin_runtime/services/cache_store.hpp"
#include "plugin_runtime/services/drafts.hpp"
#include "plugin_runtime/services/kube_gateway.hpp"
#include "plugin_runtime/services/logger.hpp"
#include "plugin_runtime/services/metrics.hpp"
#include "plugin_runtime/services/operations.hpp"
#include "plugin_runtime/services/plugin_http.hpp"
#include "plugin_runtime/services/plugin_kube.hpp"
#include "plugin_runtime/services/plugin_metrics.hpp"
#include "plugin_runtime/services/request_sink.hpp"
#include "plugin_runtime/services/secrets.hpp"
#include "plugin_runtime/services/state_store.hpp"

namespace capstan::plugin_runtime::services {

/// Makes the HTTP client of one instance, with connections of its own and that `user_agent`.
using HttpClients = std::function<std::shared_ptr<io::HttpClient>(const std::string& user_agent)>;

/// What all instances share. Ownership is shared, since an instance with a hook that never returns
/// may use it until the process ends. Only the loop is borrowed: an instance that was stopped or
/// abandoned does not use it any more.
struct HostEnvironment {
    io::Loop& loop;
    std::shared_ptr<Logger> log;
    std::shared_ptr<Metrics> metrics;
    HttpClients http{};                                ///< empty: this host sends no requests
    std::shared_ptr<SecretSource> secrets{};           ///< NULL: this host has no secrets
    std::shared_ptr<StateStore> state{};               ///< NULL: this host keeps no state
    std::shared_ptr<loop::Breadcrumbs> breadcrumbs{};  ///< NULL: there is no file of call markers
    std::uint64_t seed = 0;
    std::string version{};
    /// Time is virtual. The real time for which a plugin keeps its strand depends on the machine
    /// and is not reported then.
    bool is_virtual = false;
    std::shared_ptr<KubeGateway> kube{};  ///< NULL: this host has no cluster
    /// Of the process; not NULL.
    std::shared_ptr<loop::AbandonedThreads> abandoned = std::make_shared<loop::AbandonedThreads>();
    /// Each strand has a thread of its own; otherwise all strands run on the loop. False if time is
    /// virtual.
    bool has_strand_threads = false;
    /// Actions of clouds are not carried out, and plugins see the flag for dry runs.
    bool is_dry_run = false;
    /// The calls of all instances, for the guard and for metrics. NULL: they are not watched.
    std::shared_ptr<loop::CallWatches> calls{};
    std::shared_ptr<CacheStore> cache{};  ///< NULL: this host has no cache
    DraftIds drafts = draft_ids();
    /// Requests of clouds for a pass; not NULL.
    std::shared_ptr<PassRequests> pass_requests = std::make_shared<PassRequests>();
};

/// The identity of an instance, its grants and its limits.
struct InstanceIdentity {
    PluginInstanceId id;
    std::string class_id;
    std::string kind{};            ///< of the class: CAPSTAN_KIND_*
    std::string origin{};          ///< "score.so 1.2.0", for reports
    std::string version{};         ///< of the plugin's file
    std::uint64_t generation = 1;  ///< the number of the instance among those of this id
    config::Grants grants{};
    config::PluginTls tls{};
    config::PluginLimits limits{};
    bool is_controller = false;  ///< it may use capstan.reconcile/1
};

/// [any thread] unless a function says otherwise.
class HostContext : public std::enable_shared_from_this<HostContext> {
public:
    static std::shared_ptr<HostContext> make(const HostEnvironment& environment,
                                             InstanceIdentity identity);
    HostContext(const HostContext&) = delete;
    HostContext& operator=(const HostContext&) = delete;

    const capstan_host* host() const noexcept { return &host_; }
    const InstanceIdentity& identity() const noexcept { return identity_; }
    const std::string& id() const noexcept { return identity_.id.value(); }
    /// CAPSTAN_CALL_*: the flags of this host's requests, such as CAPSTAN_CALL_DRY_RUN.
    std::uint32_t request_flags() const noexcept { return request_flags_; }
    io::Loop& loop() const noexcept { return loop_; }
    loop::Strand& strand() const noexcept { return *strand_; }
    loop::PluginCalls& calls() const noexcept { return *calls_; }
    loop::AbandonedThreads& abandoned_threads() const noexcept { return *abandoned_; }
    const io::Clock& clock() const noexcept { return *clock_; }
    io::RandomSource& random() noexcept { return random_; }
    Logger& log() const noexcept { return *log_; }
    InstanceMetrics& metrics() noexcept { return *metrics_; }
    PluginMetrics& plugin_metrics() noexcept { return plugin_metrics_; }
    OperationTable& operations() const noexcept { return *operations_; }
    loop::PendingCallbacks& tasks() const noexcept { return *tasks_; }
    PluginHttp& http() const noexcept { return *http_; }
    PluginKube* kube() const noexcept { return kube_.get(); }  ///< NULL: not granted
    /// NULL: not granted, or the host has no secrets.
    const SecretSource* secrets() const noexcept { return secrets_.get(); }
    ReconcileRequests& reconcile_requests() noexcept { return reconcile_requests_; }
    const PassRequests& pass_requests() const noexcept { return *pass_requests_; }
    StateStore* state() const noexcept { return state_.get(); }  ///< NULL: not granted
    /// NULL: not granted, or the host has no cache.
    CacheStore* cache() const noexcept { return cache_.get(); }
    /// Whether this kind, interface or service is withheld from the instance because it is a draft.
    /// Logged once for each id.
    bool withholds(std::string_view id) noexcept;
    /// The drafts that were withheld so far, one sentence per draft. Empty: none.
    std::string withheld() const;
    void say(config::LogLevel level, const std::string& message, const LogPairs& fields = {}) const;

    /// Timers, posted functions, blocking work and requests are refused from now on. Log, metrics,
    /// clock, secrets and state still work: an instance may save state while it stops.
    void close();
    /// After `close`: calls back, with CAPSTAN_E_CANCELLED, every open timer and request, and every
    /// blocking function that has not begun, and cancels every open operation but `except`.
    void cancel_open(capstan_op except);
    /// After the instance was destroyed: destroys what needs the loop.
    void retire();
    /// For an instance with a stuck thread: ends or forgets everything that is open, so that the
    /// loop may be destroyed.
    void abandon();

private:
    HostContext(const HostEnvironment& environment, InstanceIdentity identity);
    OperationTable::Options operation_options(const std::shared_ptr<KubeGateway>& cluster);
    const void* service(std::string_view id) noexcept;

    const InstanceIdentity identity_;
    io::Loop& loop_;
    const std::shared_ptr<const io::Clock> clock_;
    const std::shared_ptr<Logger> log_;
    const std::shared_ptr<InstanceMetrics> metrics_;
    PluginMetrics plugin_metrics_;
    io::RandomSource random_;
    std::shared_ptr<loop::Breadcrumbs> breadcrumbs_;
    const std::shared_ptr<loop::AbandonedThreads> abandoned_;
    const std::shared_ptr<loop::Strand> strand_;
    const std::shared_ptr<loop::PluginCalls> calls_;
    std::shared_ptr<PluginHttp> http_;
    const std::shared_ptr<std::weak_ptr<PluginHttp>> weak_http_ =
        std::make_shared<std::weak_ptr<PluginHttp>>();
    std::shared_ptr<PluginKube> kube_;
    const std::shared_ptr<std::weak_ptr<PluginKube>> weak_kube_ =
        std::make_shared<std::weak_ptr<PluginKube>>();
    const std::shared_ptr<OperationTable> operations_;
    const std::shared_ptr<loop::PendingCallbacks> tasks_;
    std::shared_ptr<SecretSource> secrets_;
    std::shared_ptr<StateStore> state_;
    std::shared_ptr<CacheStore> cache_;
    ReconcileRequests reconcile_requests_;
    const std::shared_ptr<const PassRequests> pass_requests_;
    const DraftIds drafts_;
    mutable std::mutex withheld_mutex_;
    std::set<std::string, std::less<>> withheld_;
    const std::string version_;
    const std::uint32_t request_flags_;
    capstan_host host_{};
};

}  // namespace capstan::plugin_runtime::services
