#include "runtime/daemon/daemon.hpp"

#include <optional>
#include <utility>

#include "runtime/daemon/autoscaler.hpp"
#include "runtime/daemon/beside.hpp"
#include "runtime/daemon/cluster_link.hpp"
#include "runtime/daemon/config_exchange.hpp"
#include "runtime/daemon/controllers.hpp"
#include "runtime/daemon/daemon_sources.hpp"
#include "runtime/daemon/inheritance.hpp"
#include "runtime/daemon/on_loop.hpp"
#include "runtime/daemon/pass_teller.hpp"

namespace capstan::runtime {
namespace {

constexpr std::string_view source = "capstan";
/// A standby may wait for as long as it likes.
constexpr Duration waiting_patience = std::chrono::hours(24 * 365);

/// Without clouds there is nothing to decide, if there is something else to do.
bool makes_passes(const Pipeline& pipeline) {
    return !pipeline.clouds.empty() || pipeline.controllers.empty();
}

/// [passes' thread]
class Daemon {
public:
    Daemon(std::shared_ptr<const LoadedConfig> config, PluginHost& host, DaemonOptions options)
        : host_(host),
          options_(std::move(options)),
          exchange_(std::move(config), host),
          shown_(exchange_.config().admin, host.metrics().registry()) {}

    Result<void> open();
    /// Until it is told to stop.
    void run();
    void close();

private:
    Result<void> open_beside();
    Result<void> make_autoscaler();
    Result<void> start();
    void watch_config();
    void reload();
    Waiting::Next wait();
    std::optional<std::uint64_t> find_term();
    void follow_term();
    Result<void> begin_term(std::uint64_t term);
    void pass();

