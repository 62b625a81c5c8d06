/// What provisioning can be told, as values. Nothing else here knows the names of settings.
#pragma once

#include <set>
#include <string>

#include <capstan/settings.hpp>

namespace capstan::provisioning {

/// What makes a set of labels popular.
enum class Popularity {
    pods,  ///< how many ask for it
    cpu,   ///< how much of cpu they request, 50m where they say nothing
};

/// When nodes are tainted, so that others keep off.
enum class Dedicated {
    selector_and_toleration,  ///< a toleration and a selector on the same key and value
    toleration,               ///< a toleration of a key and a value
    off,
};

/// Which offers of a machine type are used.
enum class Spot { also, never, only };

struct Config {
    Popularity popularity = Popularity::pods;
    Dedicated dedicated = Dedicated::selector_and_toleration;
    bool alpha = false;  ///< a group for each selector, however well they go together
    Spot spot = Spot::also;
    int max_groups = 50;  ///< of the cluster, made by Capstan or not
    std::string prefix = "nodeautoprovisioning";
    std::set<std::string, std::less<>> machine_types{};  ///< empty: all that are on offer
    std::set<std::string, std::less<>> zones{};          ///< empty: all
};

Schema config_schema();
/// Refuses what the schema cannot say: a prefix that no cloud would take.
void check_config(const Settings& settings);
Config read_config(const Settings& settings);

}  // namespace capstan::provisioning
