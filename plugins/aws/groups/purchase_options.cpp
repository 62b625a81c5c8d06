#include "purchase_options.hpp"

#include <algorithm>

namespace capstan::aws {
namespace {

/// The price of an instance type with the group's purchase options, in the most expensive zone.
std::optional<Price> price_of_type(const PriceTable& prices, const AutoScalingGroup& group,
                                   const GroupTerms& terms, const std::string& type) {
    std::optional<Price> out;
    for (const std::string& zone : group.zones) {
        Price here;
        double sum = 0;
        for (const bool spot : {false, true}) {
            const double share = spot ? 1 - terms.on_demand_share : terms.on_demand_share;
            if (share <= 0) continue;
            const std::optional<Price> price = prices.find(type, zone, spot);
            if (!price || !price->per_hour) return std::nullopt;
            here.currency = price->currency;
            sum += share * *price->per_hour;
        }
        here.per_hour = sum;
        if (!out || out->per_hour < sum) out = here;
    }
    return out;
}

}  // namespace

GroupTerms terms_of(const AutoScalingGroup& group, const LaunchTemplateData* launched) {
    if (group.mixed) {
        const int share = std::clamp(group.mixed->on_demand_percentage, 0, 100);
        GroupTerms out{.spot = share < 100, .on_demand_share = share / 100.0};
        const bool is_pure = share == 100 || (share == 0 && group.mixed->on_demand_base == 0);
        if (is_pure) out.machine_spot = out.spot;
        return out;
    }
    if (launched == nullptr) return {};
    return {.spot = launched->spot,
            .machine_spot = launched->spot,
            .on_demand_share = launched->spot ? 0.0 : 1.0};
}

std::optional<Price> price_of_group(const PriceTable& prices, const AutoScalingGroup& group,
                                    const GroupTerms& terms,
                                    const std::vector<std::string>& types) {
    std::optional<Price> out;
    for (const std::string& type : types) {
        const std::optional<Price> price = price_of_type(prices, group, terms, type);
        if (!price) return std::nullopt;
        if (!out || out->per_hour < price->per_hour) out = price;
    }
    return terms.spot ? out : std::nullopt;
}

}  // namespace capstan::aws
