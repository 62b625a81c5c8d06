#include "runtime/plugin_host.hpp"

#include <algorithm>
#include <future>
#include <ranges>

#include "runtime/config/settings_view.hpp"
#include "runtime/services/curl_http_client.hpp"

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

/// Waits for something that ends by itself after `timeout` at the latest.
Result<void> wait_for(std::future<Result<void>>& end, Duration timeout) {
    if (end.wait_for(timeout + slack) == std::future_status::ready) return end.get();
    return fail(ErrorCode::deadline, "the event loop does not answer");
}

/// Starts something that ends with a Result<void>, as a future.
template <class Begin>
std::future<Result<void>> future_of(Begin begin) {
    auto promise = std::make_shared<std::promise<Result<void>>>();
    std::future<Result<void>> end = promise->get_future();
    begin([promise](Result<void> result) { promise->set_value(std::move(result)); });
    return end;
}

}  // namespace

PluginHost::PluginHost(const Config& config, Options options)
    : work_(io_.get_executor()),
      loop_(io_),
      environment_{.loop = loop_,
                   .log = std::make_shared<Logger>(config.log, loop_.clock()),
                   .metrics = std::make_shared<Metrics>(),
                   .seed = options.seed,
                   .version = std::move(options.version)} {
    if (!config.secrets.dir.empty())
        environment_.secrets = std::make_shared<DirectorySecrets>(config.secrets.dir);
    environment_.http = std::make_shared<CurlHttpClient>(io_);
    if (options.state.empty()) {
        environment_.state = std::make_shared<MemoryStateStore>();
    } else {
        environment_.state = std::make_shared<FileStateStore>(options.state);
    }
    thread_ = std::thread([this] { io_.run(); });
}

Result<std::unique_ptr<PluginHost>> PluginHost::start(const Config& config,
                                                      const PluginSet& plugins, Options options) {
    const std::filesystem::path breadcrumbs = options.breadcrumbs;
    std::unique_ptr<PluginHost> host(new PluginHost(config, std::move(options)));
    if (!breadcrumbs.empty()) CAPSTAN_CHECK(host->open_breadcrumbs(breadcrumbs));
    for (const LoadedPlugin& plugin : plugins) CAPSTAN_CHECK(host->make(plugin));
    CAPSTAN_CHECK(host->start_all());
    return host;
}

PluginHost::~PluginHost() {
    for (const auto& instance : std::views::reverse(instances_)) {
        // A hook that overran is not expected back: it has had its time.
        const Duration timeout =
            instance->quarantined_by() ? Duration(std::chrono::seconds(1)) : stop_timeout;
        auto end =
            future_of([&](PluginInstance::Done done) { instance->stop(timeout, std::move(done)); });
        if (const Result<void> stopped = wait_for(end, timeout); !stopped) {
            environment_.log->write(LogLevel::error, instance->id(),
                                    "could not be stopped: " + stopped.error().message);
        }
    }
    work_.reset();
    io_.stop();
    thread_.join();
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

Result<void> PluginHost::make(const LoadedPlugin& plugin) {
    InstanceSpec spec{.type = plugin.plugin_class.raw,
                      .library = plugin.library,
                      .identity = {.id = plugin.config.id,
                                   .class_id = std::string(plugin.plugin_class.id),
                                   .origin = origin_of(plugin),
                                   .grants = plugin.config.grants,
                                   .limits = plugin.config.limits}};
    SettingsView settings(plugin.settings, settings_path(plugin.config), nullptr);
    CAPSTAN_TRY(auto instance,
                PluginInstance::create(environment_, std::move(spec), *settings.abi()));
    instances_.push_back(std::move(instance));
    return {};
}

Result<void> PluginHost::start_all() {
    std::vector<std::future<Result<void>>> ends;
    for (const auto& instance : instances_) {
        ends.push_back(future_of(
            [&](PluginInstance::Done done) { instance->start(start_timeout, std::move(done)); }));
    }
    Result<void> first_error;
    for (auto& end : ends) {
        Result<void> started = wait_for(end, start_timeout);
        if (!started && first_error) first_error = std::move(started);
    }
    return first_error;
}

std::shared_ptr<PluginInstance> PluginHost::find(const PluginInstanceId& id) const {
    const auto found =
        std::ranges::find(instances_, id.value(), [](const auto& i) { return i->id(); });
    return found == instances_.end() ? nullptr : *found;
}

}  // namespace capstan::runtime
