/// What the API server was asked for, and what a manifest grants, in the same words.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace capstan::balancer {

/// "update deployments.apps/scale", "list pods"; empty: discovery, which every user may ask.
std::string right_of(const std::string& method, const std::string& target);

/// All that the roles of a manifest grant.
std::set<std::string> rights_in(const std::filesystem::path& manifest);

}  // namespace capstan::balancer
