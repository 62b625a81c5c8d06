#include "plugin_runtime/services/host_context.hpp"

#include <algorithm>
#include <tuple>

#include <capstan/abi/cloud.h>

#include "io/http_syntax.hpp"
#include "plugin_runtime/services/services.hpp"

namespace capstan::plugin_runtime::services {

namespace {

std::string milliseconds_text(Duration d) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(d).count()) + " ms";
}

/// The name of the instance in the report of a crash.
std::string crash_name(const InstanceIdentity& identity) {
    std::string name = identity.id.value();
    if (!identity.origin.empty()) name += " (" + identity.origin + ")";
    return identity.generation > 1 ? name + " generation " + std::to_string(identity.generation)
                                   : name;
}

std::shared_ptr<loop::CallMarkers> make_call_markers(
    const std::shared_ptr<loop::Breadcrumbs>& breadcrumbs, const InstanceIdentity& identity) {
    return breadcrumbs
               ? std::shared_ptr<loop::CallMarkers>(breadcrumbs->add_markers(crash_name(identity)))
               : std::make_shared<loop::CallMarkers>();
}

loop::Strand::Watchdog watchdog(std::shared_ptr<Logger> log,
                                std::shared_ptr<InstanceMetrics> metrics, std::string id) {
    return {.report = [log = std::move(log), metrics = std::move(metrics),
                       id = std::move(id)](Duration took) {
        metrics->strand_overrun();
        // Each overrun is counted; long ones are warnings.
        const config::LogLevel level =
            took < std::chrono::seconds(1) ? config::LogLevel::debug : config::LogLevel::warn;
        log->write(level, id,
                   "a call blocked the other calls of this plugin for " + milliseconds_text(took) +
                       "; decisions are not affected, but report it to the author of the plugin if "
                       "it happens often");
    }};
}

/// Whether an exception of the call is counted here. Failures of the other calls are counted where
/// their errors are made.
bool is_counted_here(loop::Hook hook) {
    return hook == loop::Hook::callback || hook == loop::Hook::blocking ||
           hook == loop::Hook::destroy;
}

loop::PluginCalls::Report call_report(std::shared_ptr<Logger> log,
                                      std::shared_ptr<InstanceMetrics> metrics, std::string id) {
    return [log = std::move(log), metrics = std::move(metrics), id = std::move(id)](
               loop::Hook hook, const std::string& sentence) {
        if (is_counted_here(hook)) metrics->hook_failed(hook, ErrorCode::internal);
        log->write(config::LogLevel::error, id, sentence);
    };
}

TlsRenewal::ErrorCallback tls_report(std::shared_ptr<Logger> log, std::string id) {
    return [log = std::move(log), id = std::move(id)](const Error& error) {
        log->write(config::LogLevel::warn, id,
                   "tls." + error.message + "; the previous certificates stay in use");
    };
}

/// "capstan/1.2.0 acme.cloud/0.3.1".
std::string user_agent(const std::string& version, const InstanceIdentity& identity) {
    const auto product = [](const std::string& name, const std::string& of) {
        std::string out = of.empty() ? name : name + "/" + of;
        std::ranges::replace_if(
            out, [](char c) { return c != '/' && !io::is_token(std::string_view(&c, 1)); }, '-');
        return out;
    };
    return product("capstan", version) + " " + product(identity.class_id, identity.version);
}

loop::PendingCallbacks::Options task_options(const config::PluginLimits& limits) {
    return {
        .blocking = {.threads = static_cast<std::size_t>(std::max(limits.blocking_threads, 1))}};
}

std::uint32_t request_flags_of(const HostEnvironment& environment) {
    std::uint32_t flags = 0;
    if (environment.is_dry_run) flags |= CAPSTAN_CALL_DRY_RUN;
    if (environment.is_virtual) flags |= CAPSTAN_CALL_SIMULATION;
    return flags;
}

}  // namespace

std::shared_ptr<HostContext> HostContext::make(const HostEnvironment& environment,
                                               InstanceIdentity identity) {
    return std::shared_ptr<HostContext>(new HostContext(environment, std::move(identity)));
}

HostContext::HostContext(const HostEnvironment& environment, InstanceIdentity identity)
    : identity_(std::move(identity)),
      loop_(environment.loop),
      clock_(environment.loop.clock()),
      log_(environment.log),
      metrics_(std::make_shared<InstanceMetrics>(environment.metrics, identity_.id)),
      plugin_metrics_(environment.metrics,
                      {.class_id = identity_.class_id,
                       .plugin = identity_.id,
                       .max_series = static_cast<std::size_t>(identity_.limits.max_series),
                       .whole_names = identity_.grants.metrics}),
      random_(io::seed_for(environment.seed, identity_.id.value())),
      breadcrumbs_(environment.breadcrumbs),
      abandoned_(environment.abandoned),
      strand_(std::make_shared<loop::Strand>(
          loop_.io(),
          loop::Strand::Options{
              .watchdog = environment.is_virtual ? loop::Strand::Watchdog{}
                                                 : watchdog(log_, metrics_, id()),
              .calls = environment.calls ? environment.calls->add(id(), identity_.kind) : nullptr,
              .has_thread = environment.has_strand_threads})),
      calls_(std::make_shared<loop::PluginCalls>(
          make_call_markers(environment.breadcrumbs, identity_), call_report(log_, metrics_, id()),
          std::shared_ptr<loop::CallWatch>(strand_, &strand_->calls()))),
      operations_(
          std::make_shared<OperationTable>(loop_, strand_, operation_options(environment.kube))),
      tasks_(std::make_shared<loop::PendingCallbacks>(loop_, strand_, calls_,
                                                      task_options(identity_.limits))),
      pass_requests_(environment.pass_requests),
      drafts_(environment.drafts),
      version_(environment.version),
      request_flags_(request_flags_of(environment)) {
    http_ = std::make_shared<PluginHttp>(
        PluginHttp::Options{.instance = id(),
                            .hosts = identity_.grants.http,
                            .tls = identity_.tls,
                            .on_tls_error = tls_report(log_, id())},
        environment.http ? environment.http(user_agent(environment.version, identity_)) : nullptr,
        loop_, operations_, tasks_, metrics_);
    *weak_http_ = http_;
    if (!identity_.grants.kube.empty()) {
        kube_ = std::make_shared<PluginKube>(
            PluginKube::Options{.instance = id(),
                                .grants = config::read_kube_grants(identity_.grants.kube),
                                .seed = io::seed_for(environment.seed, id() + "/kube")},
            environment.kube, loop_, operations_, tasks_);
        *weak_kube_ = kube_;
    }
    if (!identity_.grants.secrets.empty()) secrets_ = environment.secrets;
    if (identity_.grants.state) state_ = environment.state;
    if (identity_.grants.cache) {
        cache_ = environment.cache;
        if (!cache_) say(config::LogLevel::info, "its cache is disabled: no cache folder");
    }
    host_ = {sizeof host_,
             CAPSTAN_ABI_MAJOR,
             CAPSTAN_ABI_MINOR_LATEST,
             str("capstan"),
             str(version_),
             str(id()),
             this,
             [](const capstan_host* host, const char* service_id) noexcept -> const void* {
                 return service_id == nullptr
                            ? nullptr
                            : static_cast<HostContext*>(host->ctx)->service(service_id);
             }};
}

