/// The daemon on virtual time with an API server in this process.
#pragma once

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/assembly.hpp"
#include "autoscaler/daemon/daemon.hpp"
#include "autoscaler/daemon/single_pass.hpp"
#include "kubernetes/timestamps.hpp"
#include "simulator/api_server/local_http_client.hpp"

namespace capstan::autoscaler::daemon {

/// An empty cluster. The default cloud has a group of at most 50 machines that never become nodes.
class LiveCluster {
public:
    /// `more`: TOML of [cluster]. `cloud`: settings of the simulated cloud. `change`: changes the
    /// loaded configuration; the daemon then starts its plugins. `state`: the folder of the state
    /// of plugins; empty: they keep it in memory.
    explicit LiveCluster(const std::string& more = {}, std::string cloud = one_group,
                         const std::function<void(LoadedConfig&)>& change = {},
                         const std::filesystem::path& state = {})
        : cloud_(std::move(cloud)) {
        assembly_ = assemble(more);
        auto all = std::make_shared<LoadedConfig>(*loaded(*assembly_));
        if (change) change(*all);
        loaded_ = std::move(all);
        starts_plugins_ = change != nullptr;
        host_ = (starts_plugins_ ? &PluginHost::open : &PluginHost::start)(loaded_->config,
                                                                           loaded_->plugins,
                                                                           {.seed = 1,
                                                                            .version = "test",
                                                                            .state = state,
                                                                            .clock = clock_,
                                                                            .has_cluster = true})
                    .value();
        store = std::make_unique<simulator::api_server::ObjectStore>(
            loop(), simulator::api_server::ObjectStore::Options{});
        server = std::make_unique<simulator::api_server::ApiServer>(*store);
        network_ = std::make_unique<simulator::api_server::LocalHttpClient>(
            *server, loop(), [this](const io::ServedRequest& request) {
                if (request.method != "GET" && on_write) on_write(request);
            });
    }

    LiveCluster(const LiveCluster&) = delete;
    LiveCluster& operator=(const LiveCluster&) = delete;
    /// The API server goes before the loop that has its timers.
    ~LiveCluster() {
        network_.reset();
        server.reset();
        store.reset();
    }

    PluginHost& host() { return *host_; }
    const config::Config& configuration() const { return loaded_->config; }
    io::HttpClient& network() { return *network_; }
    io::Loop& loop() { return host_->loop(); }
    std::string metrics() const { return host_->metrics().text(); }
    Duration now() const { return clock_->now() - start; }
    void at(Duration when, std::function<void()> what) {
        loop().after(when - now(), std::move(what));
    }
    /// A configuration of this cluster.
    std::unique_ptr<Assembly> assemble(const std::string& more) const {
        const std::filesystem::path access = folder_.path() / "kubeconfig";
        std::ofstream(access) << kubeconfig;
        auto out = std::make_unique<Assembly>("[cluster]\nkubeconfig = \"" + access.string() +
                                              "\"\n" + more + "\n" + config + cloud_ + "\n");
        if (out->diagnostics().errors() > 0) throw std::invalid_argument(out->diagnostics().text());
        return out;
    }
    static std::shared_ptr<const LoadedConfig> loaded(const Assembly& assembly) {
        LoadedConfig out{.config = assembly.config(), .plugins = assembly.plugins()};
        // The search path is a different folder each time.
        std::erase_if(out.config.tree.children, [](const auto& c) { return c.key == "trust"; });
        return std::make_shared<LoadedConfig>(std::move(out));
    }
    void add_pending_pod(const std::string& name) {
        namespace json = boost::json;
        const json::object requests{{"cpu", "3"}};
        const json::object container{{"name", "c"}, {"resources", {{"requests", requests}}}};
        const json::object condition{
            {"type", "PodScheduled"},
            {"status", "False"},
            {"reason", "Unschedulable"},
            {"lastTransitionTime", kubernetes::find_timestamp_text(clock_->wall()).value()}};
        make("pods", "default",
             {{"metadata", {{"name", name}}},
              {"spec", {{"containers", json::array{container}}}},
              {"status", {{"phase", "Pending"}, {"conditions", json::array{condition}}}}});
    }
    void make(const char* resource, const char* space, boost::json::object object) {
        const auto made = store->create(store->kind(resource), space, std::move(object),
                                        {.part = simulator::api_server::ObjectPart::everything});
        if (!made) throw std::runtime_error(made.error().message);
    }
    simulator::api_server::ApiObject find(const char* resource, const char* name,
                                          const char* space = "kube-system") const {
        return store->find(store->kind(resource), space, name);
    }
    /// Another client changes this object.
    void edit(const char* resource, const char* name,
              const std::function<void(boost::json::object&)>& change) {
        const auto edited = store->edit(store->kind(resource), "kube-system", name, change);
        if (!edited) throw std::runtime_error(edited.error().message);
    }
    /// Sets the holder of the Lease, as another host would.
    void take_lease(const std::string& holder) {
        edit("leases.coordination.k8s.io", "cluster-autoscaler", [&](boost::json::object& lease) {
            lease["spec"].as_object()["holderIdentity"] = holder;
        });
    }

