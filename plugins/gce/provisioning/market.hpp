/// The offerings that groups can be made of: machine types in zones, on demand and spot, with the
/// instance template of the settings.
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
#include "provisioning_config.hpp"

namespace capstan::gce {

/// Everything read from the project that offerings depend on.
struct MarketFacts {
    InstanceTemplate source{};  ///< the settings' instance template
    std::optional<GceImage> image{};
    std::map<std::string, std::vector<GceMachineType>> types_by_zone{};
    /// Only read if the source has accelerators; a zone without an entry is unknown.
    std::map<std::string, std::vector<LookupApi::AcceleratorType>> accelerators_by_zone{};
    std::shared_ptr<const PriceTable> prices{};  ///< NULL if unknown
};

/// A group for a plan, with the requests that would make it.
struct PossibleGroup {
    ManagedGroup group{};  ///< as Google would list the group
    PlannedGroup planned{};
    ResourceLink template_link{};
    Json template_properties{};
    std::string description{};
    ManagedGroupsApi::NewGroup request{};
};

/// [any] Immutable once made.
class Market {
public:
    /// `invalid_config`: no group can be made from the instance template, with the reason.
    static Result<Market> make(MarketFacts facts, MakingConfig config);

    /// The types by name, each with the zones that have the type.
    const MachineTypes& machine_types() const noexcept { return machine_types_; }
    /// `unsupported`: the offering does not exist, or its nodes would not match the plan. Has to be
    /// fast, since a pass calls it thousands of times.
    Result<PlannedGroup> plan_group(const GroupPlan& plan) const;
    /// Like plan_group, with the requests to Google.
    Result<PossibleGroup> make_group(const GroupPlan& plan) const;
    /// Warnings about the offerings: globs that match nothing, no zone, an unreadable image.
    const std::vector<std::string>& warnings() const noexcept { return warnings_; }

private:
    struct OfferedType {
        GceMachineType type{};
        std::set<std::string> zones{};
    };
    /// A zone, and whether the offering is spot.
    using Terms = std::pair<std::string, bool>;
    using LabelsByTerms = std::map<Terms, Labels>;

    Market(MarketFacts facts, MakingConfig config);
    void choose_types();
    bool choose(const std::string& glob);
    bool choose_custom(const std::string& name);
    void add_warnings();
    void make_offers();
    /// For each zone and provisioning model, the labels of nodes that differ between them.
    LabelsByTerms find_labels_of_offers() const;
    std::optional<MachineType> offer_type(const OfferedType& known,
                                          const LabelsByTerms& labels) const;
    /// The provisioning models on offer, as values of `spot`.
    std::vector<bool> terms() const;

    const OfferedType* find_offered(const GroupPlan& plan) const;
    Result<void> check_plan(const GroupPlan& plan) const;
    Result<const OfferedType*> require_offered_type(const GroupPlan& plan) const;
    Result<InstanceTemplate> template_of(const GroupPlan& plan, const GceMachineType& type,
                                         const InstanceTemplate& source) const;
    ManagedGroup group_of(const GroupPlan& plan, const InstanceTemplate& made) const;
    Result<NodeTemplate> node_of(const GroupPlan& plan, const InstanceTemplate& made,
                                 const GceMachineType& type) const;
    Result<NodeTemplate> bare_node_of(const GceMachineType& type, const Terms& terms) const;
    NodeGroup listed_as(const ManagedGroup& group, const GroupPlan& plan, const OfferedType& known,
                        const InstanceTemplate& made, const NodeTemplate& node) const;
    std::optional<Price> price_of(const InstanceTemplate& made, const GceMachineType& type,
                                  bool spot) const;

    MarketFacts facts_{};
    MakingConfig config_{};
    InstanceTemplate template_source_{};  ///< the source with only what node templates depend on
    Labels source_labels_{};              ///< of the source's kube-env
    std::string arch_{};                  ///< of the image
    std::map<std::string, OfferedType> offered_types_{};
    MachineTypes machine_types_{};  ///< by name
    std::vector<std::string> warnings_{};
};

}  // namespace capstan::gce