OperationTable::Options HostContext::operation_options(
    const std::shared_ptr<KubeGateway>& cluster) {
    OperationTable::Options out{
        .max_open = static_cast<std::size_t>(std::max(identity_.limits.max_inflight, 1)),
        .on_late = [metrics = metrics_] { metrics->late_completion(); },
        .on_overdue = [metrics = metrics_] { metrics->overdue_operation(); },
        .call_cancel =
            [calls = calls_](auto fn, void* user, capstan_op op) {
                std::ignore = calls->call_on_strand(loop::Hook::callback,
                                                    [&] { loop::distrusted(fn)(user, op); });
            },
        .on_cancel =
            [weak_http = weak_http_, weak_kube = weak_kube_](capstan_op op) {
                if (const auto http = weak_http->lock()) http->cancel(op);
                if (const auto kube = weak_kube->lock()) kube->cancel(op);
            },
        .on_misuse =
            [log = log_, id = id()](const std::string& sentence) {
                log->write(config::LogLevel::error, id, sentence + "; logged once");
            },
        .on_end =
            [metrics = metrics_](loop::Hook hook, Duration took, const Error* error) {
                metrics->call_took(hook, std::chrono::duration<double>(took).count(),
                                   error == nullptr ? "ok" : name_of(error->code));
            }};
    if (cluster) out.term = [cluster] { return cluster->term(); };
    return out;
}

bool HostContext::withholds(std::string_view id) noexcept {
    if (!drafts_.withholds(id)) return false;
    try {
        {
            const std::lock_guard lock(withheld_mutex_);
            if (!withheld_.emplace(id).second) return true;
        }
        say(config::LogLevel::warn, "interface not offered to the plugin: " + withheld_text(id));
    } catch (...) {  // out of memory: the answer is the same
    }
    return true;
}

std::string HostContext::withheld() const {
    const std::lock_guard lock(withheld_mutex_);
    std::string out;
    for (const std::string& id : withheld_) out += (out.empty() ? "" : "; ") + withheld_text(id);
    return out;
}

const void* HostContext::service(std::string_view id) noexcept {
    if (withholds(id)) return nullptr;
    if (id == CAPSTAN_SERVICE_OPS) return &services::ops;
    if (id == CAPSTAN_SERVICE_LOG) return &services::log;
    if (id == CAPSTAN_SERVICE_METRICS) return &services::metrics;
    if (id == CAPSTAN_SERVICE_CACHE) return cache_ ? &services::cache : nullptr;
    if (id == CAPSTAN_SERVICE_CLOCK) return &services::clock;
    if (id == CAPSTAN_SERVICE_EXEC) return &services::exec;
    if (id == CAPSTAN_SERVICE_HTTP) return &services::http;
    if (id == CAPSTAN_SERVICE_KUBE) return kube_ ? &services::kube : nullptr;
    if (id == CAPSTAN_SERVICE_RECONCILE)
        return identity_.is_controller ? &services::reconcile : nullptr;
    if (id == CAPSTAN_SERVICE_SECRETS)
        return identity_.grants.secrets.empty() ? nullptr : &services::secrets;
    if (id == CAPSTAN_SERVICE_STATE) return state_ ? &services::state : nullptr;
    if (id == CAPSTAN_SERVICE_WAKE)
        return identity_.kind == CAPSTAN_KIND_CLOUD ? &services::wake : nullptr;
    return nullptr;
}

void HostContext::say(config::LogLevel level, const std::string& message,
                      const LogPairs& fields) const {
    log_->write(level, id(), message, fields);
}

void HostContext::close() { tasks_->close(); }

void HostContext::cancel_open(capstan_op except) {
    operations_->cancel_all(except);
    tasks_->cancel_all();
    http_->cancel_all();
    if (kube_) kube_->cancel_all();
}

void HostContext::retire() { http_->retire(); }

void HostContext::abandon() {
    operations_->abandon_all({ErrorCode::cancelled, "the instance was abandoned"});
    http_->cancel_all();
    if (kube_) kube_->cancel_all();
    tasks_->abandon();
    http_->retire();
}

}  // namespace capstan::plugin_runtime::services
