#include "autoscaler/daemon/daemon.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <boost/asio/post.hpp>

#include "autoscaler/autoscaler.hpp"
#include "autoscaler/daemon/cluster_link.hpp"
#include "autoscaler/daemon/config_exchange.hpp"
#include "autoscaler/daemon/controllers.hpp"
#include "autoscaler/daemon/daemon_sources.hpp"
#include "autoscaler/daemon/host_environment.hpp"
#include "autoscaler/daemon/leader_handover.hpp"
#include "autoscaler/daemon/loop_services.hpp"
#include "autoscaler/daemon/on_loop.hpp"
#include "autoscaler/daemon/pass_reporter.hpp"
#include "autoscaler/daemon/plugin_starts.hpp"

namespace capstan::autoscaler::daemon {
namespace {

constexpr std::string_view source = "capstan";
/// A standby may wait for as long as it likes.
constexpr Duration waiting_patience = std::chrono::hours(24 * 365);

/// No passes are made where the configuration has controllers and no clouds.
bool makes_passes(const config::Pipeline& pipeline) {
    return !pipeline.clouds.empty() || pipeline.controllers.empty();
}

/// [passes' thread]
class Daemon {
public:
    Daemon(std::shared_ptr<const LoadedConfig> config, PluginHost& host, DaemonOptions options)
        : host_(host),
          options_(std::move(options)),
          exchange_(std::move(config), host,
                    [this](const std::vector<PluginInstanceId>& ids) { leave_starts(ids); }),
          observable_(exchange_.config().admin, host.metrics().registry()) {}

    /// False: a stop signal has come meanwhile.
    Result<bool> open();
    /// Runs until a stop signal.
    void run();
    void close();

private:
    void prepare_plugins();
    Result<void> open_background();
    void listen_to_clouds();
    std::function<std::string()> waits_for() const;
    Result<void> serve();
    Result<bool> start_plugins();
    Result<bool> await_plugins(const std::function<bool(const PluginStarts&)>& are_there);
    Result<void> join_started();
    void leave_starts(const std::vector<PluginInstanceId>& ids);
    Result<void> make_autoscaler();
    Result<void> start();
    void watch_config();
    void reload();
    PassScheduler::Next wait();
    std::optional<std::uint64_t> find_term();
    void follow_term();
    Result<void> begin_term(std::uint64_t term);
    void pass();
    void stage(const char* what);

