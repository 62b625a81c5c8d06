#include "live_cluster.hpp"

#include <stdlib.h>

#include <fstream>
#include <stdexcept>

namespace capstan::bench {
namespace {

std::string group_toml(int number, const LiveSize& size, const std::string& boot) {
    return "[[plugin.cloud.settings.groups]]\nid = \"g" + std::to_string(number) +
           "\"\nsize = " + std::to_string(size.nodes_per_group) + "\nmax = 1000\nboot = \"" + boot +
           "\"\nmachine = { cpu = \"32\", memory = \"128Gi\" }\n";
}

std::string config_toml(const LiveSize& size, const std::filesystem::path& kubeconfig,
                        const std::string& boot, const std::string& more) {
    std::string out = "[cluster]\nkubeconfig = \"" + kubeconfig.string() +
                      "\"\nkube_client_qps = " + std::to_string(size.requests_per_second) +
                      "\nkube_client_burst = " + std::to_string(2 * size.requests_per_second) +
                      "\n"
                      "[admin]\nlisten = \"\"\n[log]\nlevel = \"error\"\n"
                      "[pipeline]\nclouds = [\"cloud\"]\n" +
                      more +
                      "[plugin.cloud]\nclass = \"simulated\"\n"
                      "grants = { state = true, kube = [\"nodes:list,watch,create,delete\"] }\n"
                      "[plugin.cloud.settings]\nregister_nodes = true\n";
    for (int i = 0; i < size.groups; ++i) out += group_toml(i, size, boot);
    return out;
}

}  // namespace

BenchFolder::BenchFolder() {
    std::string name = std::filesystem::temp_directory_path() / "capstan-bench-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
        throw std::runtime_error("cannot create a temporary folder: " + name);
    path_ = name;
}

BenchFolder::~BenchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

LiveSetup::LiveSetup(const LiveSize& size, const std::string& kubeconfig, const std::string& boot,
                     const std::string& more) {
    const std::filesystem::path access = folder_.path() / "kubeconfig";
    std::ofstream(access) << kubeconfig;
    const config::ShippedPlugins shipped(config::shipped_plugins_root());
    config::Loaded loaded = config::load_config(
        config::Source{"benchmark", config_toml(size, access, boot, more)}, shipped);
    auto out = std::make_shared<autoscaler::daemon::LoadedConfig>();
    if (loaded.config)
        out->plugins =
            autoscaler::load_plugins(*loaded.config, shipped, registry_, loaded.diagnostics);
    if (!loaded.config || loaded.diagnostics.errors() > 0)
        throw std::runtime_error(loaded.diagnostics.text());
    out->config = *std::move(loaded.config);
    config_ = std::move(out);
}

std::unique_ptr<autoscaler::PluginHost> LiveSetup::start(
    std::shared_ptr<io::ManualClock> clock) const {
    auto host = autoscaler::PluginHost::start(
        config_->config, config_->plugins,
        {.seed = 1, .version = "bench", .clock = std::move(clock), .has_cluster = true});
    if (!host) throw std::runtime_error(host.error().message);
    return *std::move(host);
}

}  // namespace capstan::bench
