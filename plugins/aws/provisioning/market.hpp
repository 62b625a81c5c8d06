/// The offerings that groups can be made of: instance types in zones, on demand and spot, with the
/// launch template of the settings.
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
#include "autoprovisioned_group.hpp"
#include "bootstrap.hpp"
#include "provisioning_config.hpp"

namespace capstan::aws {

/// Everything read from the account that offerings depend on.
struct MarketFacts {
    LaunchTemplateData source{};  ///< the settings' launch template
    std::optional<Image> image{};
    std::vector<Subnet> subnets{};
    std::vector<std::pair<std::string, std::string>> offerings{};  ///< type and zone
    std::shared_ptr<const TypeTable> types{};                      ///< not NULL
    std::shared_ptr<const PriceTable> prices{};                    ///< NULL if unknown
};

/// A group for a plan, with the requests that would make it.
struct PossibleGroup {
    AutoScalingGroup group{};  ///< as AWS would list the group
    PlannedGroup planned{};
    Ec2Api::NewLaunchTemplate launch_template{};
    AutoScalingApi::NewGroup request{};
};

/// [any] Immutable once made.
class Market {
public:
    /// `invalid_config`: no group can be made from the launch template, with the reason.
    static Result<Market> make(MarketFacts facts, MakingConfig config);

    /// The types by name, each with the zones in which AWS offers the type and a subnet exists.
    MachineTypes machine_types() const;
    /// `unsupported`: the offering does not exist, or its nodes would not match the plan.
    Result<PossibleGroup> make_group(const GroupPlan& plan) const;
    /// Warnings about the offerings: globs that match nothing, no subnet, an unreadable image.
    const std::vector<std::string>& warnings() const noexcept { return warnings_; }

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
    /// The labels that the user data gives to nodes of the plan. None if the format of the user
    /// data is unknown.
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
    std::vector<std::string> warnings_{};
};

}  // namespace capstan::aws
