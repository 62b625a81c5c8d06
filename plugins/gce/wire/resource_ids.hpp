/// The ids of node groups and machines that the host and the cluster use, and the links that they
/// identify.
#pragma once

#include <string>
#include <string_view>

#include <capstan/result.hpp>

#include "resource_link.hpp"

namespace capstan::gce {

/// The collection of the link of a group.
inline constexpr std::string_view group_managers = "instanceGroupManagers";

/// "my-project/us-central1-a/web": the id of the node group.
std::string group_id_of(const ResourceLink& group);
/// `invalid_argument`: `id` is not such an id.
Result<ResourceLink> group_of_id(std::string_view id);

/// "gce://my-project/us-central1-a/web-x1y2": the providerID of the instance's node.
std::string machine_id_of(const ResourceLink& instance);
Result<ResourceLink> instance_of_id(std::string_view id);

}  // namespace capstan::gce
