/// The settings of the plugin.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/settings.hpp>

#include "credentials/credentials_config.hpp"
#include "groups/group_settings.hpp"
#include "templates/group_template.hpp"

namespace capstan::gce {

struct ProvisioningSettings {
    std::string instance_template{};
    std::vector<std::string> zones{}, machine_types{};
    int max_size = 1000;
    Labels labels{};
};

struct GceConfig {
    std::string project{};  ///< empty: found by find_project
    std::string cluster{};
    std::vector<DiscoverySpec> discovery{};
    std::vector<StaticGroup> groups{};
    std::vector<std::string> locations{};            ///< zones and regions of discovery; empty: all
    Duration refresh_every = std::chrono::hours(1);  ///< for lists of machines of groups at rest
    TemplateConfig templates{};
    std::string price_file{};
    EndpointConfig endpoints{};
    Duration timeout = std::chrono::seconds(7);
    std::size_t parallel_calls = 8;
    CredentialsConfig credentials{};
    std::optional<ProvisioningSettings> provisioning{};
};

Schema gce_schema();
GceConfig read_gce_config(const Settings& settings);
void check_gce_config(const Settings& settings);

}  // namespace capstan::gce
