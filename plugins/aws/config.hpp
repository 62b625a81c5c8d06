/// The settings of the plugin as values. Only config.cpp knows the names of the settings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/settings.hpp>

#include "api/auto_scaling.hpp"
#include "api/launch_template.hpp"
#include "credentials/credentials_config.hpp"
#include "groups/group_settings.hpp"
#include "templates/group_template.hpp"
#include "wire/endpoints.hpp"

namespace capstan::aws {

/// Node auto-provisioning.
struct ProvisioningSettings {
    LaunchTemplateRef launch_template{};
    Labels subnet_tags{};
    std::vector<std::string> instance_types{};  ///< globs; none: all that suit
    int max_size = 1000;
    Labels tags{};
};

struct AwsConfig {
    std::string region{};  ///< empty: found by find_region
    std::vector<std::vector<TagFilter>> discovery{};
    std::vector<StaticGroup> groups{};
    std::string cluster{};  ///< empty: not set
    Duration refresh_every = std::chrono::minutes(1);
    TemplateConfig templates{};
    std::string instance_types_file{}, price_file{};  ///< empty: none
    bool static_instance_types = false;  ///< true: types are taken from tables, never from EC2
    EndpointConfig endpoints{};
    Duration timeout = std::chrono::seconds(7);
    std::size_t parallel_calls = 8;
    CredentialsConfig credentials{};  ///< without region and endpoints
    std::string event_queue_url{};    ///< empty: none
    std::optional<ProvisioningSettings> provisioning{};
    bool failed_activities = true;
};

Schema aws_schema();
AwsConfig read_aws_config(const Settings& settings);
void check_aws_config(const Settings& settings);

}  // namespace capstan::aws
