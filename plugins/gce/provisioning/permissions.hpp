/// Checks the permissions in the projects for `capstan doctor`.
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

/// The feature of the plugin that needs a permission.
enum class PermissionOf : std::uint8_t { groups, provisioning };

/// Where a permission is usually granted. If the project does not grant a permission of `resources`
/// or `other_projects`, the permission is reported as not checked.
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

/// The table of permissions for `capstan doctor` and the roles of deploy/gce, in their order.
std::span<const NeededPermission> permission_table() noexcept;

/// The permissions that the settings need.
std::vector<std::string> needed_permissions(bool provisioning);

struct PermissionQuestion {
    std::vector<std::string> projects{};  ///< of the groups; the settings' project comes first
    bool provisioning = false;            ///< in the first project
};

/// [strand] Calls projects.testIamPermissions for each project. Throws a Failure (`permission`)
/// with a sentence for each missing permission. If the call is impossible, because the API is
/// disabled or the token's scope is too narrow, a warning says why and what to do. Instance group
/// managers have no testIamPermissions, so IAM conditions on single groups are not considered; a
/// warning says so if one of their permissions is missing.
Task<void> require_permissions(Host host, LookupApi& lookup, PermissionQuestion question);

}  // namespace capstan::gce
