#include "autoscaler/dump/aliases.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/well_known.hpp>
#include <capstan/whole_number.hpp>

#include "kubernetes/objects/in_tree_volumes.hpp"

namespace capstan::autoscaler::dump {
namespace {

using namespace std::string_view_literals;

constexpr std::array own_names{"default"sv,
                               "kube-node-lease"sv,
                               "kube-public"sv,
                               "kube-system"sv,
                               "kube-proxy"sv,
                               "default-scheduler"sv,
                               "system-cluster-critical"sv,
                               "system-node-critical"sv,
                               well_known::no_provisioner,
                               "virtual-kubelet"sv,
                               "true"sv,
                               "false"sv};

/// Keys without a domain that mean something to Kubernetes, to a cloud or to an autoscaler.
constexpr std::array known_keys{"metadata.name"sv,
                                "type"sv,
                                "lifecycle"sv,
                                "node-lifecycle"sv,
                                "agentpool"sv,
                                "aksEngineVersion"sv,
                                "creationSource"sv,
                                "poolName"sv,
                                "resourceNameSuffix"sv,
                                "CriticalAddonsOnly"sv,
                                "NodeWithImpairedVolumes"sv,
                                "ToBeDeletedByClusterAutoscaler"sv,
                                "BeingDeletedByClusterAutoscaler"sv,
                                "DeletionCandidateOfClusterAutoscaler"sv};

constexpr std::array known_domains{
    "kubernetes.io"sv, "k8s.io"sv,      "x-k8s.io"sv,     "k8s.aws"sv,          "csi.aws.com"sv,
    "amazonaws.com"sv, "eksctl.io"sv,   "karpenter.sh"sv, "cloud.google.com"sv, "gke.io"sv,
    "azure.com"sv,     "zalando.org"sv, "nvidia.com"sv,   "amd.com"sv,          "intel.com"sv};

/// Known domains under which users name what they like.
constexpr std::array open_domains{"node-role.kubernetes.io"sv,
                                  "node-restriction.kubernetes.io"sv,
                                  "ignore-taint.cluster-autoscaler.kubernetes.io"sv,
                                  "startup-taint.cluster-autoscaler.kubernetes.io"sv,
                                  "status-taint.cluster-autoscaler.kubernetes.io"sv,
                                  "delay-deletion.cluster-autoscaler.kubernetes.io"sv};
constexpr std::array own_roles{"control-plane"sv, "master"sv};

/// Keys whose values are from a small, well-known set, and stay.
constexpr std::array public_keys{well_known::arch_label,
                                 well_known::beta_arch_label,
                                 well_known::os_label,
                                 well_known::beta_os_label,
                                 well_known::instance_type_label,
                                 well_known::beta_instance_type_label,
                                 well_known::windows_build_label,
                                 well_known::lifecycle_label,
                                 "lifecycle"sv,
                                 "node-lifecycle"sv,
                                 well_known::capacity_type_label,
                                 "eks.amazonaws.com/capacityType"sv,
                                 "cloud.google.com/gke-spot"sv,
                                 "cloud.google.com/gke-preemptible"sv,
                                 "cloud.google.com/gke-provisioning"sv,
                                 "cloud.google.com/gke-accelerator"sv,
                                 "kubernetes.azure.com/scalesetpriority"sv,
                                 "zalando.org/scaling-priority"sv};

constexpr std::string_view local_volumes = well_known::safe_to_evict_volumes_annotation;

bool is_among(const auto& list, std::string_view text) {
    return std::ranges::find(list, text) != list.end();
}

bool is_known_key(std::string_view key) {
    const std::size_t slash = key.find('/');
    return slash == std::string_view::npos ? is_among(known_keys, key)
                                           : is_known_domain(key.substr(0, slash));
}

/// Whether the text is a number of at most ten digits. A longer one could be an account's id.
bool is_small_number(std::string_view text) {
    constexpr std::size_t longest = 10;
    return text.size() <= longest && find_whole_number(text).has_value();
}

}  // namespace

bool is_known_domain(std::string_view domain) {
    return std::ranges::any_of(known_domains, [&](std::string_view known) {
        return domain == known ||
               (domain.ends_with(known) && domain[domain.size() - known.size() - 1] == '.');
    });
}

std::string Aliases::of(std::string_view text) {
    if (text.empty() || is_among(own_names, text) || kubernetes::objects::is_migration_name(text))
        return std::string(text);
    if (const auto set = sets_.find(text); set != sets_.end())
        return of(set->second) + std::string(text.substr(set->second.size()));
    auto at = aliases_.find(text);
    if (at == aliases_.end()) at = aliases_.emplace(text, "").first;
    // The prefix stays because the engine recognizes kube-proxy's DaemonSet by this part of its
    // name.
    constexpr std::string_view proxy = "kube-proxy";
    return text.starts_with(proxy) ? std::string(proxy) + "-" + at->second : at->second;
}

std::string Aliases::of_key(std::string_view key) {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) return is_known_key(key) ? std::string(key) : of(key);
    const std::string_view domain = key.substr(0, slash), name = key.substr(slash + 1);
    if (!is_known_domain(domain)) return of(domain) + "/" + of(name);
    const bool is_open = is_among(open_domains, domain) && !is_among(own_roles, name);
    return is_open ? std::string(domain) + "/" + of(name) : std::string(key);
}

std::string Aliases::of_value(std::string_view key, std::string_view value) {
    const bool may_be_number = is_known_key(key) || ordered_keys_.contains(key);
    if (is_among(public_keys, key) || (may_be_number && is_small_number(value)))
        return std::string(value);
    return of(value);
}

std::string Aliases::of_annotation(std::string_view key, std::string_view value) {
    if (key == kubernetes::objects::migrated_plugins_annotation) return std::string(value);
    if (key == local_volumes) {
        std::string out;
        while (!value.empty()) {
            const std::size_t end = std::min(value.find_first_of(", "), value.size());
            out +=
                of(value.substr(0, end)) + (end < value.size() ? std::string(1, value[end]) : "");
            value.remove_prefix(std::min(end + 1, value.size()));
        }
        return out;
    }
    return is_small_number(value) || parse_duration(value) ? std::string(value) : of(value);
}

void Aliases::keep_number(std::string_view pod, std::string_view set) {
    const bool is_numbered = pod.size() > set.size() + 1 && pod.starts_with(set) &&
                             pod[set.size()] == '-' &&
                             find_whole_number(pod.substr(set.size() + 1)).has_value();
    if (is_numbered) sets_.emplace(pod, set);
}

void Aliases::number() {
    const std::size_t width = std::to_string(aliases_.size()).size();
    std::size_t count = 0;
    for (auto& [text, alias] : aliases_) {
        const std::string digits = std::to_string(++count);
        alias = "x" + std::string(width - digits.size(), '0') + digits;
    }
}

}  // namespace capstan::autoscaler::dump
