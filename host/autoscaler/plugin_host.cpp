#include "autoscaler/plugin_host.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <system_error>
#include <utility>

#include <capstan/abi/controller.h>
#include <capstan/duration.hpp>

#include "config/settings_view.hpp"
#include "io/curl_http_client.hpp"

namespace capstan::autoscaler {
namespace {

constexpr Duration start_timeout = std::chrono::seconds(30);
constexpr Duration stop_timeout = std::chrono::seconds(10);
/// What an instance may take on top of its deadline to clean up (6 s), and the loop to say so.
constexpr Duration slack = std::chrono::seconds(10);

std::string origin_of(const LoadedPlugin& plugin) {
    const plugin_runtime::plugin_files::PluginFacts& facts = plugin.library->facts();
    return facts.path.filename().string() + " " + facts.note.version;
}

std::uint64_t bytes_of(const Quantity& quantity) {
    return static_cast<std::uint64_t>(quantity.value());
}

plugin_runtime::loop::AbandonedLimits abandoned_limits(const config::Watchdog& settings) {
    return {.memory = settings.memory_max ? std::optional(bytes_of(*settings.memory_max))
                                          : plugin_runtime::loop::cgroup_memory_limit(),
            .memory_growth = bytes_of(settings.memory_growth_max),
            .busy_time = settings.busy_time};
}

/// A loop that is slow on a busy machine is not stuck, however short the lease duration is.
constexpr Duration shortest_silence = std::chrono::seconds(5);

/// How long the loop may be silent. This process ends before another host can take the Lease over.
Duration silence_max(const config::Config& config) {
    const config::LeaderElection& election = config.cluster.leader_election;
    const Duration most = config.watchdog.loop_stuck_after;
    const Duration lease = std::max<Duration>(election.lease_duration, shortest_silence);
    return election.enabled ? std::min(most, lease) : most;
}

std::unique_ptr<io::Loop> make_loop(boost::asio::io_context& io,
                                    const std::shared_ptr<io::ManualClock>& clock) {
    if (clock) return std::make_unique<io::ManualLoop>(io, clock);
    return std::make_unique<io::Loop>(io);
}

std::shared_ptr<plugin_runtime::services::Logger> make_log(
    const config::Log& config, const std::shared_ptr<const io::Clock>& clock,
    plugin_runtime::services::Logger::Sink sink) {
    if (!sink) return std::make_shared<plugin_runtime::services::Logger>(config, clock);
    return std::make_shared<plugin_runtime::services::Logger>(config, clock, std::move(sink));
}

}  // namespace

PluginHost::PluginHost(const config::Config& config, Options options)
    : guard_(options.guard),
      work_(io_.get_executor()),
      loop_(make_loop(io_, options.clock)),
      virtual_loop_(options.clock ? static_cast<io::ManualLoop*>(loop_.get()) : nullptr),
      environment_{
          .loop = *loop_,
          .log = make_log(config.log, loop_->clock(), std::move(options.log)),
          .metrics = std::make_shared<plugin_runtime::services::Metrics>(),
          .http = std::move(options.http),
          .seed = options.seed,
          .version = std::move(options.version),
          .is_virtual = options.clock != nullptr,
          .has_strand_threads = options.has_strand_threads && options.clock == nullptr,
          .is_dry_run = options.is_dry_run,
          .calls = std::make_shared<plugin_runtime::loop::CallWatches>(config.watchdog.stuck_after),
          .drafts = plugin_runtime::services::draft_ids(config.trust.drafts)} {
    if (!config.secrets.dir.empty())
        environment_.secrets =
            std::make_shared<plugin_runtime::services::DirectorySecrets>(config.secrets.dir);
    if (options.state.empty()) {
        environment_.state = std::make_shared<plugin_runtime::services::MemoryStateStore>();
    } else {
        environment_.state =
            std::make_shared<plugin_runtime::services::FileStateStore>(options.state);
    }
    if (!options.cache.empty())
        environment_.cache = std::make_shared<plugin_runtime::services::CacheStore>(options.cache);
    if (options.has_cluster) {
        environment_.kube = std::make_shared<plugin_runtime::services::KubeGateway>(
            *loop_, kubernetes::client::EventRecorder::Options{
                        .correlator = {.component = "capstan"},
                        .seed = io::seed_for(options.seed, "plugin events")});
    }
    environment_.abandoned =
        std::make_shared<plugin_runtime::loop::AbandonedThreads>(abandoned_limits(config.watchdog));
    if (guard_ != nullptr) {
        guard_->set_log(environment_.log);
        guard_->watch_calls(environment_.calls);
        guard_->add_check([threads = environment_.abandoned] { return threads->reason_to_end(); });
    }
    if (virtual_loop_ != nullptr) return;
    if (!environment_.http) {
        environment_.http = [&io = io_](const std::string& user_agent) {
            return std::make_shared<io::CurlHttpClient>(
                io, io::CurlHttpClient::Options{.user_agent = user_agent});
        };
    }
    thread_ = std::thread([this] { io_.run(); });
    if (guard_ != nullptr) guard_->watch_loop(io_, silence_max(config));
}

Result<std::unique_ptr<PluginHost>> PluginHost::open(const config::Config& config,
                                                     const PluginSet& plugins, Options options) {
    const std::filesystem::path breadcrumbs = options.breadcrumbs, state = options.state;
    std::error_code error;
    if (!state.empty() && !std::filesystem::create_directories(state, error) && error)
        return fail(ErrorCode::unavailable,
                    "state folder " + state.string() + ": " + error.message());
    std::unique_ptr<PluginHost> host(new PluginHost(config, std::move(options)));
    if (!state.empty())
        for (const std::string& what : plugin_runtime::services::put_aside_unreadable_states(state))
            host->log().write(config::LogLevel::error, "capstan", what);
    if (!breadcrumbs.empty()) CAPSTAN_CHECK(host->open_breadcrumbs(breadcrumbs));
    for (const LoadedPlugin& plugin : plugins)
        host->identities_.push_back(instance_spec(plugin).identity);
    return host;
}

Result<std::unique_ptr<PluginHost>> PluginHost::start(const config::Config& config,
                                                      const PluginSet& plugins, Options options) {
    CAPSTAN_TRY(std::unique_ptr<PluginHost> host, open(config, plugins, std::move(options)));
    for (const LoadedPlugin& plugin : plugins) {
        CAPSTAN_TRY(auto instance, host->create(plugin));
        host->add(std::move(instance));
    }
    CAPSTAN_CHECK(host->start_all(host->instances()));
    return host;
}

PluginHost::~PluginHost() {
    stop(instances(), StopReason::shutdown);
    if (guard_ != nullptr) guard_->unwatch_loop();
    work_.reset();
    io_.stop();
    if (thread_.joinable()) thread_.join();
    // Calls that never returned keep their markers in the file, but this end was intended.
    if (environment_.breadcrumbs) environment_.breadcrumbs->end();
}

Result<void> PluginHost::open_breadcrumbs(const std::filesystem::path& file) {
    auto breadcrumbs = plugin_runtime::loop::Breadcrumbs::open(file);
    if (!breadcrumbs) return fail(within("breadcrumbs", breadcrumbs.error()));
    environment_.breadcrumbs = *std::move(breadcrumbs);
    if (guard_ != nullptr)
        guard_->on_end(
            [kept = environment_.breadcrumbs](std::string_view why) { kept->note_end(why); });
    const std::string report = environment_.breadcrumbs->previous().sentence();
    if (!report.empty()) environment_.log->write(config::LogLevel::error, "capstan", report);
    return {};
}

plugin_runtime::instances::InstanceSpec instance_spec(const LoadedPlugin& plugin) {
    return {.type = plugin.plugin_class.raw,
            .library = plugin.library,
            .identity = {.id = plugin.config.id,
                         .class_id = std::string(plugin.plugin_class.id),
                         .kind = std::string(plugin.plugin_class.kind),
                         .origin = origin_of(plugin),
                         .version = plugin.library->facts().note.version,
                         .grants = plugin.config.grants,
                         .tls = plugin.config.tls,
                         .limits = plugin.config.limits,
                         .is_controller = plugin.plugin_class.kind == CAPSTAN_KIND_CONTROLLER}};
}

Result<std::shared_ptr<plugin_runtime::instances::PluginInstance>> PluginHost::create(
    const LoadedPlugin& plugin) {
    config::SettingsView settings(plugin.settings, config::settings_path(plugin.config), nullptr);
    return plugin_runtime::instances::PluginInstance::create(environment_, instance_spec(plugin),
                                                             *settings.abi());
}

void PluginHost::add(std::shared_ptr<plugin_runtime::instances::PluginInstance> instance) {
    const std::lock_guard lock(mutex_);
    instances_.push_back(std::move(instance));
}

std::vector<std::shared_ptr<plugin_runtime::instances::PluginInstance>> PluginHost::instances()
    const {
    const std::lock_guard lock(mutex_);
    return instances_;
}

Result<void> PluginHost::start_all(const Instances& instances) {
    std::vector<std::future<Result<void>>> ends;
    for (const auto& instance : instances) {
        const bool is_first = instance->context().identity().generation == 1;
        const StartReason reason = is_first ? StartReason::cold : StartReason::exchange;
        ends.push_back(
            detail::future_of<void>([&](plugin_runtime::instances::PluginInstance::Done done) {
                instance->start(start_timeout, std::move(done), reason);
            }));
    }
    Result<void> first_error;
    for (auto& end : ends) {
        Result<void> started = wait_for(end, start_timeout + slack);
        if (!started && first_error) first_error = std::move(started);
    }
    return first_error;
}

void PluginHost::stop(const Instances& instances, StopReason reason) {
    for (const auto& instance : std::views::reverse(instances)) {
        if (guard_ != nullptr) guard_->set_stage("plugin " + instance->id() + " is being stopped");
        // A hook that overran is not expected back, nor a thread that is stuck: it has had its
        // time.
        const bool is_lost =
            instance->has_abandoned_calls() || instance->context().strand().stuck();
        const Duration timeout = is_lost ? Duration(std::chrono::seconds(1)) : stop_timeout;
        const Result<void> stopped = wait<void>(
            [&](plugin_runtime::instances::PluginInstance::Done done) {
                instance->stop(timeout, std::move(done), reason);
            },
            timeout + slack);
        if (!stopped) {
            environment_.log->write(config::LogLevel::error, instance->id(),
                                    "could not be stopped: " + stopped.error().message);
        }
    }
}

Result<std::shared_ptr<plugin_runtime::instances::PluginInstance>> PluginHost::create_replacement(
    const LoadedPlugin& plugin) {
    using Made = std::shared_ptr<plugin_runtime::instances::PluginInstance>;
    // Owns all that create() uses: an abandoned call of it may go on after everything else has
    // ended.
    struct Creation {
        LoadedPlugin plugin;
        std::shared_ptr<plugin_runtime::services::HostContext> context;
        Result<Made> run() const {
            config::SettingsView settings(plugin.settings, config::settings_path(plugin.config),
                                          nullptr);
            return plugin_runtime::instances::PluginInstance::create(context, instance_spec(plugin),
                                                                     *settings.abi());
        }
    };
    plugin_runtime::services::InstanceIdentity identity = instance_spec(plugin).identity;
    if (const auto old = find(plugin.config.id))
        identity.generation = old->context().identity().generation + 1;
    const auto creation = std::make_shared<const Creation>(Creation{
        plugin, plugin_runtime::services::HostContext::make(environment_, std::move(identity))});
    if (virtual_loop_ != nullptr) return creation->run();
    const auto begin = [&creation](const Done<Made>& done) {
        try {
            std::thread([creation, done] { done(creation->run()); }).detach();
        } catch (const std::system_error& error) {
            done(fail(ErrorCode::unavailable,
                      std::string("create: cannot start a thread: ") + error.what()));
        }
    };
    std::future<Result<Made>> end = detail::future_of<Made>(begin);
    if (end.wait_for(start_timeout) == std::future_status::ready) return end.get();
    creation->context->close();
    creation->context->abandon();
    return fail(ErrorCode::deadline, "plugin " + plugin.config.id.value() +
                                         ": create did not return within " +
                                         format_rough_duration(start_timeout));
}

Result<PluginHost::Instances> PluginHost::make_replacements(
    const std::vector<const LoadedPlugin*>& plugins) {
    Instances made;
    Result<void> done;
    for (const LoadedPlugin* const plugin : plugins) {
        auto instance = create_replacement(*plugin);
        if (!instance) {
            done = fail(std::move(instance).error());
            break;
        }
        made.push_back(*std::move(instance));
    }
    if (done) done = start_all(made);
    if (done) return made;
    stop(made, StopReason::failed);
    return fail(std::move(done).error());
}

PluginHost::Instances PluginHost::exchange(const Instances& made,
                                           const std::vector<PluginInstanceId>& gone) {
    const std::lock_guard lock(mutex_);
    Instances out;
    const auto place_of = [this](const std::string& id) {
        return std::ranges::find(instances_, id, [](const auto& each) { return each->id(); });
    };
    for (const auto& instance : made) {
        const auto at = place_of(instance->id());
        const plugin_runtime::services::InstanceIdentity& identity = instance->context().identity();
        std::erase_if(identities_, [&](const auto& each) { return each.id == identity.id; });
        identities_.push_back(identity);
        if (at == instances_.end()) {
            instances_.push_back(instance);
        } else {
            out.push_back(std::exchange(*at, instance));
        }
    }
    for (const PluginInstanceId& id : gone) {
        const auto at = place_of(id.value());
        std::erase_if(identities_, [&](const auto& each) { return each.id == id; });
        if (at == instances_.end()) continue;
        out.push_back(std::move(*at));
        instances_.erase(at);
    }
    return out;
}

/// Has the virtual time pass, from timer to timer, until `is_over`.
void PluginHost::pass_time(const std::function<bool()>& is_over, Duration patience) {
    const Duration end = loop_->monotonic() + patience;
    virtual_loop_->settle();
    while (!is_over()) {
        const std::optional<Duration> due = virtual_loop_->next_due();
        if (!due || *due > end) return;
        virtual_loop_->advance(std::max(*due - loop_->monotonic(), Duration::zero()));
    }
}

std::shared_ptr<plugin_runtime::instances::PluginInstance> PluginHost::find(
    const PluginInstanceId& id) const {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find(instances_, id.value(), [](const auto& i) { return i->id(); });
    return found == instances_.end() ? nullptr : *found;
}

}  // namespace capstan::autoscaler
