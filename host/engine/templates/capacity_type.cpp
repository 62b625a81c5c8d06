#include "engine/templates/capacity_type.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/well_known.hpp>

namespace capstan::engine::templates {
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
