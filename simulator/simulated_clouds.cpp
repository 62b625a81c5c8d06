#include "simulator/simulated_clouds.hpp"

namespace capstan::simulator {

std::vector<SimulatedCloud> simulated_clouds(const Input& input,
                                             const autoscaler::PluginSet& plugins) {
    std::vector<SimulatedCloud> out;
    for (const CloudSettings& cloud : input.clouds)
        out.push_back({cloud.id, cloud.source, cloud.settings});
    if (!out.empty()) return out;
    for (const autoscaler::LoadedPlugin& plugin : plugins) {
        if (plugin.config.shipped && plugin.plugin_class.id == simulated_cloud.value())
            out.push_back({plugin.config.id, {input.source, ""}, plugin.config.settings});
    }
    return out;
}

}  // namespace capstan::simulator
