/// The names and tags of groups that this plugin makes, which distinguish them from all others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/result.hpp>
#include <capstan/taints.hpp>

#include "provisioning_config.hpp"

namespace capstan::aws {

/// Tag of groups, launch templates and instances; the value is the cluster's name.
inline constexpr std::string_view made_for_tag = "capstan.io/made-for";
/// Tag of groups; the value is digest_of the plan.
inline constexpr std::string_view plan_tag = "capstan.io/plan";

/// "nodeautoprovisioning-aws-m5-large-eu-central-1a-1a2b3c4d.prod": the plan's name and the
/// cluster's, since an account may have several clusters. At most 128 characters, the limit of
/// launch templates. A longer name is truncated and ends with a hash of the cluster's name.
std::string name_of_made_group(std::string_view plan_name, std::string_view cluster);

/// Whether this plugin made the group or launch template with these tags for that cluster.
bool is_made_for(const Labels& tags, std::string_view cluster) noexcept;

/// A hash of the plan's machine type, zone, spot, labels and taints: 16 hexadecimal digits.
std::string digest_of(const GroupPlan& plan);

/// The labels that nodes have by their capacity type:
///     spot       ->  eks.amazonaws.com/capacityType=SPOT, node.kubernetes.io/lifecycle=spot
///     on demand  ->  eks.amazonaws.com/capacityType=ON_DEMAND
Labels capacity_type_labels(bool spot);

/// The tags of a group that is made: upstream's node-template tags for labels and taints, those
/// that let the discovery find the group, and Capstan's. `unsupported`: AWS's limits of number or
/// length are exceeded, or two taints have one key.
struct MadeTags {
    Labels own{};         ///< of the group only
    Labels propagated{};  ///< of the group and its instances
    Labels all() const;
};
Result<MadeTags> make_tags(const GroupPlan& plan, const Labels& labels, const MakingConfig& config);

/// The tag expression that finds groups that were made. It is used if the settings configure no
/// discovery.
std::vector<TagFilter> discovery_of_made_groups(std::string_view cluster);

}  // namespace capstan::aws
