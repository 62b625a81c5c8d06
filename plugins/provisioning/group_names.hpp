/// What groups are called: by what they are, so that an equal one is found again.
#pragma once

#include <string>
#include <string_view>

#include <capstan/machine_type.hpp>

namespace capstan::provisioning {

/// "nodeautoprovisioning-n1-highmem-4-z1-1a2b3c4d": prefix, machine type, zone, and a hash of all
/// that the group is. At most 63 lower-case letters, digits and '-'.
std::string make_group_name(std::string_view prefix, const GroupPlan& plan);

/// Whether a group of this id has been named like that.
bool has_prefix(std::string_view id, std::string_view prefix) noexcept;

}  // namespace capstan::provisioning
