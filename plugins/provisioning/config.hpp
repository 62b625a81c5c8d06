/// The settings of provisioning as values, and their schema. Only config.cpp knows the keys of the
/// settings.
#pragma once

#include <set>
#include <string>

#include <capstan/settings.hpp>

namespace capstan::provisioning {

/// What makes a set of labels popular.
enum class Popularity {
    pods,  ///< the number of pods that ask for it
    cpu,   ///< the sum of the cpu that these pods request; 50m for a pod that requests none
};

/// Which pods get nodes with a taint that keeps other pods off.
enum class Dedicated {
    selector_and_toleration,  ///< pods with a toleration and a selector on the same key and value
    toleration,               ///< pods with a toleration of a key and a value
    off,                      ///< none
};

/// Whether spot offerings of a machine type are used.
enum class Spot { also, never, only };

struct Config {
    Popularity popularity = Popularity::pods;
    Dedicated dedicated = Dedicated::selector_and_toleration;
    bool alpha = false;  ///< a group for each selector, however well they go together
    Spot spot = Spot::also;
    int max_groups = 50;  ///< all groups of the cluster count, made by Capstan or not
    std::string prefix = "nodeautoprovisioning";
    std::set<std::string, std::less<>> machine_types{};  ///< empty: all that are on offer
    std::set<std::string, std::less<>> zones{};          ///< empty: all
};

Schema config_schema();
/// Refuses what the schema cannot express: a prefix that no cloud would take.
void check_config(const Settings& settings);
Config read_config(const Settings& settings);

}  // namespace capstan::provisioning
