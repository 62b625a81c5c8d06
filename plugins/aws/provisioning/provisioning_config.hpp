/// The configuration of node auto-provisioning: `[plugin.aws.settings.provisioning]`, and the other
/// settings that it needs.
#pragma once

#include <string>
#include <vector>

#include <capstan/labels.hpp>

#include "../api/auto_scaling.hpp"
#include "../api/launch_template.hpp"
#include "../templates/group_template.hpp"

namespace capstan::aws {

struct MakingConfig {
    std::string cluster{};                ///< not empty
    LaunchTemplateRef launch_template{};  ///< image, network and role of new machines
    Labels subnet_tags{};  ///< select subnets; groups are made in zones with such a subnet
    std::vector<std::string> instance_types{};  ///< globs ("m6i.*"); none: all that suit the image
    int max_size = 1000;                        ///< of each group that is made
    Labels tags{};                              ///< more tags, of groups and their machines
    /// The first discovery expression: new groups get its tags, so that it finds them.
    std::vector<TagFilter> discovery{};
    TemplateConfig templates{};
};

}  // namespace capstan::aws
