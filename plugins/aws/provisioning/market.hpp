/// What groups could be made of: types in zones, on demand and spot, with the image that the
/// launch template of the settings names.
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

#include "../api/auto_scaling.hpp"
#include "../api/ec2.hpp"
#include "../templates/price_table.hpp"
#include "../templates/type_table.hpp"
#include "bootstrap.hpp"
#include "made_group.hpp"
#include "making_config.hpp"

namespace capstan::aws {

/// All that was read of the account.
struct MarketFacts {
    LaunchTemplateData source{};  ///< of the settings' launch template
    std::optional<Image> image{};
    std::vector<Subnet> subnets{};
    std::vector<std::pair<std::string, std::string>> offerings{};  ///< type and zone
    std::shared_ptr<const TypeTable> types{};                      ///< not NULL
    std::shared_ptr<const PriceTable> prices{};                    ///< NULL: none are known
};

/// One group that could be, with all that AWS would be told to make it.
struct PossibleGroup {
    AutoScalingGroup group{};  ///< as AWS would list it
    PlannedGroup planned{};
    Ec2Api::NewLaunchTemplate launch_template{};
    AutoScalingApi::NewGroup request{};
};

/// [any] Immutable once made.
class Market {
public:
    /// `invalid_config`: no group can be made of such a launch template, with the reason.
    static Result<Market> make(MarketFacts facts, MakingConfig config);

    /// Types by name; of each those zones in which AWS offers it and a subnet is.
    MachineTypes machine_types() const;
    /// `unsupported`: it is not on offer, or its nodes would not be what the plan wants.
    Result<PossibleGroup> make_group(const GroupPlan& plan) const;
    /// Sentences about what keeps offers away: globs that match nothing, no subnet.
    const std::vector<std::string>& complaints() const noexcept { return complaints_; }

private:
    struct Node {
        GroupTemplate made{};
        MadeTags tags{};
        std::string user_data{};  ///< base64
    };
    Market(MarketFacts facts, MakingConfig config);
    void choose_types();
    bool suits_image(const InstanceType& type) const;
    bool is_offered(const InstanceType& type, const std::string& zone, bool spot) const;
    std::optional<Price> price_of(const std::string& type, const std::string& zone,
                                  bool spot) const;
    /// Labels that machines on these terms are given, if there is a way to give them any.
    Labels given_labels(const GroupPlan& plan) const;
    AutoScalingGroup group_of(const GroupPlan& plan, const MadeTags& tags) const;
    Result<Node> node_of(const GroupPlan& plan, const InstanceType& type) const;
    Result<Node> checked_node_of(const GroupPlan& plan) const;
    Result<std::string> user_data_of(const GroupPlan& plan, const Labels& tags) const;
    TemplateSources sources_of(AutoScalingGroup group, const InstanceType& type,
                               const std::string& user_data) const;
    NodeGroup listed_as(const AutoScalingGroup& group, const GroupPlan& plan,
                        const NodeTemplate& node) const;
    std::optional<MachineType> offer_type(const InstanceType& type) const;

    MarketFacts facts_{};
    MakingConfig config_{};
    std::string user_data_{};  ///< decoded
    Bootstrap bootstrap_ = Bootstrap::unknown;
    std::map<std::string, std::vector<std::string>> subnets_by_zone_{};
    std::map<std::string, std::set<std::string>> zones_by_type_{};
    std::vector<std::string> complaints_{};
};

}  // namespace capstan::aws
