/// What groups are called: by what they are, so that an equal one is found again.
#pragma once

#include <string>
#include <string_view>

#include <capstan/machine_type.hpp>

namespace capstan::provisioning {

/// "nodeautoprovisioning-gce-n1-highmem-4-z1-1a2b3c4d": prefix, the cloud's instance, machine type,
/// zone, and a hash of all that the group is and of the cloud: two clouds may have a machine type
/// and a zone of one name. At most 63 lower-case letters, digits and '-'.
std::string make_group_name(std::string_view prefix, std::string_view cloud, const GroupPlan& plan);

/// Whether a group of this id has been named like that, with the cloud's instance or, as earlier
/// releases did, without. Clouds may put a place in front: "my-project/us-central1-a/NAME".
bool has_prefix(std::string_view id, std::string_view prefix) noexcept;

}  // namespace capstan::provisioning
