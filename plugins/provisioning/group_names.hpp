/// The names of groups that are made. A name follows from the plan of the group, so an equal plan
/// finds its group again.
#pragma once

#include <string>
#include <string_view>

#include <capstan/machine_type.hpp>

namespace capstan::provisioning {

/// "nodeautoprovisioning-gce-n1-highmem-4-z1-1a2b3c4d": prefix, plugin instance of the cloud,
/// machine type, zone, and a hash of the whole plan and the cloud, since two clouds may have a
/// machine type and a zone of one name. At most 63 lower-case letters, digits and '-'.
std::string make_group_name(std::string_view prefix, std::string_view cloud, const GroupPlan& plan);

/// Whether the id is a name with this prefix. Clouds may put a path in front of a name:
/// "my-project/us-central1-a/NAME".
bool has_prefix(std::string_view id, std::string_view prefix) noexcept;

}  // namespace capstan::provisioning
