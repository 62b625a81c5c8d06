#include "autoscaler/daemon/single_pass.hpp"

#include <optional>
#include <utility>

#include "autoscaler/autoscaler.hpp"
#include "autoscaler/daemon/api_cluster_client.hpp"
#include "autoscaler/daemon/cluster_link.hpp"
#include "autoscaler/daemon/memory_keeper.hpp"
#include "autoscaler/daemon/on_loop.hpp"
#include "autoscaler/daemon/plugin_starts.hpp"
#include "autoscaler/daemon/startup_gate.hpp"
#include "plugin_runtime/services/kube_gateway.hpp"

namespace capstan::autoscaler::daemon {
namespace {

constexpr Duration look_period = std::chrono::milliseconds(100);

Result<void> refuse_in_dry_run() { return fail(ErrorCode::cancelled, "dry run"); }

/// The connection and what uses it. Constructed, used and destroyed on the loop's thread.
struct Environment {
    Environment(std::unique_ptr<ClusterLink> opened, const config::Cluster& config, PluginHost& of)
        : host(of),
          link(std::move(opened)),
          plugins(host.cluster()),
          cluster(link->api(), host.loop(), {.gate = refuse_in_dry_run}),
          keeper(link->api(), host.loop(),
                 {.name = {config.kube_namespace, config.memory_config_map_name}}) {
        if (plugins != nullptr) plugins->connect(link->api());
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() {
        if (plugins != nullptr) plugins->disconnect();
    }

    /// The cluster, once the host and its plugins have seen all of it.
    Result<engine::snapshot::Cluster> look() {
        is_waiting = false;
        if (link->cluster_cache().has_synced()) {
            if (!startup_gate) startup_gate.emplace(plugins, host.loop(), host.log());
            is_waiting = !startup_gate->is_open();
            if (is_waiting) return fail(ErrorCode::unavailable, startup_gate->reason());
        }
        return link->cluster_cache().cluster(cluster_age_max);
    }

    PluginHost& host;
    std::unique_ptr<ClusterLink> link;
    plugin_runtime::services::KubeGateway* plugins;  ///< NULL: they have no cluster
    ApiClusterClient cluster;
    MemoryKeeper keeper;
    std::optional<StartupGate> startup_gate{};  ///< absent: the cluster has not been seen yet
    bool is_waiting = false;  ///< plugins alone have yet to see it, as look() found
};

Result<std::shared_ptr<Environment>> open(const config::Config& config, PluginHost& host,
                                          const SinglePassOptions& options) {
    return on_loop(host, [&config, &host, options]() -> Result<std::shared_ptr<Environment>> {
        CAPSTAN_TRY(auto link,
                    ClusterLink::open(config.cluster, host.loop(), host.log(),
                                      {.version = options.version,
                                       .seed = options.seed,
                                       .dry_run = true,
                                       .builder = {.spread_timeout_annotation =
                                                       config.scale_up.spread_timeout_annotation},
                                       .http = options.http}));
        auto out = std::make_shared<Environment>(std::move(link), config.cluster, host);
        out->link->cluster_cache().start();
        return out;
    });
}

/// Looks again until the whole cluster is there. What plugins wait for has an end of its own, so it
/// may take longer.
Result<engine::snapshot::Cluster> look(PluginHost& host,
                                       const std::shared_ptr<Environment>& environment,
                                       Duration patience) {
    const Duration end = host.loop().monotonic() + patience;
    for (;;) {
        auto cluster = on_loop(host, [environment] { return environment->look(); });
        if (cluster || (host.loop().monotonic() >= end && !environment->is_waiting)) return cluster;
        CAPSTAN_CHECK(from_loop<void>(host, [&host](const PluginHost::Done<void>& done) {
            host.loop().after(look_period, [done] { done({}); });
        }));
    }
}

/// Fails at once if the server cannot be reached, refuses the credentials, or is not Kubernetes;
/// the caches would try again until the end of the patience. Any identity may usually read the
/// version.
Result<void> check_server(PluginHost& host, const std::shared_ptr<Environment>& environment) {
    const auto reply = from_loop<kubernetes::client::ApiReply>(
        host, [environment](const PluginHost::Done<kubernetes::client::ApiReply>& done) {
            environment->link->api().send({.path = "/version", .purpose = "version"}, done);
        });
    if (reply || reply.error().code == ErrorCode::permission) return {};
    return fail(within("API server " + environment->link->server(), reply.error()));
}

Result<engine::Memory> load_memory(PluginHost& host,
                                   const std::shared_ptr<Environment>& environment) {
    CAPSTAN_TRY(PersistedState persisted,
                from_loop<PersistedState>(
                    host, [environment](const PluginHost::Done<PersistedState>& done) {
                        environment->keeper.load(done);
                    }));
    take_over_states(host, persisted.states);
    engine::Memory memory = std::move(persisted.memory);
    // A daemon that runs has begun: what it marked is not to be cleared away.
    memory.started = memory != engine::Memory{};
    return memory;
}

Result<std::shared_ptr<const PassReport>> decide_with(
    const config::Config& config, PluginHost& host, const SinglePassOptions& options,
    const std::shared_ptr<Environment>& environment) {
    CAPSTAN_TRY(
        const auto autoscaler,
        Autoscaler::make(config,
                         {.host = host,
                          .cluster = environment->cluster,
                          .look = [&] { return look(host, environment, options.patience); },
                          .may_act = [] { return Result<void>(); },
                          .keep = [](const engine::Memory&, MemoryStage) { return Result<void>(); },
                          .gate = refuse_in_dry_run,
                          .seed = options.seed,
                          .dry_run = true,
                          .waits_for_clouds = true,
                          .waits_for_actions = true}));
    CAPSTAN_CHECK(check_server(host, environment));
    CAPSTAN_TRY(engine::Memory memory, load_memory(host, environment));
    autoscaler->begin(std::move(memory));
    return autoscaler->run();
}

}  // namespace

Result<std::shared_ptr<const PassReport>> decide_single_pass(const config::Config& config,
                                                             PluginHost& host,
                                                             const SinglePassOptions& options) {
    CAPSTAN_TRY(std::shared_ptr<Environment> environment, open(config, host, options));
    auto report = decide_with(config, host, options, environment);
    CAPSTAN_CHECK(on_loop(host, [environment = std::move(environment)]() mutable {
        environment.reset();
        return Result<void>();
    }));
    return report;
}

}  // namespace capstan::autoscaler::daemon
