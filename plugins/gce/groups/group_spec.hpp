/// Which groups are meant: `min:max:URL`, and discovery by the beginning of names.
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
/// as upstream has it; "projects/p/regions/us-central1/instanceGroupManagers/web" does, too. The
/// error is what a person reads beside the setting.
Result<StaticGroup> parse_static_group(std::string_view text);

/// Groups whose names begin so, each with these bounds.
struct DiscoverySpec {
    std::string name_prefix{};  ///< a regular expression of RE2 behind '^', as upstream has it
    int min = 0, max = 0;
    bool operator==(const DiscoverySpec&) const = default;
};

/// "namePrefix=gke-prod-,min=0,max=10"; upstream's "mig:" may stand in front.
Result<DiscoverySpec> parse_discovery(std::string_view text);

/// "my-project/us-central1-a/web": how Capstan calls a group.
std::string group_id_of(const ResourceLink& group);
/// `invalid_argument`: it is none.
Result<ResourceLink> group_of_id(std::string_view id);

/// "gce://my-project/us-central1-a/web-x1y2": the providerID of its node.
std::string machine_id_of(const ResourceLink& instance);
Result<ResourceLink> instance_of_id(std::string_view id);

}  // namespace capstan::gce
