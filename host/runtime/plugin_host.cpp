#include "runtime/plugin_host.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include <capstan/abi/controller.h>

#include "io/curl_http_client.hpp"
#include "runtime/config/settings_view.hpp"

namespace capstan::runtime {
namespace {

constexpr Duration start_timeout = std::chrono::seconds(30);
constexpr Duration stop_timeout = std::chrono::seconds(10);
/// What an instance may take on top of its deadline to clean up (6 s), and the loop to say so.
constexpr Duration slack = std::chrono::seconds(10);

std::string origin_of(const LoadedPlugin& plugin) {
    const PluginFacts& facts = plugin.library->facts();
    return facts.path.filename().string() + " " + facts.note.version;
}

std::unique_ptr<io::Loop> make_loop(boost::asio::io_context& io,
                                    const std::shared_ptr<io::ManualClock>& clock) {
    if (clock) return std::make_unique<io::ManualLoop>(io, clock);
    return std::make_unique<io::Loop>(io);
}

}  // namespace

PluginHost::PluginHost(const Config& config, Options options)
    : work_(io_.get_executor()),
      loop_(make_loop(io_, options.clock)),
      virtual_loop_(options.clock ? static_cast<io::ManualLoop*>(loop_.get()) : nullptr),
      environment_{.loop = *loop_,
                   .log = std::make_shared<Logger>(config.log, loop_->clock()),
                   .metrics = std::make_shared<Metrics>(),
                   .seed = options.seed,
                   .version = std::move(options.version),
                   .is_virtual = options.clock != nullptr} {
    if (!config.secrets.dir.empty())
        environment_.secrets = std::make_shared<DirectorySecrets>(config.secrets.dir);
    if (options.state.empty()) {
        environment_.state = std::make_shared<MemoryStateStore>();
    } else {
        environment_.state = std::make_shared<FileStateStore>(options.state);
    }
    if (options.has_cluster) {
        environment_.kube = std::make_shared<KubeGateway>(
            *loop_, kubernetes::EventRecorder::Options{
                        .correlator = {.component = "capstan"},
                        .seed = io::seed_for(options.seed, "plugin events")});
    }
    if (virtual_loop_ != nullptr) return;
    environment_.http = std::make_shared<io::CurlHttpClient>(io_);
    thread_ = std::thread([this] { io_.run(); });
}

Result<std::unique_ptr<PluginHost>> PluginHost::start(const Config& config,
                                                      const PluginSet& plugins, Options options) {
    const std::filesystem::path breadcrumbs = options.breadcrumbs, state = options.state;
    std::error_code error;
    if (!state.empty() && !std::filesystem::create_directories(state, error) && error)
        return fail(ErrorCode::unavailable,
                    "state folder " + state.string() + ": " + error.message());
    std::unique_ptr<PluginHost> host(new PluginHost(config, std::move(options)));
    if (!breadcrumbs.empty()) CAPSTAN_CHECK(host->open_breadcrumbs(breadcrumbs));
    for (const LoadedPlugin& plugin : plugins) CAPSTAN_CHECK(host->make(plugin));
    CAPSTAN_CHECK(host->start_all(host->instances()));
    return host;
}

PluginHost::~PluginHost() {
    stop(instances());
    work_.reset();
    io_.stop();
    if (thread_.joinable()) thread_.join();
}

Result<void> PluginHost::open_breadcrumbs(const std::filesystem::path& file) {
    auto crumbs = Breadcrumbs::open(file);
    if (!crumbs) return fail(within("breadcrumbs", crumbs.error()));
    environment_.crumbs = *std::move(crumbs);
    for (const std::string& call : environment_.crumbs->previous().inside) {
        environment_.log->write(LogLevel::error, "capstan", "the previous run died in " + call);
    }
    return {};
}

InstanceSpec instance_spec(const LoadedPlugin& plugin) {
    return {.type = plugin.plugin_class.raw,
            .library = plugin.library,
            .identity = {.id = plugin.config.id,
                         .class_id = std::string(plugin.plugin_class.id),
                         .origin = origin_of(plugin),
                         .grants = plugin.config.grants,
                         .limits = plugin.config.limits,
                         .is_controller = plugin.plugin_class.kind == CAPSTAN_KIND_CONTROLLER}};
}

Result<void> PluginHost::make(const LoadedPlugin& plugin) {
    SettingsView settings(plugin.settings, settings_path(plugin.config), nullptr);
    CAPSTAN_TRY(auto instance,
                PluginInstance::create(environment_, instance_spec(plugin), *settings.abi()));
    add(std::move(instance));
    return {};
}

void PluginHost::add(std::shared_ptr<PluginInstance> instance) {
    const std::lock_guard lock(mutex_);
    instances_.push_back(std::move(instance));
}

std::vector<std::shared_ptr<PluginInstance>> PluginHost::instances() const {
    const std::lock_guard lock(mutex_);
    return instances_;
}

Result<void> PluginHost::start_all(const Instances& instances) {
    std::vector<std::future<Result<void>>> ends;
    for (const auto& instance : instances) {
        ends.push_back(detail::future_of<void>(
            [&](PluginInstance::Done done) { instance->start(start_timeout, std::move(done)); }));
    }
    Result<void> first_error;
    for (auto& end : ends) {
        Result<void> started = wait_for(end, start_timeout + slack);
        if (!started && first_error) first_error = std::move(started);
    }
    return first_error;
}

void PluginHost::stop(const Instances& instances) {
    for (const auto& instance : std::views::reverse(instances)) {
        // A hook that overran is not expected back: it has had its time.
        const Duration timeout =
            instance->quarantined_by() ? Duration(std::chrono::seconds(1)) : stop_timeout;
        const Result<void> stopped =
            wait<void>([&](PluginInstance::Done done) { instance->stop(timeout, std::move(done)); },
                       timeout + slack);
        if (!stopped) {
            environment_.log->write(LogLevel::error, instance->id(),
                                    "could not be stopped: " + stopped.error().message);
        }
    }
}

Result<PluginHost::Instances> PluginHost::make_beside(
    const std::vector<const LoadedPlugin*>& plugins) {
    Instances made;
    Result<void> done;
    for (const LoadedPlugin* const plugin : plugins) {
        SettingsView settings(plugin->settings, settings_path(plugin->config), nullptr);
        auto instance =
            PluginInstance::create(environment_, instance_spec(*plugin), *settings.abi());
        if (!instance) {
            done = fail(std::move(instance).error());
            break;
        }
        made.push_back(*std::move(instance));
    }
    if (done) done = start_all(made);
    if (done) return made;
    stop(made);
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
        if (at == instances_.end()) {
            instances_.push_back(instance);
        } else {
            out.push_back(std::exchange(*at, instance));
        }
    }
    for (const PluginInstanceId& id : gone) {
        const auto at = place_of(id.value());
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

std::shared_ptr<PluginInstance> PluginHost::find(const PluginInstanceId& id) const {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find(instances_, id.value(), [](const auto& i) { return i->id(); });
    return found == instances_.end() ? nullptr : *found;
}

}  // namespace capstan::runtime
