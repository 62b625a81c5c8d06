#include "permissions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::gce {
namespace {

constexpr std::array<NeededPermission, 29> all_permissions{{
    {"compute.instanceGroupManagers.list"},
    {"compute.instanceGroupManagers.get"},
    {"compute.instanceGroupManagers.update"},
    {"compute.instances.list"},
    {"compute.instanceTemplates.get"},
    {"compute.machineTypes.get"},
    {"compute.images.get", PermissionOf::groups, PermissionOn::other_projects},
    {"compute.images.getFromFamily", PermissionOf::groups, PermissionOn::other_projects},
    {"compute.zoneOperations.get"},
    {"compute.regionOperations.get"},
    {"compute.machineTypes.list", PermissionOf::provisioning},
    {"compute.regions.get", PermissionOf::provisioning},
    {"compute.acceleratorTypes.list", PermissionOf::provisioning},
    {"compute.globalOperations.get", PermissionOf::provisioning},
    {"compute.instanceTemplates.create", PermissionOf::provisioning},
    {"compute.instanceTemplates.delete", PermissionOf::provisioning},
    {"compute.instanceTemplates.useReadOnly", PermissionOf::provisioning},
    {"compute.instanceGroupManagers.create", PermissionOf::provisioning},
    {"compute.instanceGroupManagers.delete", PermissionOf::provisioning},
    {"compute.instanceGroups.create", PermissionOf::provisioning},
    {"compute.instanceGroups.delete", PermissionOf::provisioning},
    {"compute.instances.create", PermissionOf::provisioning},
    {"compute.instances.setLabels", PermissionOf::provisioning},
    {"compute.instances.setMetadata", PermissionOf::provisioning},
    {"compute.instances.setTags", PermissionOf::provisioning},
    {"compute.disks.create", PermissionOf::provisioning},
    {"compute.networks.use", PermissionOf::provisioning, PermissionOn::resources},
    {"compute.subnetworks.use", PermissionOf::provisioning, PermissionOn::resources},
    {"iam.serviceAccounts.actAs", PermissionOf::provisioning, PermissionOn::resources},
}};

std::string text_of_refusal(const std::string& permission, const std::string& project) {
    return permission + " is not granted on project " + project;
}

/// Whether the permission is usually granted on the project.
bool is_of_project(const std::string& permission) {
    const auto at = std::ranges::find(all_permissions, permission, &NeededPermission::name);
    return at == all_permissions.end() || at->on == PermissionOn::project;
}

std::string list_names(const std::vector<std::string>& names) {
    return listed(names, [](const std::string& name) { return name; }, names.size());
}

/// The check of one project, and its results.
class ProjectCheck {
public:
    ProjectCheck(const Host& host, LookupApi& lookup, std::vector<std::string> needed)
        : host_(host), lookup_(lookup), needed_(std::move(needed)) {}

    Task<std::vector<std::string>> run(std::string project) {
        const auto granted = co_await as_result(lookup_.test_permissions(project, needed_));
        if (!granted) {
            warn_of_unchecked(project, granted.error());
            co_return std::vector<std::string>();
        }
        co_return find_refusals(project, *granted);
    }

private:
    void warn_of_unchecked(const std::string& project, const Error& error) {
        host_.warn("cannot check the permissions on project " + project + ": " + error.message +
                   find_advice(error));
    }
    static std::string find_advice(const Error& error) {
        const std::string& reason = error.provider_code;
        if (reason == "SERVICE_DISABLED" || reason == "accessNotConfigured")
            return "; to enable this check, run: gcloud services enable "
                   "cloudresourcemanager.googleapis.com (scaling works without it)";
        if (reason == "ACCESS_TOKEN_SCOPE_INSUFFICIENT" || reason == "insufficientPermissions")
            return "; this check needs the scope .../auth/cloud-platform (scaling needs only "
                   ".../auth/compute)";
        return {};
    }
    std::vector<std::string> find_refusals(const std::string& project,
                                           const std::vector<std::string>& granted) {
        std::vector<std::string> out, elsewhere;
        bool is_of_groups = false;
        for (const std::string& permission : needed_) {
            if (std::ranges::count(granted, permission) > 0) continue;
            if (!is_of_project(permission)) {
                elsewhere.push_back(permission);
                continue;
            }
            out.push_back(text_of_refusal(permission, project));
            is_of_groups = is_of_groups || permission.starts_with("compute.instanceGroupManagers.");
        }
        if (!elsewhere.empty())
            host_.warn("not checked: " + list_names(elsewhere) + ": not granted on project " +
                       project + ", but possibly on the resource itself");
        if (is_of_groups)
            host_.warn("not checked: IAM conditions on single groups of project " + project +
                       ", because Google reports permissions per project only");
        return out;
    }

    const Host host_;
    LookupApi& lookup_;
    const std::vector<std::string> needed_;
};

}  // namespace

std::span<const NeededPermission> permission_table() noexcept { return all_permissions; }

std::vector<std::string> needed_permissions(bool provisioning) {
    std::vector<std::string> out;
    for (const NeededPermission& permission : all_permissions)
        if (provisioning || permission.of == PermissionOf::groups)
            out.emplace_back(permission.name);
    return out;
}

Task<void> require_permissions(Host host, LookupApi& lookup, PermissionQuestion question) {
    std::string refused;
    for (std::size_t i = 0; i < question.projects.size(); ++i) {
        // Groups are made in the settings' project alone.
        const bool makes_groups = question.provisioning && i == 0;
        const auto check =
            std::make_unique<ProjectCheck>(host, lookup, needed_permissions(makes_groups));
        const std::string project = question.projects[i];
        const std::vector<std::string> refusals = co_await check->run(project);
        for (const std::string& sentence : refusals)
            refused += (refused.empty() ? "" : "; ") + sentence;
    }
    if (!refused.empty()) throw Failure(ErrorCode::permission, std::move(refused));
}

}  // namespace capstan::gce
