#include "autoscaler/daemon/loop_services.hpp"

#include <csignal>
#include <utility>

#include <boost/asio/post.hpp>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "autoscaler/daemon/watch_outage.hpp"
#include "plugin_runtime/guard/signal_trap.hpp"

namespace capstan::autoscaler::daemon {
namespace {

constexpr std::string_view log_source = "capstan";
constexpr std::size_t tasks_max = 16;
/// Of each request once the process stops. A pass, the status, the Lease and Events follow each
/// other, and all have to end before the process is ended from outside.
constexpr Duration stop_request_time = std::chrono::seconds(3);
constexpr Duration flush_time = std::chrono::seconds(3);
constexpr Duration status_time = std::chrono::seconds(5);
constexpr Duration sync_period = std::chrono::milliseconds(100);
/// Between two log lines about the kinds that a start has not seen.
constexpr Duration unsynced_period = std::chrono::seconds(30);

}  // namespace

LoopServices::LoopServices(const config::Config& config, PluginHost& host, Options options)
    : host_(host),
      options_(std::move(options)),
      pass_scheduler_(host.loop(), {.interval = config.cluster.scan_interval}) {
    if (host_.guard() != nullptr) return;
    signals_.emplace(host.loop().io(), SIGINT, SIGTERM, SIGQUIT);
    signals_->add(SIGHUP);
}

LoopServices::~LoopServices() {
    if (plugin_runtime::guard::Guard* const guard = host_.guard()) guard->on_signal({});
    for (const auto& timer : {sync_timer_, stop_timer_})
        if (timer) host_.loop().cancel(*timer);
}

Result<std::unique_ptr<LoopServices>> LoopServices::open(const config::Config& config,
                                                         PluginHost& host, Options options) {
    std::unique_ptr<LoopServices> out(new LoopServices(config, host, std::move(options)));
    CAPSTAN_CHECK(out->open_link(config));
    return out;
}

Result<void> LoopServices::open_link(const config::Config& all) {
    const config::Cluster& config = all.cluster;
    io::Loop& loop = host_.loop();
    CAPSTAN_TRY(
        link_, ClusterLink::open(config, loop, host_.log(),
                                 {.version = options_.version,
                                  .seed = options_.seed,
                                  .dry_run = options_.dry_run,
                                  .builder = {.spread_timeout_annotation =
                                                  all.scale_up.spread_timeout_annotation},
                                  .on_attempt = options_.on_attempt,
                                  .on_unschedulable = [this] { pass_scheduler_.on_pods_changed(); },
                                  .http = options_.http}));
    make_writers(config);
    make_reporters(all);
    leadership_.emplace(config, link_->api(), loop, host_.log(),
                        Leadership::Options{.identity = options_.identity,
                                            .seed = options_.seed,
                                            .is_alone = options_.dry_run,
                                            .on_change = [this, config] {
                                                const std::optional<std::uint64_t> term =
                                                    leadership_->term();
                                                if (plugin_connection_)
                                                    plugin_connection_->set_term(term.value_or(0));
                                                if (options_.on_lead)
                                                    options_.on_lead(term.has_value());
                                                report_leadership(config);
                                                pass_scheduler_.interrupt();
                                            }});
    watch_calls(all);
    return {};
}

/// The pause gives another host that waits for the Lease the time to see that it is free.
void LoopServices::watch_calls(const config::Config& all) {
    if (!host_.has_strand_threads()) return;
    const Duration pause = 2 * all.cluster.leader_election.lease_duration;
    stuck_calls_.emplace(host_.loop(), host_.metrics().registry(),
                         StuckCalls::Options{.hand_over_after = all.watchdog.hand_over_after,
                                             .is_of_controllers = !options_.makes_passes,
                                             .hand_over =
                                                 [this, pause](const std::string& because) {
                                                     return leadership_->hand_over(because, pause);
                                                 },
                                             .come_back = [this] { leadership_->come_back(); }});
    stuck_calls_->watch(host_.calls());
}

void LoopServices::make_writers(const config::Cluster& config) {
    cluster_.emplace(
        link_->api(), host_.loop(),
        ApiClusterClient::Options{
            .gate = gate(),
            .seed = options_.seed,
            .on_update_instead =
                [this](const Error& why) {
                    host_.log().write(
                        config::LogLevel::warn, log_source,
                        "patching nodes is refused; using update instead: " + why.message);
                },
            .on_unknown_pods =
                [this](const std::string& node, const std::vector<std::string>& pods) {
                    report_unknown_pods(node, pods);
                }});
    // The memory of another leader must not be overwritten.
    memory_api_.emplace(link_->api(), [this] { return ask_gate(memory_term_); });
    keeper_.emplace(
        *memory_api_, host_.loop(),
        MemoryKeeper::Options{.name = {config.kube_namespace, config.memory_config_map_name},
                              .seed = options_.seed,
                              .on_unreadable = [this](const std::string& what) {
                                  host_.log().write(config::LogLevel::error, log_source, what);
                              }});
}

/// The cluster cache may know more by now than the decision did. Only pods that the cache lacks as
/// well show that the watch of pods has missed events.
void LoopServices::report_unknown_pods(const std::string& node,
                                       const std::vector<std::string>& pods) {
    const std::vector<std::string> unreported = link_->cluster_cache().find_unreported(node, pods);
    if (unreported.empty() || !link_->cluster_cache().relist("Pod")) return;
    host_.log().write(config::LogLevel::warn, log_source,
                      "node " + node + " has pods that the watch of pods has not reported: " +
                          listed(unreported, [](const std::string& pod) { return pod; }) +
                          "; listing all pods again");
}

void LoopServices::make_reporters(const config::Config& all) {
    const auto warn = [this](const Error& error) {
        host_.log().write(config::LogLevel::warn, log_source, error.message);
    };
    events_.emplace(
        link_->api(), host_.loop(),
        kubernetes::client::EventRecorder::Options{.correlator = {.instance = options_.identity},
                                                   .seed = options_.seed,
                                                   .on_error = warn});
    // Without clouds there are no passes to report, and the rights for it are not granted.
    const config::Cluster& config = all.cluster;
    const bool has_passes = !all.pipeline.clouds.empty();
    if (!config.write_status_configmap || options_.dry_run || !has_passes) return;
    status_.emplace(
        link_->api(), host_.loop(),
        StatusWriter::Options{.name = {config.kube_namespace, config.status_config_map_name},
                              .seed = options_.seed,
                              .on_error = warn});
}

void LoopServices::report_leadership(const config::Cluster& config) {
    if (options_.dry_run) return;
    events().record(
        {.about = {.api_version = "coordination.k8s.io/v1",
                   .kind = "Lease",
                   .ns = config.kube_namespace,
                   .name = config.leader_election.lease},
         .reason = "LeaderElection",
         .message = options_.identity + (leads() ? " became leader" : " stopped leading"),
         .is_distinct = true});
}

void LoopServices::listen() { await_signal(); }

void LoopServices::connect_plugins() {
    plugin_runtime::services::KubeGateway* const plugins = host_.cluster();
    if (plugins == nullptr) return;
    plugins->connect(link_->api(), [this] { return may_write(); });
    plugin_connection_.reset(plugins);
}

void LoopServices::start() {
    if (options_.makes_passes) link_->cluster_cache().start();
    leadership().start();
    if (options_.makes_passes) await_sync();
}

Result<void> LoopServices::serve(const config::Admin& config, AdminSources sources) {
    CAPSTAN_TRY(admin_, serve_admin(config, host_.loop().io(), std::move(sources)));
    if (admin_)
        host_.log().write(config::LogLevel::info, log_source,
                          "admin port: " + std::to_string(admin_->port()));
    return {};
}

void LoopServices::watch(const std::filesystem::path& file, std::function<void()> on_change,
                         std::function<void(bool)> on_gone, std::string known) {
    auto opened = ConfigWatch::open(host_.loop(), file, std::move(on_change), std::move(on_gone),
                                    std::move(known));
    if (opened) {
        config_watch_ = *std::move(opened);
    } else {
        host_.log().write(config::LogLevel::warn, log_source,
                          "configuration file is not watched; send SIGHUP to reload it: " +
                              opened.error().message);
    }
}

void LoopServices::stop(std::function<void()> done) {
    const bool led = leads();
    const auto is_handed_back = std::make_shared<bool>(false);
    const auto hand_back = [this, is_handed_back, done = std::move(done)] {
        if (std::exchange(*is_handed_back, true)) return;
        leadership_->stop([this, done] { events_->flush(flush_time, done); });
    };
    if (!status_ || !led) return hand_back();
    // Another host waits for the Lease, so removing the status must not delay its release for long.
    host_.loop().after(status_time, hand_back);
    status_->remove(hand_back);
}

bool LoopServices::add_task(std::function<void()> task) {
    if (pending_requests_.tasks.size() >= tasks_max) return false;
    pending_requests_.tasks.push_back(std::move(task));
    pass_scheduler_.interrupt();
    return true;
}

std::string LoopServices::unready_because() const {
    if (options_.waits_for)
        if (std::string reason = options_.waits_for(); !reason.empty()) return reason;
    if (!options_.makes_passes) return {};
    const std::vector<kubernetes::client::WatchFailure> unsynced =
        link_->cluster_cache().unsynced();
    if (!unsynced.empty())
        return "waiting for the cluster caches to sync: " + kinds_by_error(unsynced);
    return startup_gate_ ? startup_gate_->reason() : "waiting for the cluster caches to sync";
}

bool LoopServices::wants_passes() const {
    return options_.makes_passes && leads() && unready_because().empty();
}

Result<void> LoopServices::may_act(std::uint64_t term) {
    if (pending_requests_.stop) return fail(ErrorCode::cancelled, "capstan is shutting down");
    acting_term_ = term;
    if (leadership().term() == term) return {};
    return fail(ErrorCode::cancelled, "no longer the leader");
}

void LoopServices::load_memory(std::uint64_t term, MemoryKeeper::Loaded done) {
    memory_term_ = term;
    keeper().load(std::move(done));
}

/// A change that began in a term must not be made after that term, not even when this host leads
/// again: another host may have led in between.
Result<void> LoopServices::ask_gate(std::uint64_t term) const {
    if (options_.dry_run) return fail(ErrorCode::cancelled, "dry run");
    if (leadership_ && leadership_->term() == term) return {};
    return fail(ErrorCode::cancelled, "no longer the leader");
}

/// Writes of plugins belong to no pass. KubeGateway checks that the term of their operation lasts.
Result<void> LoopServices::may_write() const {
    if (options_.dry_run) return fail(ErrorCode::cancelled, "dry run");
    if (leads()) return {};
    return fail(ErrorCode::cancelled, "not the leader");
}

plugin_runtime::instances::ChangeGate LoopServices::gate() {
    return [this] { return ask_gate(acting_term_); };
}

LoopServices::PendingRequests LoopServices::take_pending_requests() {
    return {.stop = pending_requests_.stop,
            .reload = std::exchange(pending_requests_.reload, false),
            .tasks = std::exchange(pending_requests_.tasks, {})};
}

void LoopServices::request_reload() {
    pending_requests_.reload = true;
    pass_scheduler_.interrupt();
}

void LoopServices::request_pass(const plugin_runtime::services::PassRequest& request) {
    const auto say = [&](config::LogLevel level, const std::string& message) {
        host_.log().write(level, request.plugin, message + ": " + request.why);
    };
    if (!wants_passes())
        return say(config::LogLevel::debug, "pass request ignored; no passes run now");
    if (pass_scheduler_.want_pass()) say(config::LogLevel::info, "requested a pass");
}

void LoopServices::await_signal() {
    if (plugin_runtime::guard::Guard* const guard = host_.guard()) {
        return guard->on_signal([&io = host_.loop().io(), weak = std::weak_ptr(self_)](int number) {
            boost::asio::post(io, [weak, number] {
                if (const auto self = weak.lock()) (*self)->take_signal(number);
            });
        });
    }
    CAPSTAN_ASSERT(signals_, "signals are awaited that the guard takes");
    signals_->async_wait([this](const boost::system::error_code& error, int number) {
        if (error) return;
        take_signal(number);
        await_signal();
    });
}

void LoopServices::take_signal(int number) {
    if (number == SIGHUP) return request_reload();
    const Duration now = host_.loop().monotonic();
    if (pending_requests_.stop) {
        if (now - stop_asked_ < plugin_runtime::guard::same_signal_within) return;
        return options_.on_overdue();  // a guard has ended the process by now
    }
    host_.log().write(config::LogLevel::info, log_source, "shutting down");
    pending_requests_.stop = true;
    stop_asked_ = now;
    link_->limit_timeouts(stop_request_time);
    pass_scheduler_.interrupt();
    if (host_.guard() != nullptr) return;
    stop_timer_ = host_.loop().after(options_.stop_deadline, options_.on_overdue);
}

/// Wakes the passes' thread once the host and its plugins have seen the whole cluster.
void LoopServices::await_sync() {
    sync_timer_.reset();
    if (!startup_gate_ && link_->cluster_cache().has_synced()) {
        host_.log().write(config::LogLevel::info, log_source,
                          "caches synced with " + link_->server());
        startup_gate_.emplace(host_.cluster(), host_.loop(), host_.log());
    }
    if (startup_gate_ && startup_gate_->is_open()) return pass_scheduler_.interrupt();
    if (!startup_gate_) report_unsynced();
    sync_timer_ = host_.loop().after(sync_period, [this] { await_sync(); });
}

/// A start that never sees the cluster says so as long as it lasts.
void LoopServices::report_unsynced() {
    const Duration now = host_.loop().monotonic();
    if (!sync_begun_) sync_begun_ = unsynced_logged_ = now;
    if (now - unsynced_logged_ < unsynced_period) return;
    unsynced_logged_ = now;
    host_.log().write(config::LogLevel::warn, log_source,
                      "the cluster caches have not synced for " +
                          format_rough_duration(now - *sync_begun_) + ": " +
                          kinds_by_error(link_->cluster_cache().unsynced()));
}

}  // namespace capstan::autoscaler::daemon
