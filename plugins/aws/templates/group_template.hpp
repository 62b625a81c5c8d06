/// What a new node of an Auto Scaling group will be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/node_group.hpp>
#include <capstan/node_template.hpp>

#include "../api/auto_scaling.hpp"
#include "../api/ec2.hpp"
#include "../api/eks.hpp"
#include "../api/instance_type.hpp"

namespace capstan::aws {

/// Of several types: the least of each resource over all of them, or the first of them alone.
enum class MixedTemplate : std::uint8_t { minimum, first };

struct TemplateConfig {
    std::string region{};
    MixedTemplate mixed = MixedTemplate::minimum;
    bool prefix_delegation = false;  ///< of the VPC CNI: pods by prefixes
    std::optional<int> max_pods{};   ///< in place of what is computed
};

/// All that is known of a group. What could not be read is absent, and said in `warnings` of the
/// result.
struct TemplateSources {
    AutoScalingGroup group{};
    std::vector<InstanceType> types{};  ///< of the group, resolved; not empty
    std::optional<InstanceRequirements> requirements{};
    std::optional<LaunchTemplateData> launch_template{};
    std::optional<Image> image{};
    std::optional<EksNodegroup> nodegroup{};
};

struct GroupTemplate {
    NodeTemplate node{};
    std::vector<std::string> warnings{};  ///< sentences: a taint tag that is none, a bad quantity
};

/// Pure. An error: no node can be told from it, such as EKS taints of an unknown effect.
Result<GroupTemplate> make_template(const TemplateSources& sources, const TemplateConfig& config);

/// Options of a group by its tags
/// (`k8s.io/cluster-autoscaler/node-template/autoscaling-options/...`), and a sentence for each
/// that cannot be read.
struct TaggedOptions {
    std::optional<GroupOptions> options{};  ///< nothing: there is no such tag
    std::vector<std::string> warnings{};
};
TaggedOptions read_option_tags(const Labels& tags);

}  // namespace capstan::aws
