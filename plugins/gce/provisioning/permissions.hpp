/// What `capstan doctor` finds out about the project's permissions.
#pragma once

#include <string>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/task.hpp>

#include "../api/machine_types.hpp"

namespace capstan::gce {

struct PermissionQuestion {
    std::vector<std::string> projects{};  ///< of the groups, the settings' first
    bool provisioning = false;
};

/// The permissions that the settings need: the one table behind `doctor` and the role of
/// deploy/gce.
std::vector<std::string> needed_permissions(bool provisioning);

/// [strand] Asks projects.testIamPermissions of each project. What is refused is a Failure
/// (`permission`) with a sentence for each permission; where it cannot be asked, because its API is
/// disabled or the token's scope is too narrow, a warning says "not checked" and what to do.
/// Instance group managers cannot be asked themselves, so conditions of IAM on single groups are
/// not seen: the warning says so where a permission of theirs is missing.
Task<void> demand_permissions(Host host, LookupApi& lookup, PermissionQuestion question);

}  // namespace capstan::gce
