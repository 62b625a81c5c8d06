/// The labels of each cloud that differ between zones, hosts and pools, and so say nothing about
/// the kind of a node.
#pragma once

#include <string_view>
#include <vector>

namespace capstan::similarity {

struct Preset {
    std::string_view name;
    std::vector<std::string_view> ignore;
    std::vector<std::string_view> same;  ///< see LabelsConfig::same
};

/// "generic", "aws", "azure", "gce" and "proposal", in this order.
const std::vector<Preset>& presets();

/// The preset of that name; nullptr: there is none.
const Preset* find_preset(std::string_view name);

}  // namespace capstan::similarity
