#include "engine/templates/well_known_labels.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/well_known.hpp>

namespace capstan::engine::templates {
namespace {

struct WellKnown {
    std::string_view key, old_key;
    std::string NodeTemplate::* field;  ///< NULL: NodeTemplate has no such field
};

constexpr std::array known_labels{
    WellKnown{well_known::arch_label, well_known::beta_arch_label, &NodeTemplate::arch},
    WellKnown{well_known::os_label, well_known::beta_os_label, &NodeTemplate::os},
    WellKnown{well_known::instance_type_label, well_known::beta_instance_type_label,
              &NodeTemplate::machine_type},
    WellKnown{well_known::zone_label, well_known::beta_zone_label, &NodeTemplate::zone},
    WellKnown{well_known::region_label, well_known::beta_region_label, nullptr},
};
constexpr const WellKnown& machine_type = known_labels[2];

/// The value under the present key, else under the deprecated key; empty: there is neither.
std::string value_of(const Labels& labels, const WellKnown& label) {
    for (const std::string_view key : {label.key, label.old_key}) {
        if (const auto at = labels.find(key); at != labels.end()) return at->second;
    }
    return {};
}

}  // namespace

MachineTypeFinder::MachineTypeFinder(const snapshot::Cluster& cluster)
    : label_(cluster, machine_type.key), old_label_(cluster, machine_type.old_key) {}

void fill_fields(NodeTemplate& node) {
    for (const WellKnown& label : known_labels) {
        if (label.field == nullptr || !(node.*label.field).empty()) continue;
        node.*label.field = value_of(node.labels, label);
    }
}

void fill_labels(NodeTemplate& node) {
    for (const WellKnown& label : known_labels) {
        std::string value = value_of(node.labels, label);
        if (value.empty() && label.field != nullptr) value = node.*label.field;
        if (value.empty()) continue;
        node.labels.try_emplace(std::string(label.key), value);
        node.labels.try_emplace(std::string(label.old_key), value);
    }
}

bool is_filled_label(std::string_view key) noexcept {
    return key == well_known::hostname_label ||
           std::ranges::any_of(known_labels, [&](const WellKnown& label) {
               return key == label.key || key == label.old_key;
           });
}

namespace {

using MarkingLabel = std::pair<std::string_view, std::string_view>;

constexpr std::array<MarkingLabel, 10> spot_labels{{
    {well_known::capacity_type_label, "spot"},
    {well_known::lifecycle_label, "spot"},
    {"node-lifecycle", "spot"},
    {"lifecycle", "spot"},
    {"lifecycle", "Ec2Spot"},
    {"eks.amazonaws.com/capacityType", "SPOT"},
    {"cloud.google.com/gke-spot", "true"},
    {"cloud.google.com/gke-preemptible", "true"},
    {"cloud.google.com/gke-provisioning", "spot"},
    {"kubernetes.azure.com/scalesetpriority", "spot"},
}};

}  // namespace

bool is_spot(const Labels& labels) {
    return std::ranges::any_of(spot_labels, [&](const MarkingLabel& label) {
        const auto at = labels.find(std::string(label.first));
        return at != labels.end() && at->second == label.second;
    });
}

}  // namespace capstan::engine::templates
