/// What groups are made of: `[plugin.gce.settings.provisioning]`, and what it needs of the rest.
#pragma once

#include <string>
#include <vector>

#include <capstan/labels.hpp>

#include "../templates/group_template.hpp"

namespace capstan::gce {

struct MakingConfig {
    std::string project{};
    std::string cluster{};  ///< not empty
    std::string
        instance_template{};  ///< a link or a global name: image, network, kube-env of new machines
    std::vector<std::string> zones{};  ///< where machines may be made; none: those of `region`
    std::string region{};              ///< empty: that of the first zone, or of a regional template
    std::vector<std::string> machine_types{};  ///< globs ("n2-*"); none: all that suit the image
    int max_size = 1000;                       ///< of each group that is made
    Labels labels{};                           ///< more labels of Google's on their machines
    TemplateConfig templates{};
};

}  // namespace capstan::gce
