/// Finds machine types that the settings of group sources name and no cloud has, as far as settings
/// show that. A group source names types in its list `machine_types`. A cloud that has its types
/// from its settings has a list of tables with that name.
#pragma once

#include <string>
#include <vector>

#include "runtime/plugin_set.hpp"

namespace capstan::runtime {

struct MachineTypeDoubt {
    config::Place place{};
    std::string found{}, fix{};
};

/// Empty if the pipeline has no group source or no cloud, and if a cloud reports its types only
/// while it runs.
std::vector<MachineTypeDoubt> find_machine_type_doubts(const config::Config& config,
                                                       const PluginSet& plugins);

}  // namespace capstan::runtime
