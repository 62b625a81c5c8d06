/// What an Auto Scaling group's tags say of its nodes, under upstream's keys.
///
///     k8s.io/cluster-autoscaler/node-template/label/team = web        the label team=web
///     k8s.io/cluster-autoscaler/node-template/taint/dedicated = gpu:NoSchedule
///     k8s.io/cluster-autoscaler/node-template/taint/dedicated = NoSchedule    without a value
///     k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage = 100Gi
///
/// A tag that Kubernetes would not accept is left out, with a sentence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/resources.hpp>
#include <capstan/taints.hpp>

namespace capstan::aws {

inline constexpr std::string_view node_template_prefix = "k8s.io/cluster-autoscaler/node-template/";

struct NodeTags {
    Labels labels{};
    std::vector<Taint> taints{};  ///< in the order of their keys
    Resources resources{};
    std::vector<std::string> warnings{};
};
NodeTags read_node_tags(const Labels& tags);

/// Those of resources alone, as tags of an EKS node group may have them.
struct ResourceTags {
    Resources resources{};
    std::vector<std::string> warnings{};
};
ResourceTags read_resource_tags(const Labels& tags);

/// Whether a template depends on the tag: upstream's, but for options, and those that EKS sets.
bool is_template_tag(std::string_view key) noexcept;

}  // namespace capstan::aws
