/// What tells a group that this plugin made from all others: its name and its tags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/labels.hpp>
#include <capstan/machine_type.hpp>
#include <capstan/result.hpp>
#include <capstan/taints.hpp>

#include "making_config.hpp"

namespace capstan::aws {

/// On groups, launch templates and instances; its value is the cluster's name.
inline constexpr std::string_view made_for_tag = "capstan.io/made-for";
/// On groups: what of all plans this one is.
inline constexpr std::string_view plan_tag = "capstan.io/plan";

/// "nodeautoprovisioning-m5-large-eu-central-1a-1a2b3c4d.prod": the plan's name, which begins as
/// the host wants it, and the cluster, since an account may have several. At most 128 characters,
/// as launch templates take them; of a longer one the cluster's name is cut, and a hash tells it.
std::string name_of_made_group(std::string_view plan_name, std::string_view cluster);

/// Whether a group or launch template with these tags was made for that cluster, by this plugin.
bool is_made_for(const Labels& tags, std::string_view cluster) noexcept;

/// Equal for equal plans: sixteen hexadecimal digits of machine type, zone, terms, labels, taints.
std::string digest_of(const GroupPlan& plan);

/// Labels by which nodes on these terms are known:
///     spot       ->  eks.amazonaws.com/capacityType=SPOT, node.kubernetes.io/lifecycle=spot
///     on demand  ->  eks.amazonaws.com/capacityType=ON_DEMAND
Labels capacity_type_labels(bool spot);

/// Tags that list a group with its labels and taints: those of upstream's templates, those of the
/// discovery, and ours. `unsupported`: more of them, or longer ones, than AWS takes.
struct MadeTags {
    Labels own{};         ///< of the group alone
    Labels propagated{};  ///< of its machines, too
    Labels all() const;
};
Result<MadeTags> make_tags(const GroupPlan& plan, const Labels& labels, const MakingConfig& config);

/// What the discovery has to ask for besides where no tag expression is configured, so that groups
/// that were made are listed.
std::vector<TagFilter> discovery_of_made_groups(std::string_view cluster);

}  // namespace capstan::aws
