/// The permissions that requests need and that manifests grant, in one form.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace capstan::balancer {

/// The permission that a request needs, as in "update deployments.apps/scale" or "list pods". Empty
/// for discovery, which needs none.
std::string permission_of(const std::string& method, const std::string& target);

/// All permissions that the roles of a manifest grant.
std::set<std::string> permissions_in(const std::filesystem::path& manifest);

}  // namespace capstan::balancer
