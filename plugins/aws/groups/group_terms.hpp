/// On which terms a group's machines are had, and what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <capstan/node_group.hpp>

#include "../api/auto_scaling.hpp"
#include "../templates/price_table.hpp"

namespace capstan::aws {

struct GroupTerms {
    std::optional<bool> spot{};          ///< some of its machines may be taken back
    std::optional<bool> machine_spot{};  ///< of each machine; nothing: not all are alike
    double on_demand_share = 1;          ///< of new machines, from 0 to 1
};

/// By the mixed instances policy, or else by what is launched; NULL: that is not known.
GroupTerms terms_of(const AutoScalingGroup& group, const LaunchTemplateData* launched);

/// The most that a new node costs: over the types, and for spot over the zones; on demand and spot
/// by their shares. Nothing: a price is not known.
std::optional<Price> price_of_group(const PriceTable& prices, const AutoScalingGroup& group,
                                    const GroupTerms& terms, const std::vector<std::string>& types);

}  // namespace capstan::aws
