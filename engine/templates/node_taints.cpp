#include "engine/templates/node_taints.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include <capstan/well_known.hpp>

namespace capstan::engine::templates {
namespace {

using namespace std::string_view_literals;

constexpr std::array deletion_keys{
    "ToBeDeletedByClusterAutoscaler"sv,
    "BeingDeletedByClusterAutoscaler"sv,
    "capstan.io/leaving"sv,
};
constexpr std::array starting_keys{
    well_known::not_ready_taint,
    well_known::unreachable_taint,
    well_known::network_unavailable_taint,
    well_known::uninitialized_taint,
};
constexpr std::array condition_keys{
    well_known::unschedulable_taint,
    well_known::memory_pressure_taint,
    well_known::disk_pressure_taint,
    well_known::pid_pressure_taint,
    well_known::shutdown_taint,
    well_known::out_of_service_taint,
    "cloud.google.com/impending-node-termination"sv,
    "NodeWithImpairedVolumes"sv,
    "DeletionCandidateOfClusterAutoscaler"sv,
};
constexpr std::array startup_prefixes{
    well_known::startup_taint_prefix,
    well_known::ignore_taint_prefix,
};

/// By which agents name a taint that they remove: agent-not-ready of Cilium and of CSI drivers,
/// uninitialized of cloud controllers and Cluster API, unregistered of Karpenter.
constexpr std::array startup_suffixes{"not-ready"sv, "/uninitialized"sv, "/unregistered"sv};
/// Of the node readiness controller.
constexpr auto readiness_prefix = "readiness.k8s.io/"sv;

bool is_among(const auto& list, std::string_view key) {
    return std::ranges::find(list, key) != list.end();
}

bool starts_with_any(const auto& prefixes, std::string_view key) {
    return std::ranges::any_of(prefixes, [&](const auto& p) { return key.starts_with(p); });
}

}  // namespace

bool is_deletion_taint(std::string_view key) noexcept { return is_among(deletion_keys, key); }

bool is_well_known_startup_taint(std::string_view key) noexcept {
    return key.starts_with(readiness_prefix) ||
           std::ranges::any_of(startup_suffixes,
                               [&](std::string_view suffix) { return key.ends_with(suffix); });
}

bool is_starting_taint(std::string_view key, const Settings& settings) noexcept {
    return is_among(starting_keys, key) || starts_with_any(startup_prefixes, key) ||
           is_among(settings.startup_taints, key) ||
           (settings.well_known_startup_taints && is_well_known_startup_taint(key)) ||
           starts_with_any(settings.startup_taint_prefixes, key);
}

bool is_passing_taint(std::string_view key, const Settings& settings) {
    return is_deletion_taint(key) || is_among(condition_keys, key) ||
           is_starting_taint(key, settings) || key.starts_with(well_known::status_taint_prefix) ||
           is_among(settings.status_taints, key);
}

std::string_view kind_of_taint(std::string_view key, const Settings& settings) noexcept {
    if (key.starts_with(well_known::ignore_taint_prefix)) return well_known::ignore_taint_prefix;
    const bool is_well_known =
        is_deletion_taint(key) || is_among(starting_keys, key) || is_among(condition_keys, key);
    if (is_well_known) return key;
    if (is_starting_taint(key, settings)) return "startup-taint";
    return is_passing_taint(key, settings) ? "status-taint" : "other";
}

std::vector<Taint> lasting_taints(const std::vector<Taint>& taints, const Settings& settings) {
    std::vector<Taint> out;
    std::ranges::copy_if(taints, std::back_inserter(out), [&](const Taint& taint) {
        return !is_passing_taint(taint.key, settings);
    });
    return out;
}

}  // namespace capstan::engine::templates
