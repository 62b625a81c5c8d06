/// The template of a new node of an Auto Scaling group.
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

/// How a template counts several instance types: `minimum` takes the least of each resource over
/// all types; `first` takes the first type alone, as upstream does. `NodeTemplate::variants` counts
/// all types in either case.
enum class MixedTemplate : std::uint8_t { minimum, first };

struct TemplateConfig {
    std::string region{};
    MixedTemplate mixed = MixedTemplate::minimum;
    bool prefix_delegation = false;  ///< whether the VPC CNI gives nodes prefixes
    /// Replaces the computed number of pods. A tag of the group and its user data take precedence.
    std::optional<int> max_pods{};
};

/// All that is known of a group. Parts that could not be read are absent.
struct TemplateSources {
    AutoScalingGroup group{};
    /// The group's instance types in its order. Empty if they are unknown; then the minimum of
    /// `requirements` counts.
    std::vector<InstanceType> types{};
    std::optional<InstanceRequirements> requirements{};
    std::optional<LaunchTemplateData> launch_template{};
    std::optional<Image> image{};
    std::optional<EksNodegroup> nodegroup{};
    Labels zone_ids{};  ///< "use1-az4" by "us-east-1a", of the zones with a known id
};

struct GroupTemplate {
    NodeTemplate node{};
    std::vector<std::string> warnings{};  ///< sentences without the group's name: a bad tag
};

/// A node of a group with several instance types may be of any of them. So the template promises
/// only what every type has, unless `mixed` is `first`. Pure.
///
///     c4.xlarge (4 cores, 7.5Gi) and r4.large (2 cores, 15.25Gi)  ->  2 cores, 7.5Gi
///
/// The least of each resource counts, for capacity and allocatable separately. A resource that one
/// of the types lacks is absent: a GPU that only some instances have is promised to no pod. The
/// labels of type and architecture are present only if all types agree.
///
/// Precedence of labels and taints: those of the EKS node group, which its kubelets register; then
/// those of tags; then what is known of the machine. A resource of a tag is capacity and
/// allocatable in full. The reserves of kubelet are subtracted from other resources; those of cpu
/// and memory only for Linux images made for EKS. `free` is without a static kube-proxy (100m of
/// cpu, one pod), as upstream's, unless the machines are made for EKS, where kube-proxy is a
/// DaemonSet.
///
/// In a group of several zones the node is in the first zone by name.
///
/// `unavailable`: neither types nor requirements are known. `unsupported`: a taint of EKS has an
/// unknown effect.
Result<GroupTemplate> make_template(const TemplateSources& sources, const TemplateConfig& config);

/// A hash of all that `make_template` uses: while it stays the same, so does the template. The
/// order of unordered lists does not matter. Cheap enough for each refresh.
std::string fingerprint_of(const TemplateSources& sources, const TemplateConfig& config);

/// The options that a group's tags
/// (`k8s.io/cluster-autoscaler/node-template/autoscaling-options/...`) set, and a warning for each
/// tag that cannot be read. Durations, numbers and booleans have upstream's syntax.
///
///     .../scaledownunneededtime = 10m        .../scaledownutilizationthreshold = 0.5
///     .../scaledownunreadytime               .../scaledowngpuutilizationthreshold
///     .../maxnodeprovisiontime               .../ignoredaemonsetsutilization = true
///                                            .../zeroormaxnodescaling
struct TaggedOptions {
    std::optional<GroupOptions> options{};  ///< absent: no tag sets an option
    std::vector<std::string> warnings{};
};
TaggedOptions read_option_tags(const Labels& tags);

}  // namespace capstan::aws
