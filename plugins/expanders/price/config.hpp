/// The settings of price as values, and their schema.
#pragma once

#include <string>
#include <vector>

#include <capstan/settings.hpp>
#include <capstan/well_known.hpp>

namespace capstan::expanders {

/// What the requests of pods are worth, in the currency of the cloud's prices. The defaults are the
/// public rates of Google, in dollars, that upstream uses for machine types missing in its table.
struct PriceConfig {
    double cpu_per_hour = 0.033174;         ///< one core
    double memory_gib_per_hour = 0.004446;  ///< 2^30 bytes
    double gpu_per_hour = 0.7;              ///< one device
    std::vector<std::string> gpu_resources{std::string(well_known::nvidia_gpu),
                                           std::string(well_known::amd_gpu)};
};

Schema price_schema();
PriceConfig read_price(const Settings& settings);
void check_price(const Settings& settings);

}  // namespace capstan::expanders
