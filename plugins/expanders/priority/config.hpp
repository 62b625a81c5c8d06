/// What priority can be told: the tiers as a table or as upstream's ConfigMap writes them, or the
/// ConfigMap to take them from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/settings.hpp>

#include "tiers.hpp"

namespace capstan::expanders {

/// A mistake and the setting it is in; with an index, that entry of it.
struct PriorityMistake {
    std::string key;
    std::optional<std::size_t> index;
    std::string why;
};

struct ConfigMapName {
    std::string ns{}, name{};
    bool operator==(const ConfigMapName&) const = default;
};

/// "NAMESPACE/NAME", of names that a ConfigMap can have.
Result<ConfigMapName> parse_config_map_name(std::string_view text);

/// No tiers when no setting is given: nothing is preferred. What is read counts only if there are
/// no mistakes.
struct PriorityConfig {
    Tiers tiers{};
    std::optional<ConfigMapName> config_map{};  ///< tiers come from there
    std::vector<PriorityMistake> mistakes{};
};

Schema priority_schema();
PriorityConfig read_priority(const Settings& settings);
void check_priority(const Settings& settings);

/// The first mistake, if there is one.
Result<void> demand_sound(const PriorityConfig& config);

/// The tiers, or the first mistake.
Result<Tiers> tiers_of(PriorityConfig config);

}  // namespace capstan::expanders
