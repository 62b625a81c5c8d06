/// Whether the machine types that group sources are told to use are any cloud's, as far as settings
/// tell: a source has a list of names `machine_types`, a cloud that knows its types from its
/// settings a list of tables of that name.
#pragma once

#include <string>
#include <vector>

#include "runtime/plugin_set.hpp"

namespace capstan::runtime {

struct MachineTypeDoubt {
    config::Place place{};
    std::string found{}, fix{};
};

/// None where no group source is asked, and where a cloud tells its types only once it runs.
std::vector<MachineTypeDoubt> find_machine_type_doubts(const config::Config& config,
                                                       const PluginSet& plugins);

}  // namespace capstan::runtime
