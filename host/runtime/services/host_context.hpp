/// The host as one instance sees it: what stands behind its capstan_host.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <capstan/abi/services.h>
#include <capstan/ids.hpp>

#include "io/http_client.hpp"
#include "runtime/config/pipeline.hpp"
#include "runtime/loop/abandoned_threads.hpp"
#include "runtime/loop/breadcrumbs.hpp"
#include "runtime/loop/pending_callbacks.hpp"
#include "runtime/loop/plugin_calls.hpp"
#include "runtime/services/cache_store.hpp"
#include "runtime/services/drafts.hpp"
#include "runtime/services/kube_gateway.hpp"
#include "runtime/services/logger.hpp"
#include "runtime/services/metrics.hpp"
#include "runtime/services/operations.hpp"
#include "runtime/services/pending_requests.hpp"
#include "runtime/services/plugin_http.hpp"
#include "runtime/services/plugin_kube.hpp"
#include "runtime/services/plugin_metrics.hpp"
#include "runtime/services/secrets.hpp"
#include "runtime/services/state_store.hpp"

namespace capstan::runtime::services {

/// Makes the client of one instance, which names it by `user_agent` and owns its connections.
using HttpClients = std::function<std::shared_ptr<io::HttpClient>(const std::string& user_agent)>;

/// What all instances share. Shared ownership, for an instance whose hook never returned may use it
/// until the process ends; the loop alone is borrowed, and left alone by an instance that was
/// stopped or abandoned.
struct HostEnvironment {
    io::Loop& loop;
    std::shared_ptr<Logger> log;
    std::shared_ptr<Metrics> metrics;
    HttpClients http{};                           ///< empty: this host sends no requests
    std::shared_ptr<SecretSource> secrets{};      ///< NULL: it has none
    std::shared_ptr<StateStore> state{};          ///< NULL: it keeps none
    std::shared_ptr<loop::Breadcrumbs> crumbs{};  ///< NULL: none are kept
    std::uint64_t seed = 0;
    std::string version{};
    /// Time is virtual, so no call is late: how long a plugin keeps its strand in real time depends
    /// on the machine and is not reported.
    bool is_virtual = false;
    std::shared_ptr<KubeGateway> kube{};  ///< NULL: it has no cluster
    /// Of the process; not NULL.
    std::shared_ptr<loop::AbandonedThreads> abandoned = std::make_shared<loop::AbandonedThreads>();
    /// Each strand has a thread of its own; otherwise all are on the loop. Not where time is
    /// virtual.
    bool has_strand_threads = false;
    /// Nothing that a cloud is asked for is carried out: plugins are told.
    bool is_dry_run = false;
    /// The calls under way, for a watch on them; NULL: nothing watches.
    std::shared_ptr<loop::CallWatches> calls{};
    std::shared_ptr<CacheStore> cache{};  ///< NULL: it keeps none
    DraftIds drafts = draft_ids();
    /// Of clouds that want a pass; not NULL.
    std::shared_ptr<PassRequests> pass_requests = std::make_shared<PassRequests>();
};

/// The identity of an instance, and what it may use.
struct InstanceIdentity {
    PluginInstanceId id;
    std::string class_id;
    std::string kind{};            ///< of the class: CAPSTAN_KIND_*
    std::string origin{};          ///< "score.so 1.2.0", for reports
    std::string version{};         ///< of the plugin's file
    std::uint64_t generation = 1;  ///< counts the instances this table of the configuration has had
    config::Grants grants{};
    config::PluginTls tls{};
    config::PluginLimits limits{};
    bool is_controller = false;  ///< may ask to be called: capstan.reconcile/1
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
    /// CAPSTAN_CALL_*: what this host makes its requests for.
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
    PluginKube* kube() const noexcept { return kube_.get(); }                ///< NULL: not granted
    const SecretSource* secrets() const noexcept { return secrets_.get(); }  ///< NULL: not granted
    ReconcileTrigger& wishes() noexcept { return wishes_; }
    const PassRequests& pass_requests() const noexcept { return *pass_requests_; }
    StateStore* state() const noexcept { return state_.get(); }  ///< NULL: not granted
    CacheStore* cache() const noexcept { return cache_.get(); }  ///< NULL: not granted
    /// Whether the instance does without this kind, interface or service, because it is a draft;
    /// told in the log once for each.
    bool withholds(std::string_view id) noexcept;
    /// What it was not given for that reason, a sentence each; empty: nothing.
    std::string withheld() const;
    void say(config::LogLevel level, const std::string& message, const LogPairs& fields = {}) const;

    /// Timers, posted functions, blocking work and requests are refused from now on. Log, metrics,
    /// clock, secrets and state stay: an instance may save something while it stops.
    void close();
    /// After `close`: calls back every open timer, request and blocking function with
    /// CAPSTAN_E_CANCELLED and tells the plugin of every open operation but `except`.
    void cancel_open(capstan_op except);
    /// Once the instance is destroyed: what needs the loop goes.
    void retire();
    /// For an instance whose thread does not come back: forgets everything open, so that the loop
    /// may go. Operations that are still open never call back.
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
    std::shared_ptr<loop::Breadcrumbs> crumbs_;
    const std::shared_ptr<loop::AbandonedThreads> abandoned_;
    const std::shared_ptr<loop::Strand> strand_;
    const std::shared_ptr<loop::PluginCalls> calls_;
    std::shared_ptr<PluginHttp> http_;
    const std::shared_ptr<std::weak_ptr<PluginHttp>> requests_ =
        std::make_shared<std::weak_ptr<PluginHttp>>();
    std::shared_ptr<PluginKube> kube_;
    const std::shared_ptr<std::weak_ptr<PluginKube>> cluster_requests_ =
        std::make_shared<std::weak_ptr<PluginKube>>();
    const std::shared_ptr<OperationTable> operations_;
    const std::shared_ptr<loop::PendingCallbacks> tasks_;
    std::shared_ptr<SecretSource> secrets_;
    std::shared_ptr<StateStore> state_;
    std::shared_ptr<CacheStore> cache_;
    ReconcileTrigger wishes_;
    const std::shared_ptr<const PassRequests> pass_requests_;
    const DraftIds drafts_;
    mutable std::mutex withheld_mutex_;
    std::set<std::string, std::less<>> withheld_;
    const std::string version_;
    const std::uint32_t request_flags_;
    capstan_host host_{};
};

}  // namespace capstan::runtime::services
