/// What is probably wrong with a valid configuration, as far as its settings show: for `capstan
/// config check` and `capstan doctor`.
#pragma once

#include <string>
#include <vector>

#include "autoscaler/plugin_set.hpp"

namespace capstan::autoscaler {

struct ConfigDoubt {
    config::Place place{};
    std::string what{};  ///< "machine types"
    std::string found{}, fix{};
};

/// The doubts are about
///
/// - texts with a placeholder of a template, such as REGION;
/// - plugins with the URL of a server, and clouds that could have one, without a grant of HTTP;
/// - limits of GPU types that no group of the settings has;
/// - machine types that a group source names and no cloud has. A group source names types in its
///   list `machine_types`. A cloud that has its types from its settings has a list of tables with
///   that name.
///
/// Groups and machine types that a cloud reports only while it runs are unknown, and cause no
/// doubt.
std::vector<ConfigDoubt> find_config_doubts(const config::Config& config, const PluginSet& plugins);

}  // namespace capstan::autoscaler