    PluginHost& host_;
    const DaemonOptions options_;
    ConfigExchange exchange_;
    Shown shown_;
    std::unique_ptr<Controllers> controllers_{};
    std::shared_ptr<Beside> beside_{};
    std::unique_ptr<PassTeller> teller_{};
    std::unique_ptr<Autoscaler> autoscaler_{};
    std::unique_ptr<Inheritance> inheritance_{};
};

Result<void> Daemon::open() {
    CAPSTAN_CHECK(open_beside());
    inheritance_ =
        std::make_unique<Inheritance>(host_, beside_, options_.version, options_.identity);
    CAPSTAN_CHECK(make_autoscaler());
    teller_ = std::make_unique<PassTeller>(host_, shown_, beside_);
    return start();
}

Result<void> Daemon::open_beside() {
    CAPSTAN_TRY(controllers_, Controllers::make(exchange_.config().pipeline, host_));
    CAPSTAN_TRY(beside_, on_loop(host_, [this]() -> Result<std::shared_ptr<Beside>> {
                    CAPSTAN_TRY(
                        auto beside,
                        Beside::open(exchange_.config(), host_,
                                     {.version = options_.version,
                                      .identity = options_.identity,
                                      .seed = options_.seed,
                                      .dry_run = options_.dry_run,
                                      .on_attempt =
                                          [this](const kubernetes::ApiAttempt& attempt) {
                                              shown_.metrics.count_request(attempt);
                                          },
                                      .on_overdue = options_.on_overdue,
                                      .on_lead = [this](bool leads) { controllers_->lead(leads); },
                                      .makes_passes = makes_passes(exchange_.config().pipeline),
                                      .http = options_.http}));
                    return std::shared_ptr<Beside>(std::move(beside));
                }));
    return {};
}

Result<void> Daemon::make_autoscaler() {
    const auto look = [this] {
        return on_loop(
            host_, [beside = beside_] { return beside->link().mirror().cluster(cluster_age_max); });
    };
    const auto blind_because = [this] {
        return on_loop(host_,
                       [beside = beside_]() -> Result<std::string> {
                           return beside->link().mirror().blind_because();
                       })
            .value_or("the loop does not answer");
    };
    const auto may_act = [this] {
        return on_loop(host_, [beside = beside_, term = inheritance_->term()] {
            return beside->may_act(term);
        });
    };
    CAPSTAN_TRY(autoscaler_,
                Autoscaler::make(
                    exchange_.config(),
                    {.host = host_,
                     .cluster = beside_->cluster(),
                     .look = look,
                     .blind_because = blind_because,
                     .may_act = may_act,
                     .keep = [this](const engine::Memory& memory) { inheritance_->keep(memory); },
                     .gate = beside_->gate(),
                     .seed = options_.seed,
                     .dry_run = options_.dry_run}));
    return {};
}

Result<void> Daemon::start() {
    shown_.config.take_over(exchange_.toml(), {}, host_.loop().clock()->wall());
    shown_.metrics.introduce(options_.version, exchange_.config().cluster.name);
    DaemonFacts facts{
        .version = options_.version,
        .identity = options_.identity,
        .cluster = exchange_.config().cluster.name,
        .dry_run = options_.dry_run,
        .debugging_snapshot = exchange_.config().admin.debugging_snapshot_enabled,
        .config = [this] { return exchange_.toml(); },
        .controller = [this](const std::string& plugin) { return controllers_->status(plugin); },
        .explain = options_.explain};
    return on_loop(host_, [this, facts]() -> Result<void> {
        const Config& config = exchange_.config();
        CAPSTAN_CHECK(beside_->serve(config.admin, make_sources(host_, shown_, *beside_, facts)));
        watch_config();
        beside_->start();
        return {};
    });
}

/// Where SIGHUP alone has the file read, it is watched as well, to tell that it is another.
void Daemon::watch_config() {
    if (options_.file.empty()) return;
    const auto on_change = [this, reloads = exchange_.config().reload.watch] {
        reloads ? beside_->wish_reload() : exchange_.leave_unread(shown_);
    };
    beside_->watch(
        options_.file, on_change, [this](bool is_gone) { exchange_.see_file(is_gone, shown_); },
        exchange_.loaded()->text);
}

void Daemon::run() {
    for (;;) {
        const Duration began = host_.loop().monotonic();
        const Waiting::Next next = wait();
        shown_.metrics.waited(host_.loop().monotonic() - began);
        const auto wishes = on_loop(host_, [beside = beside_]() -> Result<Beside::Wishes> {
            return beside->take_wishes();
        });
        if (!wishes || wishes->stop) return;
        for (const auto& errand : wishes->errands) errand();
        if (wishes->reload) reload();
        follow_term();
        if (next == Waiting::Next::pass) pass();
    }
}

void Daemon::reload() {
    const Duration began = host_.loop().monotonic();
    exchange_.take_over(options_.read_config, *autoscaler_, shown_, beside_);
    teller_->reloaded();
    shown_.metrics.reconfigured(host_.loop().monotonic() - began);
}

Waiting::Next Daemon::wait() {
    const auto next = from_loop<Waiting::Next>(
        host_,
        [beside = beside_,
         wake_at = autoscaler_->wake_at()](const PluginHost::Done<Waiting::Next>& done) {
            beside->waiting().next(beside->wants_passes(), wake_at, done);
        },
        waiting_patience);
    return next.value_or(Waiting::Next::other);
}

std::optional<std::uint64_t> Daemon::find_term() {
    const auto term = on_loop(host_, [beside = beside_]() -> Result<std::optional<std::uint64_t>> {
        return beside->leadership().term();
    });
    return term.value_or(std::nullopt);
}

/// Health is asked of a host from the moment that it leads.
void Daemon::follow_term() {
    const std::optional<std::uint64_t> term = find_term();
    shown_.metrics.set_leader(term.has_value());
    if (!term || !makes_passes(exchange_.config().pipeline)) {
        shown_.health.stand_by();
    } else if (!shown_.health.is_watching(*term)) {
        shown_.health.begin(*term, host_.loop().monotonic());
        teller_->begun();
    }
}

/// The memory of whoever led before is this term's.
Result<void> Daemon::begin_term(std::uint64_t term) {
    if (term == inheritance_->term()) return {};
    CAPSTAN_TRY(engine::Memory memory, inheritance_->take(term));
    autoscaler_->begin(std::move(memory));
    return {};
}

void Daemon::pass() {
    const std::optional<std::uint64_t> term = find_term();
    if (!term) return;
    const Duration began = host_.loop().monotonic();
    teller_->pass_began();
    if (const Result<void> begun = begin_term(*term); !begun)
        return teller_->failed(begun.error(), host_.loop().monotonic() - began);
    const auto report = autoscaler_->run();
    if (!report) return teller_->failed(report.error(), host_.loop().monotonic() - began);
    teller_->tell(*report);
    exchange_.stop_replaced();
    if (options_.on_pass) options_.on_pass(**report);
}

void Daemon::close() {
    if (controllers_) controllers_->lead(false);
    exchange_.stop_replaced();
    if (!beside_) return;
    const auto stopped =
        from_loop<void>(host_, [beside = beside_](const PluginHost::Done<void>& done) {
            beside->stop([done] { done({}); });
        });
    if (!stopped) host_.log().write(LogLevel::warn, source, stopped.error().message);
    autoscaler_.reset();
    inheritance_.reset();
    teller_.reset();
    // It ends where it lived.
    const auto ended = on_loop(host_, [beside = std::exchange(beside_, nullptr)]() mutable {
        beside.reset();
        return Result<void>();
    });
    if (!ended) host_.log().write(LogLevel::warn, source, ended.error().message);
}

}  // namespace

Result<void> run_daemon(std::shared_ptr<const LoadedConfig> config, PluginHost& host,
                        DaemonOptions options) {
    Daemon daemon(std::move(config), host, std::move(options));
    const Result<void> opened = daemon.open();
    if (opened) daemon.run();
    daemon.close();
    return opened;
}

}  // namespace capstan::runtime
