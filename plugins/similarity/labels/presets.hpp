/// Which labels tell zones, hosts and pools apart rather than kinds of node, by cloud.
#pragma once

#include <string_view>
#include <vector>

namespace capstan::similarity {

struct Preset {
    std::string_view name;
    std::vector<std::string_view> ignore;
    std::vector<std::string_view> same;  ///< equal values of one of these decide
};

/// "generic", "aws", "azure", "gce" and "proposal", in this order.
const std::vector<Preset>& presets();

/// nullptr: there is none of that name.
const Preset* find_preset(std::string_view name);

}  // namespace capstan::similarity
