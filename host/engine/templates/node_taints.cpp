#include "engine/templates/node_taints.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace capstan::engine::templates {
namespace {

using namespace std::string_view_literals;

constexpr std::array deletion_keys{
    "ToBeDeletedByClusterAutoscaler"sv,
    "BeingDeletedByClusterAutoscaler"sv,
};
constexpr std::array starting_keys{
    "node.kubernetes.io/not-ready"sv,
    "node.kubernetes.io/unreachable"sv,
    "node.kubernetes.io/network-unavailable"sv,
    "node.cloudprovider.kubernetes.io/uninitialized"sv,
};
constexpr std::array condition_keys{
    "node.kubernetes.io/unschedulable"sv,
    "node.kubernetes.io/memory-pressure"sv,
    "node.kubernetes.io/disk-pressure"sv,
    "node.kubernetes.io/pid-pressure"sv,
    "node.cloudprovider.kubernetes.io/shutdown"sv,
    "cloud.google.com/impending-node-termination"sv,
    "NodeWithImpairedVolumes"sv,
    "DeletionCandidateOfClusterAutoscaler"sv,
};
constexpr std::string_view ignore_prefix = "ignore-taint.cluster-autoscaler.kubernetes.io/";
constexpr std::array startup_prefixes{
    "startup-taint.cluster-autoscaler.kubernetes.io/"sv,
    ignore_prefix,
};
constexpr std::string_view status_prefix = "status-taint.cluster-autoscaler.kubernetes.io/";

bool is_among(const auto& list, std::string_view key) {
    return std::ranges::find(list, key) != list.end();
}

bool starts_with_any(const auto& prefixes, std::string_view key) {
    return std::ranges::any_of(prefixes, [&](const auto& p) { return key.starts_with(p); });
}

bool is_transient_taint(std::string_view key, const Settings& settings) {
    return is_deletion_taint(key) || is_among(condition_keys, key) ||
           is_starting_taint(key, settings) || key.starts_with(status_prefix) ||
           is_among(settings.status_taints, key);
}

}  // namespace

bool is_deletion_taint(std::string_view key) noexcept { return is_among(deletion_keys, key); }

bool is_starting_taint(std::string_view key, const Settings& settings) noexcept {
    return is_among(starting_keys, key) || starts_with_any(startup_prefixes, key) ||
           is_among(settings.startup_taints, key) ||
           starts_with_any(settings.startup_taint_prefixes, key);
}

std::string_view kind_of_taint(std::string_view key, const Settings& settings) noexcept {
    if (key.starts_with(ignore_prefix)) return ignore_prefix;
    const bool is_well_known =
        is_deletion_taint(key) || is_among(starting_keys, key) || is_among(condition_keys, key);
    if (is_well_known) return key;
    if (is_starting_taint(key, settings)) return "startup-taint";
    return is_transient_taint(key, settings) ? "status-taint" : "other";
}

std::vector<Taint> lasting_taints(const std::vector<Taint>& taints, const Settings& settings) {
    std::vector<Taint> out;
    std::ranges::copy_if(taints, std::back_inserter(out), [&](const Taint& taint) {
        return !is_transient_taint(taint.key, settings);
    });
    return out;
}

}  // namespace capstan::engine::templates
