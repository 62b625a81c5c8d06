/// What groups could be made of: types in zones, on demand and spot, with the image of the instance
/// template that the settings name.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
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
    /// Where the source has accelerators; of a zone that is not there nothing is known.
    std::map<std::string, std::vector<LookupApi::AcceleratorType>> accelerators_by_zone{};
    std::shared_ptr<const PriceTable> prices{};  ///< NULL: none are known
};

/// One group that could be, with all that Google would be told to make it.
struct PossibleGroup {
    ManagedGroup group{};  ///< as Google would list it
    PlannedGroup planned{};
    ResourceLink template_link{};
    Json template_properties{};
    std::string description{};
    ManagedGroupsApi::NewGroup request{};
};

/// [any] Immutable once made.
class Market {
public:
    /// `invalid_config`: no group can be made of such an instance template, with the reason.
    static Result<Market> make(MarketFacts facts, MakingConfig config);

    /// Types by name; of each those zones in which there is one.
    const MachineTypes& machine_types() const noexcept { return offers_; }
    /// `unsupported`: it is not on offer, or its nodes would not be what the plan wants. Of this
    /// alone there are thousands in a pass.
    Result<PlannedGroup> plan_group(const GroupPlan& plan) const;
    /// The same with all that Google is told.
    Result<PossibleGroup> make_group(const GroupPlan& plan) const;
    /// Sentences about what keeps offers away: globs that match nothing, no zone.
    const std::vector<std::string>& complaints() const noexcept { return complaints_; }

private:
    struct Known {
        GceMachineType type{};
        std::set<std::string> zones{};
    };
    /// A zone, and whether it is spot.
    using Terms = std::pair<std::string, bool>;
    using LabelsByTerms = std::map<Terms, Labels>;

    Market(MarketFacts facts, MakingConfig config);
    void choose_types();
    bool choose(const std::string& glob);
    bool choose_custom(const std::string& name);
    void complain();
    void make_offers();
    /// Of each offer that there could be, what its nodes carry that others do not.
    LabelsByTerms find_labels_of_offers() const;
    std::optional<MachineType> offer_type(const Known& known, const LabelsByTerms& labels) const;
    /// Whether spot: each of the terms on which machines can be had.
    std::vector<bool> terms() const;

    const Known* find_offered(const GroupPlan& plan) const;
    Result<void> check_plan(const GroupPlan& plan) const;
    Result<const Known*> find_known(const GroupPlan& plan) const;
    Result<InstanceTemplate> template_of(const GroupPlan& plan, const GceMachineType& type,
                                         const InstanceTemplate& source) const;
    ManagedGroup group_of(const GroupPlan& plan, const InstanceTemplate& made) const;
    Result<NodeTemplate> node_of(const GroupPlan& plan, const InstanceTemplate& made,
                                 const GceMachineType& type) const;
    Result<NodeTemplate> bare_node_of(const GceMachineType& type, const Terms& terms) const;
    NodeGroup listed_as(const ManagedGroup& group, const GroupPlan& plan, const Known& known,
                        const InstanceTemplate& made, const NodeTemplate& node) const;
    std::optional<Price> price_of(const InstanceTemplate& made, const GceMachineType& type,
                                  bool spot) const;

    MarketFacts facts_{};
    MakingConfig config_{};
    InstanceTemplate theory_{};  ///< the source, with what a node is made of alone
    Labels source_labels_{};     ///< of the source's kube-env
    std::string arch_{};         ///< of the image
    std::map<std::string, Known> known_{};
    MachineTypes offers_{};  ///< by name
    std::vector<std::string> complaints_{};
};

}  // namespace capstan::gce
