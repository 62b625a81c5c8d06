/// Permissions of requests and of manifests in the same form.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace capstan::balancer {

/// "update deployments.apps/scale", "list pods"; empty: discovery, which needs no permission.
std::string permission_of(const std::string& method, const std::string& target);

/// All permissions that the roles of a manifest grant.
std::set<std::string> permissions_in(const std::filesystem::path& manifest);

}  // namespace capstan::balancer
