/// The settings of priority as values, and their schema: the tiers as a table, the YAML of
/// upstream's ConfigMap, or the name of a ConfigMap with such YAML.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/settings.hpp>

#include "tiers.hpp"

namespace capstan::expanders {

/// A mistake in the settings.
struct PriorityMistake {
    std::string key;  ///< of the setting
    /// Of the entry in a list or table; absent: the whole setting.
    std::optional<std::size_t> index;
    std::string why;
};

struct ConfigMapName {
    std::string ns{}, name{};
    bool operator==(const ConfigMapName&) const = default;
};

/// Parses "NAMESPACE/NAME". Fails when a ConfigMap cannot have such a name.
Result<ConfigMapName> parse_config_map_name(std::string_view text);

/// Without any setting there are no tiers, and no group is preferred. The values are valid only
/// while `mistakes` is empty.
struct PriorityConfig {
    Tiers tiers{};
    std::optional<ConfigMapName> config_map{};  ///< when set, tiers come from this ConfigMap
    std::vector<PriorityMistake> mistakes{};
};

Schema priority_schema();
PriorityConfig read_priority(const Settings& settings);
void check_priority(const Settings& settings);

/// Fails with the first mistake, if there is one.
Result<void> demand_sound(const PriorityConfig& config);

/// The tiers. Fails with the first mistake.
Result<Tiers> tiers_of(PriorityConfig config);

}  // namespace capstan::expanders
