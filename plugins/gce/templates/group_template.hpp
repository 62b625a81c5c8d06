/// What a new node of a managed instance group will be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <capstan/node_group.hpp>
#include <capstan/node_template.hpp>

#include "../api/instance_template.hpp"
#include "../api/machine_types.hpp"
#include "../api/managed_groups.hpp"

namespace capstan::gce {

struct TemplateConfig {
    /// Where kube-env does not say how many, in place of 110.
    std::optional<int> max_pods{};
};

/// All that is known of a group. What could not be read is absent, and said in `warnings` of the
/// result.
struct TemplateSources {
    ManagedGroup group{};
    InstanceTemplate instance_template{};
    /// As compute tells of it, or nothing: a custom type, whose name says all ("n2-custom-4-8192"),
    /// and a type that could not be read.
    std::optional<GceMachineType> machine_type{};
    std::optional<GceImage> image{};  ///< of the boot disk
};

struct GroupTemplate {
    NodeTemplate node{};
    std::vector<std::string> warnings{};  ///< sentences without the group's name
};

/// Pure. The reference's tables: kernel, operating system, kube-reserved, eviction; local SSDs;
/// labels and taints of kube-env. In a regional group the node is in the first of its zones by
/// name.
///
/// `unavailable`: cpu and memory of the machine type are not known. `unsupported`: kube-env asks
/// for an operating system, or local SSDs, that there are not.
Result<GroupTemplate> make_template(const TemplateSources& sources, const TemplateConfig& config);

/// A short text over all that `make_template` looks at, the same for the same in whatever order. Of
/// the instance template it is link and id alone, since those never change.
std::string fingerprint_of(const TemplateSources& sources, const TemplateConfig& config);

/// Options of a group by the `autoscaling_options` of kube-env, and a sentence for each that cannot
/// be read.
struct KubeEnvOptions {
    std::optional<GroupOptions> options{};  ///< nothing: there are none
    std::vector<std::string> warnings{};
};
KubeEnvOptions read_kube_env_options(const InstanceTemplate& from);

/// "n2-custom-4-8192", "custom-2-4096", "n2-custom-8-65536-ext", "e2-custom-small-2048": its
/// figures; nothing: it is no custom type. `invalid_argument`: it looks like one and is none.
Result<std::optional<GceMachineType>> parse_custom_type(const std::string& name);

/// "n2" of "n2-standard-4", "n1" of "custom-2-4096".
std::string family_of(const std::string& machine_type);

/// The architecture of a machine family ("arm64" of t2a, c4a, n4a, a4x), "amd64" otherwise.
std::string arch_of_family(const std::string& family);

/// What of a plan's labels and taints goes into kube-env, so that kubelet registers with them, for
/// a group that is made from another one's instance template: NODE_LABELS, and node_labels and
/// node_taints of AUTOSCALER_ENV_VARS, with what kube-env has of its own. `unsupported`: there is
/// no kube-env, or it cannot be written.
Result<std::string> write_kube_env(const std::string& kube_env, const Labels& labels,
                                   const std::vector<Taint>& taints);

/// `kube_env` with those variables alone that templates, options and write_kube_env read: what they
/// say is the same, and takes a hundredth of the time to read. As it is where it cannot be read.
std::string shorten_kube_env(const std::string& kube_env);

}  // namespace capstan::gce