    PluginHost& host_;
    const DaemonOptions options_;
    ConfigExchange exchange_;
    ObservableState observable_;
    std::shared_ptr<PluginStarts> starts_{};  ///< NULL: the host has its instances
    std::unique_ptr<Controllers> controllers_{};
    std::shared_ptr<LoopServices> services_{};
    std::unique_ptr<PassReporter> pass_reporter_{};
    std::unique_ptr<Autoscaler> autoscaler_{};
    std::unique_ptr<LeaderHandover> leader_handover_{};
};

Result<bool> Daemon::open() {
    CAPSTAN_TRY(controllers_, Controllers::make(exchange_.config().pipeline, host_));
    prepare_plugins();
    CAPSTAN_CHECK(open_background());
    CAPSTAN_CHECK(serve());
    CAPSTAN_TRY(const bool goes_on, start_plugins());
    if (!goes_on) return false;
    leader_handover_ =
        std::make_unique<LeaderHandover>(host_, services_, options_.version, options_.identity);
    pass_reporter_ = std::make_unique<PassReporter>(host_, exchange_.config().log.format,
                                                    observable_, services_);
    CAPSTAN_CHECK(make_autoscaler());
    CAPSTAN_CHECK(start());
    return true;
}

void Daemon::prepare_plugins() {
    if (!options_.starts_plugins) return;
    // It begins after `services_` has been made, and ends before that is destroyed.
    starts_ = std::make_shared<PluginStarts>(
        exchange_.loaded(), host_,
        PluginStarts::Options{.seed = options_.seed,
                              .on_change = [this] { services_->pass_scheduler().interrupt(); }});
}

Result<void> Daemon::open_background() {
    CAPSTAN_TRY(services_, on_loop(host_, [this]() -> Result<std::shared_ptr<LoopServices>> {
                    CAPSTAN_TRY(auto services,
                                LoopServices::open(
                                    exchange_.config(), host_,
                                    {.version = options_.version,
                                     .identity = options_.identity,
                                     .seed = options_.seed,
                                     .dry_run = options_.dry_run,
                                     .on_attempt =
                                         [this](const kubernetes::client::ApiAttempt& attempt) {
                                             observable_.metrics.count_request(attempt);
                                         },
                                     .on_overdue = options_.on_overdue,
                                     .on_lead =
                                         [this](bool leads) {
                                             // Not in a pass, which may hang when the term ends.
                                             observable_.metrics.set_leader(leads);
                                             controllers_->lead(leads);
                                         },
                                     .makes_passes = makes_passes(exchange_.config().pipeline),
                                     .waits_for = waits_for(),
                                     .http = options_.http}));
                    return std::shared_ptr<LoopServices>(std::move(services));
                }));
    listen_to_clouds();
    return {};
}

/// Further requests are dropped while one is on its way to the loop.
void Daemon::listen_to_clouds() {
    const auto is_under_way = std::make_shared<std::atomic<bool>>(false);
    host_.pass_requests().listen(
        [is_under_way, &io = host_.loop().io(),
         weak = std::weak_ptr(services_)](const plugin_runtime::services::PassRequest& request) {
            if (is_under_way->exchange(true)) return;
            boost::asio::post(io, [is_under_way, weak, request] {
                is_under_way->store(false);
                if (const auto services = weak.lock()) services->request_pass(request);
            });
        });
}

Result<void> Daemon::make_autoscaler() {
    const auto look = [this] {
        return on_loop(host_, [services = services_] {
            return services->link().cluster_cache().cluster(cluster_age_max);
        });
    };
    const auto unobserved_because = [this] {
        return on_loop(host_,
                       [services = services_]() -> Result<std::string> {
                           return services->link().cluster_cache().unobserved_because();
                       })
            .value_or("the event loop does not respond");
    };
    const auto may_act = [this] {
        return on_loop(host_, [services = services_, term = leader_handover_->term()] {
            return services->may_act(term);
        });
    };
    // Posted to the loop, where the scheduler is.
    const auto on_late_answer = [&loop = host_.loop(), services = std::weak_ptr(services_)] {
        boost::asio::post(loop.io(), [services] {
            if (const auto shared = services.lock()) shared->pass_scheduler().on_clouds_changed();
        });
    };
    CAPSTAN_TRY(autoscaler_,
                Autoscaler::make(exchange_.config(),
                                 {.host = host_,
                                  .cluster = services_->cluster(),
                                  .look = look,
                                  .unobserved_because = unobserved_because,
                                  .may_act = may_act,
                                  .keep =
                                      [this](const engine::Memory& memory, MemoryStage stage) {
                                          return stage == MemoryStage::decided
                                                     ? Result<void>()
                                                     : leader_handover_->keep(memory);
                                      },
                                  .gate = services_->gate(),
                                  .on_late_answer = on_late_answer,
                                  .wants_pass = [this] { return observable_.snapshot->is_asked(); },
                                  .skips_for = options_.skips_for,
                                  .visitor = pass_reporter_.get(),
                                  .seed = options_.seed,
                                  .dry_run = options_.dry_run}));
    return {};
}

std::function<std::string()> Daemon::waits_for() const {
    if (!starts_) return {};
    return [starts = starts_, clouds = exchange_.config().pipeline.clouds] {
        return starts->unready_because(clouds);
    };
}

/// Begins with the admin port and signals; nothing that they report needs to exist yet.
Result<void> Daemon::serve() {
    observable_.config.take_over(exchange_.toml(), {}, host_.loop().clock()->wall());
    observable_.metrics.introduce(options_.version, exchange_.config().cluster.name);
    DaemonFacts facts{
        .version = options_.version,
        .identity = options_.identity,
        .cluster = exchange_.config().cluster.name,
        .dry_run = options_.dry_run,
        .debugging_snapshot = exchange_.config().admin.debugging_snapshot_enabled,
        .config = [this] { return exchange_.toml(); },
        .controller = [this](const std::string& plugin) { return controllers_->status(plugin); },
        .explain = options_.explain};
    if (starts_) {
        facts.starts = [starts = starts_] { return starts->starts(); };
        facts.absent = [starts = starts_] { return starts->absent(); };
    }
    return on_loop(host_, [this, facts]() -> Result<void> {
        services_->listen();
        return services_->serve(exchange_.config().admin,
                                make_sources(host_, observable_, *services_, facts));
    });
}

/// Waits until each instance has been tried, and until a cloud runs, if the pipeline has clouds: a
/// host that cannot act must not take the Lease from one that can.
Result<bool> Daemon::start_plugins() {
    const auto connect = [this] {
        return on_loop(host_, [services = services_]() -> Result<void> {
            services->connect_plugins();
            return {};
        });
    };
    if (!starts_) {
        CAPSTAN_CHECK(connect());
        return true;
    }
    CAPSTAN_CHECK(on_loop(host_, [starts = starts_]() -> Result<void> {
        starts->begin();
        return {};
    }));
    CAPSTAN_TRY(const bool have_settled,
                await_plugins([](const PluginStarts& starts) { return starts.has_settled(); }));
    if (!have_settled) return false;
    // Not earlier: the first pass waits for the watches that are open at the connection.
    CAPSTAN_CHECK(connect());
    CAPSTAN_TRY(const bool may_begin, await_plugins([this](const PluginStarts& starts) {
                    return starts.unready_because(exchange_.config().pipeline.clouds).empty();
                }));
    if (may_begin) CAPSTAN_CHECK(join_started());
    return may_begin;
}

/// False: a stop signal has come. A reload that is requested meanwhile is kept for later.
Result<bool> Daemon::await_plugins(const std::function<bool(const PluginStarts&)>& are_there) {
    for (;;) {
        CAPSTAN_TRY(const bool is_over, on_loop(host_, [&]() -> Result<bool> {
                        CAPSTAN_CHECK(starts_->refusal());
                        return services_->is_stop_requested() || are_there(*starts_);
                    }));
        if (is_over) break;
        std::ignore = from_loop<PassScheduler::Next>(
            host_,
            [services = services_](const PluginHost::Done<PassScheduler::Next>& done) {
                services->pass_scheduler().next(false, std::nullopt, done);
            },
            waiting_patience);
    }
    CAPSTAN_TRY(const bool is_stopping, on_loop(host_, [this]() -> Result<bool> {
                    return services_->is_stop_requested();
                }));
    return !is_stopping;
}

/// Instances that have started take part from now on.
Result<void> Daemon::join_started() {
    if (!starts_) return {};
    CAPSTAN_TRY(
        const auto started, on_loop(host_, [starts = starts_] {
            return Result<std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>>>(
                starts->take_started());
        }));
    if (started.empty()) return {};
    for (const auto& instance : started) CAPSTAN_CHECK(controllers_->join(instance));
    return autoscaler_ ? autoscaler_->join(started) : Result<void>();
}

/// Instances that a reload replaces or removes are not tried again.
void Daemon::leave_starts(const std::vector<PluginInstanceId>& ids) {
    if (!starts_) return;
    const auto done = on_loop(host_, [starts = starts_, ids]() -> Result<void> {
        starts->detach(ids);
        return {};
    });
    if (!done) host_.log().write(config::LogLevel::warn, source, done.error().message);
}

Result<void> Daemon::start() {
    return on_loop(host_, [this]() -> Result<void> {
        watch_config();
        services_->start();
        return {};
    });
}

/// The file is watched also where it is read at SIGHUP only, to report that it has changed.
void Daemon::watch_config() {
    if (options_.file.empty()) return;
    const auto on_change = [this, reloads = exchange_.config().reload.watch] {
        reloads ? services_->request_reload() : exchange_.leave_unread(observable_);
    };
    services_->watch(
        options_.file, on_change,
        [this](bool is_gone) { exchange_.observe_file(is_gone, observable_); },
        exchange_.loaded()->text);
}

void Daemon::run() {
    for (;;) {
        const Duration began = host_.loop().monotonic();
        const PassScheduler::Next next = wait();
        observable_.metrics.waited(host_.loop().monotonic() - began);
        const auto requests =
            on_loop(host_, [services = services_]() -> Result<LoopServices::PendingRequests> {
                return services->take_pending_requests();
            });
        if (!requests || requests->stop) return;
        for (const auto& task : requests->tasks) task();
        if (const Result<void> joined = join_started(); !joined)
            host_.log().write(config::LogLevel::error, source, joined.error().message);
        if (requests->reload) reload();
        follow_term();
        if (next == PassScheduler::Next::pass) pass();
        stage("");
    }
}

void Daemon::reload() {
    const Duration began = host_.loop().monotonic();
    exchange_.take_over(options_.read_config, *autoscaler_, observable_, services_);
    pass_reporter_->reloaded();
    observable_.metrics.reconfigured(host_.loop().monotonic() - began);
}

PassScheduler::Next Daemon::wait() {
    const auto next = from_loop<PassScheduler::Next>(
        host_,
        [services = services_,
         wake_at = autoscaler_->wake_at()](const PluginHost::Done<PassScheduler::Next>& done) {
            services->pass_scheduler().next(services->wants_passes(), wake_at, done);
        },
        waiting_patience);
    return next.value_or(PassScheduler::Next::other);
}

std::optional<std::uint64_t> Daemon::find_term() {
    const auto term =
        on_loop(host_, [services = services_]() -> Result<std::optional<std::uint64_t>> {
            return services->leadership().term();
        });
    return term.value_or(std::nullopt);
}

/// Passes are expected of a host from the beginning of its term.
void Daemon::follow_term() {
    const std::optional<std::uint64_t> term = find_term();
    if (!term) observable_.metrics.set_memory_unwritten(false);
    if (!term || !makes_passes(exchange_.config().pipeline)) {
        observable_.health.stand_by();
    } else if (!observable_.health.is_watching(*term)) {
        observable_.health.begin(*term, host_.loop().monotonic());
        pass_reporter_->begun();
    }
}

/// Begins with the memory of the last leader.
Result<void> Daemon::begin_term(std::uint64_t term) {
    if (term == leader_handover_->term()) return {};
    CAPSTAN_TRY(engine::Memory memory, leader_handover_->take(term));
    autoscaler_->begin(std::move(memory));
    return {};
}

void Daemon::pass() {
    const std::optional<std::uint64_t> term = find_term();
    if (!term) return;
    const Duration began = host_.loop().monotonic();
    stage("a pass is running");
    if (const Result<void> begun = begin_term(*term); !begun) {
        pass_reporter_->on_begin();
        return pass_reporter_->on_failure(begun.error(), host_.loop().monotonic() - began);
    }
    const auto report = autoscaler_->run();
    if (!report || !*report) return;
    exchange_.stop_replaced();
    if (options_.on_pass) options_.on_pass(**report);
}

/// What the guard names where the process does not stop in time.
void Daemon::stage(const char* what) {
    if (plugin_runtime::guard::Guard* const guard = host_.guard()) guard->set_stage(what);
}

void Daemon::close() {
    stage("the Lease is being released");
    if (controllers_) controllers_->lead(false);
    if (starts_) {
        const auto ended =
            from_loop<void>(host_, [starts = starts_](const PluginHost::Done<void>& done) {
                starts->stop([done] { done({}); });
            });
        if (!ended) host_.log().write(config::LogLevel::warn, source, ended.error().message);
    }
    exchange_.stop_replaced();
    if (!services_) return;
    host_.pass_requests().listen({});
    const auto stopped =
        from_loop<void>(host_, [services = services_](const PluginHost::Done<void>& done) {
            services->stop([done] { done({}); });
        });
    if (!stopped) host_.log().write(config::LogLevel::warn, source, stopped.error().message);
    autoscaler_.reset();
    leader_handover_.reset();
    pass_reporter_.reset();
    // Destroyed on the thread where it was used.
    const auto ended = on_loop(host_, [services = std::exchange(services_, nullptr)]() mutable {
        services.reset();
        return Result<void>();
    });
    if (!ended) host_.log().write(config::LogLevel::warn, source, ended.error().message);
}

}  // namespace

Result<void> run_daemon(std::shared_ptr<const LoadedConfig> config, PluginHost& host,
                        DaemonOptions options) {
    warn_of_environment(config->config, host.log());
    Daemon daemon(std::move(config), host, std::move(options));
    const Result<bool> opened = daemon.open();
    if (opened && *opened) daemon.run();
    daemon.close();
    return opened ? Result<void>() : fail(opened.error());
}

}  // namespace capstan::autoscaler::daemon
