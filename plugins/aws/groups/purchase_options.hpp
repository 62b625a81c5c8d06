/// The purchase options of a group's instances (spot or on demand), and what an instance costs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/node_group.hpp>

#include "../api/auto_scaling.hpp"
#include "../templates/price_table.hpp"

namespace capstan::aws {

struct GroupTerms {
    std::optional<bool> spot{};          ///< whether at least some instances are spot
    std::optional<bool> machine_spot{};  ///< whether each instance is spot; absent: it varies
    double on_demand_share = 1;          ///< of new instances, from 0 to 1
};

/// By the group's mixed instances policy, or else by its launch template or configuration.
/// `launched`: NULL if that is not known.
GroupTerms terms_of(const AutoScalingGroup& group, const LaunchTemplateData* launched);

/// The highest price of a new node over all instance types and zones. The prices of on demand and
/// spot are weighted by their shares. Absent if a price, or whether there is spot, is unknown.
std::optional<Price> price_of_group(const PriceTable& prices, const AutoScalingGroup& group,
                                    const GroupTerms& terms, const std::vector<std::string>& types);

}  // namespace capstan::aws
