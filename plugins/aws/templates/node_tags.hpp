/// Labels, taints and resources of nodes by the tags of their Auto Scaling group, with upstream's
/// keys.
///
///     k8s.io/cluster-autoscaler/node-template/label/team = web        the label team=web
///     k8s.io/cluster-autoscaler/node-template/taint/dedicated = gpu:NoSchedule
///     k8s.io/cluster-autoscaler/node-template/taint/dedicated = NoSchedule    without a value
///     k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage = 100Gi
///
/// A tag that is not a valid label, taint or resource is ignored with a warning.
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
    std::vector<Taint> taints{};  ///< ascending by key
    Resources resources{};
    std::vector<std::string> warnings{};
};
NodeTags read_node_tags(const Labels& tags);

/// Only the resources; for the tags of an EKS node group.
struct ResourceTags {
    Resources resources{};
    std::vector<std::string> warnings{};
};
ResourceTags read_resource_tags(const Labels& tags);

/// Whether a template depends on the tag: it names a label, taint or resource, or EKS has set it.
bool is_template_tag(std::string_view key) noexcept;

}  // namespace capstan::aws
