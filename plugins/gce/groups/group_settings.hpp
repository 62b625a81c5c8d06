/// Parses the settings that select groups (`min:max:URL`, and discovery by name prefix).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <capstan/result.hpp>

#include "../wire/resource_link.hpp"

namespace capstan::gce {

struct StaticGroup {
    int min = 0, max = 0;
    ResourceLink link{};  ///< of the collection "instanceGroupManagers"
    bool operator==(const StaticGroup&) const = default;
};

/// "0:10:https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a/instanceGroups/web",
/// as upstream has it, or a partial link:
/// "projects/p/regions/us-central1/instanceGroupManagers/web". An error message: "minimum 5 is
/// above maximum 3".
Result<StaticGroup> parse_static_group(std::string_view text);

/// Selects groups by the prefix of their names; each of them has these limits.
struct DiscoverySpec {
    std::string name_prefix{};  ///< an RE2 regular expression, anchored at the start, as upstream's
    int min = 0, max = 0;
    bool operator==(const DiscoverySpec&) const = default;
};

/// "namePrefix=gke-prod-,min=0,max=10", with or without upstream's prefix "mig:".
Result<DiscoverySpec> parse_discovery(std::string_view text);

}  // namespace capstan::gce
