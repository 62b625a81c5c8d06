#include "simulation/dump/collected_objects.hpp"

namespace capstan::simulation::dump {
namespace {

auto values_of(auto&& by_name) {
    std::vector<typename std::decay_t<decltype(by_name)>::mapped_type> out;
    out.reserve(by_name.size());
    for (auto& [name, object] : by_name) out.push_back(std::move(object));
    return out;
}

}  // namespace

Objects CollectedObjects::take() && {
    return {.nodes = values_of(std::move(nodes_)),
            .pods = values_of(std::move(pods_)),
            .daemon_sets = values_of(std::move(daemon_sets_)),
            .controllers = values_of(std::move(controllers_)),
            .claims = values_of(std::move(claims_)),
            .volumes = values_of(std::move(volumes_)),
            .storage_classes = values_of(std::move(storage_classes_)),
            .csi_nodes = values_of(std::move(csi_nodes_)),
            .csi_drivers = values_of(std::move(csi_drivers_)),
            .csi_capacities = values_of(std::move(csi_capacities_)),
            .namespaces = values_of(std::move(namespaces_)),
            .services = values_of(std::move(services_))};
}

}  // namespace capstan::simulation::dump
