/// What groups could be made of: types in zones, on demand and spot, with the image of the instance
/// template that the settings name.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/machine_type.hpp>
#include <capstan/result.hpp>

#include "../templates/price_table.hpp"
#include "making_config.hpp"

namespace capstan::gce {

/// All that was read of the project.
struct MarketFacts {
    InstanceTemplate source{};  ///< of the settings' instance template
    std::optional<GceImage> image{};
    std::map<std::string, std::vector<GceMachineType>> types_by_zone{};
    std::shared_ptr<const PriceTable> prices{};  ///< NULL: none are known
};

/// One group that could be, with all that Google would be told to make it.
struct PossibleGroup {
    ManagedGroup group{};  ///< as Google would list it
    PlannedGroup planned{};
    ResourceLink template_link{};
    Json template_properties{};
    ManagedGroupsApi::NewGroup request{};
};

/// [any] Immutable once made.
class Market {
public:
    /// `invalid_config`: no group can be made of such an instance template, with the reason.
    static Result<Market> make(MarketFacts facts, MakingConfig config);

    /// Types by name; of each those zones in which there is one.
    MachineTypes machine_types() const;
    /// `unsupported`: it is not on offer, or its nodes would not be what the plan wants.
    Result<PossibleGroup> make_group(const GroupPlan& plan) const;
    /// Sentences about what keeps offers away: globs that match nothing, no zone.
    const std::vector<std::string>& complaints() const noexcept { return complaints_; }

private:
    Market(MarketFacts facts, MakingConfig config);
    MarketFacts facts_{};
    MakingConfig config_{};
    std::vector<std::string> complaints_{};
};

}  // namespace capstan::gce
