#include "autoscaler/dump/dump_pass.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <capstan/abi/controller.h>

#include "autoscaler/autoscaler.hpp"
#include "autoscaler/cluster_client.hpp"
#include "autoscaler/dump/dumped_cluster.hpp"
#include "plugin_runtime/services/kube_gateway.hpp"

namespace capstan::autoscaler::dump {
namespace {

/// The virtual time before the pass in which plugins start that use the Kubernetes API: their
/// watches are refused, if at all, within this time.
constexpr Duration plugin_start_time = std::chrono::milliseconds(1);

Result<void> refuse_actions() { return fail(ErrorCode::cancelled, "one pass on a dump"); }

/// Never called, since the decision is not carried out.
class UnchangedCluster final : public ClusterClient {
public:
    void recheck(const std::vector<engine::removal::NodeRecheck>& nodes,
                 RecheckDone done) override {
        for (std::size_t at = 0; at < nodes.size(); ++at) done(at, refuse_actions());
    }
    void change(const engine::NodeChange&, Done done) override { done(refuse_actions()); }
    void evict(const engine::Eviction&, Done done) override { done(refuse_actions()); }
};

PluginSet without_controllers(const PluginSet& plugins) {
    PluginSet out = plugins;
    std::erase_if(out, [](const LoadedPlugin& plugin) {
        return plugin.plugin_class.kind == CAPSTAN_KIND_CONTROLLER;
    });
    return out;
}

bool wants_api(const PluginSet& plugins) {
    return std::ranges::any_of(
        plugins, [](const LoadedPlugin& plugin) { return !plugin.config.grants.kube.empty(); });
}

Result<std::unique_ptr<PluginHost>> start_plugins(Time start, const config::Config& config,
                                                  const PluginSet& plugins,
                                                  const std::string& version) {
    const PluginSet started = without_controllers(plugins);
    // As in a simulation, also if only controllers want it.
    const Time now = wants_api(plugins) ? start - plugin_start_time : start;
    return PluginHost::start(config, started,
                             {.version = version,
                              .breadcrumbs = {},
                              .state = {},
                              .clock = std::make_shared<io::ManualClock>(now),
                              .has_cluster = wants_api(started)});
}

/// The watches that plugins opened at their start have all objects before the pass.
Result<void> connect_plugins(const Dump& dump, DumpPass& pass) {
    PluginHost& host = *pass.host;
    if (host.cluster() != nullptr) {
        auto api = DumpedApi::make(host.loop(), dump.plugin_objects);
        if (!api) return fail(within(dump.source, api.error()));
        pass.api = *std::move(api);
        host.cluster()->connect(*pass.api);
        host.virtual_loop()->settle();
    }
    const Duration early = dump.start - host.loop().clock()->now();
    if (early > Duration(0)) host.virtual_loop()->advance(early);
    return {};
}

Result<std::shared_ptr<const PassReport>> decide(const Dump& dump, const config::Config& config,
                                                 PluginHost& host) {
    UnchangedCluster client;
    std::optional<engine::snapshot::Cluster> cluster;
    CAPSTAN_TRY(
        const std::unique_ptr<Autoscaler> autoscaler,
        Autoscaler::make(
            config, {.host = host,
                     .cluster = client,
                     .look = [&]() -> Result<engine::snapshot::Cluster> { return *cluster; },
                     .may_act = refuse_actions,
                     .keep = [](const engine::Memory&, MemoryStage) { return refuse_actions(); },
                     .simulation = true}));
    autoscaler->begin(dump.memory);
    Clouds& clouds = autoscaler->all_clouds();
    clouds.set_patience(std::nullopt);
    const auto groups = clouds.refresh_now(host).groups;
    clouds.set_patience(patience_of(config.cluster.scan_interval));
    cluster = make_cluster(dump, *groups, host.loop().clock()->now(),
                           config.scale_up.spread_timeout_annotation);
    CAPSTAN_TRY(const auto report, autoscaler->run());
    auto out = std::make_shared<PassReport>(*report);
    out->input.call_context.dry_run = true;
    out->memory = out->result.outcome.memory;
    out->at = out->input.call_context.now;
    out->dropped_because.clear();
    return out;
}

}  // namespace

DumpPass::~DumpPass() {
    if (!api) return;
    host->virtual_loop()->settle();
    host->cluster()->disconnect();
    host->virtual_loop()->settle();
}

Result<std::unique_ptr<DumpPass>> decide_on_dump(const Dump& dump, const config::Config& config,
                                                 const PluginSet& plugins,
                                                 const std::string& version) {
    auto out = std::make_unique<DumpPass>();
    CAPSTAN_TRY(out->host, start_plugins(dump.start, config, plugins, version));
    CAPSTAN_CHECK(connect_plugins(dump, *out));
    CAPSTAN_TRY(out->report, decide(dump, config, *out->host));
    return out;
}

}  // namespace capstan::autoscaler::dump
