#include "simulation/simulated_clouds.hpp"

namespace capstan::simulation {

std::vector<SimulatedCloud> simulated_clouds(const Input& input,
                                             const runtime::PluginSet& plugins) {
    if (input.cloud) return {{simulated_cloud, input.cloud->source, input.cloud->settings}};
    std::vector<SimulatedCloud> out;
    for (const runtime::LoadedPlugin& plugin : plugins) {
        if (plugin.config.shipped && plugin.plugin_class.id == simulated_cloud.value())
            out.push_back({plugin.config.id, {input.source, ""}, plugin.config.settings});
    }
    return out;
}

}  // namespace capstan::simulation
