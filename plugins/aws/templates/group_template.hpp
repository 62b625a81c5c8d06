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

/// Of several types: the least of each resource over all of them, or the first of them alone, as
/// upstream has it. `NodeTemplate::variants` counts all types in either case.
enum class MixedTemplate : std::uint8_t { minimum, first };

struct TemplateConfig {
    std::string region{};
    MixedTemplate mixed = MixedTemplate::minimum;
    bool prefix_delegation = false;  ///< of the VPC CNI: pods by prefixes
    /// In place of what is computed; a group's tag and its user data come before.
    std::optional<int> max_pods{};
};

/// All that is known of a group. What could not be read is absent, and said in `warnings` of the
/// result.
struct TemplateSources {
    AutoScalingGroup group{};
    /// Of the group, resolved, in its order. Empty: they could not be told; then the least that
    /// `requirements` ask for counts.
    std::vector<InstanceType> types{};
    std::optional<InstanceRequirements> requirements{};
    std::optional<LaunchTemplateData> launch_template{};
    std::optional<Image> image{};
    std::optional<EksNodegroup> nodegroup{};
    Labels zone_ids{};  ///< "use1-az4" by "us-east-1a", of the zones whose id is known
};

struct GroupTemplate {
    NodeTemplate node{};
    std::vector<std::string> warnings{};  ///< sentences without the group's name: a bad tag
};

/// Pure.
///
///     c4.xlarge (4 cores, 7.5Gi) and r4.large (2 cores, 15.25Gi)  ->  2 cores, 7.5Gi
///
/// Of several types each resource is the least, capacity and allocatable apart, and one that a type
/// has none of is none of the template's: a GPU that only some machines have is promised to no pod.
/// A label of the machine (its type or architecture) is there where all types agree.
///
/// Of labels, a tag's comes before what is known of the machine, and the node group's own, which
/// its kubelets register, before a tag's. Of taints with one key and effect the node group's
/// counts. Resources that a tag names have its amount, allocatable as a whole. What of them kubelet
/// keeps is taken off otherwise, where the image is one made for EKS. `free` lacks a static
/// kube-proxy (100m), as upstream has it, unless the image is one made for EKS, where it is a
/// DaemonSet.
///
/// In a group of several zones the node is in the first of them by name.
///
/// `unavailable`: neither types nor requirements are known. `unsupported`: a taint of EKS has an
/// unknown effect.
Result<GroupTemplate> make_template(const TemplateSources& sources, const TemplateConfig& config);

/// A short text over all that `make_template` looks at, the same for the same in whatever order:
/// while it stays, so does the template. Cheap, for each refresh.
std::string fingerprint_of(const TemplateSources& sources, const TemplateConfig& config);

/// Options of a group by its tags
/// (`k8s.io/cluster-autoscaler/node-template/autoscaling-options/...`), and a sentence for each
/// that cannot be read. Durations, shares and truths are written as upstream reads them.
///
///     .../scaledownunneededtime = 10m        .../scaledownutilizationthreshold = 0.5
///     .../scaledownunreadytime               .../scaledowngpuutilizationthreshold
///     .../maxnodeprovisiontime               .../ignoredaemonsetsutilization = true
///                                            .../zeroormaxnodescaling
struct TaggedOptions {
    std::optional<GroupOptions> options{};  ///< nothing: there is no such tag
    std::vector<std::string> warnings{};
};
TaggedOptions read_option_tags(const Labels& tags);

}  // namespace capstan::aws