    /// The pass of `capstan plan`.
    std::shared_ptr<const PassReport> plan(Duration patience = std::chrono::minutes(1)) {
        auto planned = decide_single_pass(
            assembly_->config(), *host_,
            {.version = "test", .seed = 1, .patience = patience, .http = network_.get()});
        if (!planned) throw std::runtime_error(planned.error().message);
        return *std::move(planned);
    }
    /// Runs the daemon and stops it after `how_long`.
    void run(Duration how_long) {
        at(how_long, [] { std::raise(SIGTERM); });
        const Result<void> ended = run_daemon(
            loaded_, *host_,
            {.version = "test",
             .identity = "tester",
             .seed = 1,
             .read_config = [this] { return read_config(); },
             .on_overdue = [] { throw std::runtime_error("the daemon does not stop in time"); },
             .on_pass =
                 [this](const PassReport& pass) {
                     begins.push_back(pass.input.call_context.now - start);
                     ends.push_back(now());
                     if (on_pass) on_pass(pass);
                 },
             .starts_plugins = starts_plugins_,
             .skips_for = skips_for,
             .http = network_.get()});
        if (!ended) throw std::runtime_error(ended.error().message);
    }

    std::unique_ptr<simulator::api_server::ObjectStore> store;
    std::unique_ptr<simulator::api_server::ApiServer> server;
    std::function<void(const io::ServedRequest&)> on_write{};  ///< called before a write is sent
    std::function<void(const PassReport&)> on_pass{};
    std::function<Result<std::shared_ptr<const LoadedConfig>>()> read_config =
        []() -> Result<std::shared_ptr<const LoadedConfig>> {
        return fail(ErrorCode::invalid_config, "no configuration");
    };
    std::vector<Duration> begins, ends;  ///< of passes that were not skipped, since the start
    Duration skips_for{0};               ///< see DaemonOptions

private:
    static constexpr Time start = time_from_unix_ns(1'795'255'200'000'000'000);
    static constexpr const char* config = R"([admin]
listen = ""
[log]
level = "error"
[pipeline]
clouds = ["cloud"]
[plugin.cloud]
class = "simulated"
grants = { state = true, kube = ["nodes:list,create,delete"] }
[plugin.cloud.settings]
)";
    static constexpr const char* one_group =
        "groups = [{ id = \"web\", max = 50, boot = \"1h\", "
        "machine = { cpu = \"4\", memory = \"16Gi\" } }]";
    static constexpr const char* kubeconfig = R"({"apiVersion":"v1","kind":"Config",
"current-context":"c","clusters":[{"name":"c","cluster":{"server":"http://api.local"}}],
"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{}}]})";

    const std::string cloud_;
    plugin_runtime::TemporaryFolder folder_;
    std::shared_ptr<io::ManualClock> clock_ = std::make_shared<io::ManualClock>(start);
    std::unique_ptr<Assembly> assembly_;
    std::shared_ptr<const LoadedConfig> loaded_;
    bool starts_plugins_ = false;
    std::unique_ptr<PluginHost> host_;
    std::unique_ptr<simulator::api_server::LocalHttpClient> network_;
};

}  // namespace capstan::autoscaler::daemon
