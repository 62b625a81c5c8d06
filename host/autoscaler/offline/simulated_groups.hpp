/// Node groups as settings of the shipped plugin `simulated`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <capstan/node_template.hpp>
#include <capstan/result.hpp>

#include "autoscaler/offline/cloud_settings.hpp"

namespace capstan::autoscaler::offline {

struct SimulatedGroup {
    std::string id{};
    int size = 0;  ///< machines that run at the start; from `min` to `max`
    NodeTemplate node{};
    int min = 0;
    std::optional<int> max{};                ///< absent: no limit
    std::optional<int> target{};             ///< machines asked for at the start; absent: `size`
    std::optional<double> price_per_hour{};  ///< absent: unknown
    bool spot = false;
};

/// The groups as the plugin's settings. `source`: what diagnostics call the file.
Result<CloudSettings> make_cloud_settings(std::string source,
                                          const std::vector<SimulatedGroup>& groups);

/// The id that the plugin gives to a machine of the group; `number` counts from 1. The machine's
/// node has the id as providerID.
std::string machine_id(const std::string& group, std::size_t number);

}  // namespace capstan::autoscaler::offline
