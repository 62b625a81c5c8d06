/// What `capstan doctor` finds out about the project's permissions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/host.hpp>
#include <capstan/task.hpp>

#include "../api/machine_types.hpp"

namespace capstan::gce {

/// Which part of the plugin needs it.
enum class PermissionOf : std::uint8_t { groups, provisioning };

/// Where it is granted as a rule. What is not of the project itself is told as not checked where
/// the project does not grant it.
enum class PermissionOn : std::uint8_t {
    project,
    resources,       ///< a service account, a subnet of a shared network
    other_projects,  ///< those of images, which are public or shared
};

struct NeededPermission {
    std::string_view name{};  ///< "compute.instanceGroupManagers.update"
    PermissionOf of = PermissionOf::groups;
    PermissionOn on = PermissionOn::project;
};

/// The one table behind `doctor` and the roles of deploy/gce, in the order of these.
std::span<const NeededPermission> permission_table() noexcept;

/// The permissions that the settings need.
std::vector<std::string> needed_permissions(bool provisioning);

struct PermissionQuestion {
    std::vector<std::string> projects{};  ///< of the groups, the settings' first
    bool provisioning = false;            ///< in the first of them
};

/// [strand] Asks projects.testIamPermissions of each project. What is refused is a Failure
/// (`permission`) with a sentence for each permission; where it cannot be asked, because its API is
/// disabled or the token's scope is too narrow, a warning says "not checked" and what to do.
/// Instance group managers cannot be asked themselves, so conditions of IAM on single groups are
/// not seen: a warning says so where a permission of theirs is missing.
Task<void> demand_permissions(Host host, LookupApi& lookup, PermissionQuestion question);

}  // namespace capstan::gce
