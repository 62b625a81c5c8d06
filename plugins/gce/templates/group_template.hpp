/// The template of a new node of a managed instance group.
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
    /// The number of pods if kube-env does not state it; absent: 110.
    std::optional<int> max_pods{};
};

/// All that is known of a group. Parts that could not be read are absent.
struct TemplateSources {
    ManagedGroup group{};
    InstanceTemplate instance_template{};
    /// From compute. Absent for a custom type (its name says everything: "n2-custom-4-8192"), and
    /// for a type that could not be read.
    std::optional<GceMachineType> machine_type{};
    std::optional<GceImage> image{};  ///< of the boot disk
};

struct GroupTemplate {
    NodeTemplate node{};
    std::vector<std::string> warnings{};  ///< sentences without the group's name
};

/// Computes the node that kubelet would register on a machine of the group: capacity is the
/// machine's less what the kernel takes, allocatable is capacity less kubelet's reserves and
/// eviction thresholds, and labels and taints are kube-env's and the machine's. The formulas are
/// upstream's; see README.md. Pure. In a regional group the node is in the first zone by name.
///
/// `unavailable`: cpu and memory of the machine type are not known. `invalid_config`: kube-env
/// cannot be parsed. `unsupported`: kube-env names an unknown operating system, or needs local SSDs
/// that the machine or image does not have.
Result<GroupTemplate> make_template(const TemplateSources& sources, const TemplateConfig& config);

/// A short text that changes whenever an input of `make_template` changes; the order of unordered
/// lists does not matter. Of the instance template only link, id and machine type are used, since
/// instance templates are immutable.
std::string fingerprint_of(const TemplateSources& sources, const TemplateConfig& config);

/// The options that `autoscaling_options` of kube-env sets, and a warning for each that cannot be
/// read.
struct KubeEnvOptions {
    std::optional<GroupOptions> options{};  ///< absent: kube-env sets no option
    std::vector<std::string> warnings{};
};
KubeEnvOptions read_kube_env_options(const InstanceTemplate& from);

/// The cores and memory in the name of a custom type: "n2-custom-4-8192", "custom-2-4096",
/// "n2-custom-8-65536-ext", "e2-custom-small-2048". Absent for the name of another type.
/// `invalid_argument`: the name has the form of a custom type and is malformed.
Result<std::optional<GceMachineType>> parse_custom_type(const std::string& name);

/// "n2" of "n2-standard-4", "n1" of "custom-2-4096".
std::string family_of(const std::string& machine_type);

/// The architecture of a machine family: "arm64" for t2a, c4a, n4a and a4x, else "amd64".
std::string arch_of_family(const std::string& family);

/// Adds labels and taints to a kube-env, so that kubelet registers nodes with them. It sets
/// NODE_LABELS, NODE_TAINTS, kubelet's arguments, and node_labels and node_taints of
/// AUTOSCALER_ENV_VARS; labels and taints that kube-env has already stay. `unsupported`: `kube_env`
/// is empty or has an invalid label or taint, or the result cannot be written.
Result<std::string> write_kube_env(const std::string& kube_env, const Labels& labels,
                                   const std::vector<Taint>& taints);

/// `kube_env` with only the variables that templates, options and write_kube_env use. It parses a
/// hundred times faster. Returns `kube_env` unchanged if it cannot be parsed.
std::string shorten_kube_env(const std::string& kube_env);

}  // namespace capstan::gce
