/// The configuration of node auto-provisioning: `[plugin.gce.settings.provisioning]`, and the other
/// settings that it needs.
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
    std::vector<std::string> zones{};  ///< of new machines; empty: all zones of `region`
    std::string region{};  ///< empty: that of a regional instance template, or of its subnetwork
    std::vector<std::string> machine_types{};  ///< globs ("n2-*"); none: all that suit the image
    int max_size = 1000;                       ///< of each group that is made
    Labels labels{};                           ///< additional labels of machines at Google
    TemplateConfig templates{};
};

}  // namespace capstan::gce
