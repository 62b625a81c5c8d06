/// What groups are made of: `[plugin.aws.settings.provisioning]`, and what it needs of the rest.
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
    LaunchTemplateRef launch_template{};  ///< whose image, network and role new machines have
    Labels subnet_tags{};                 ///< of the subnets; a zone is one that has such a subnet
    std::vector<std::string> instance_types{};  ///< globs ("m6i.*"); none: all that suit the image
    int max_size = 1000;                        ///< of each group that is made
    Labels tags{};                              ///< more tags, of groups and their machines
    /// Of the first discovery expression: groups are made so that it finds them.
    std::vector<TagFilter> discovery{};
    TemplateConfig templates{};
};

}  // namespace capstan::aws
