/// Parses managed instance groups and their instances of compute's answers.
#pragma once

#include <vector>

#include <capstan/json.hpp>
#include <capstan/result.hpp>

#include "managed_groups.hpp"

namespace capstan::gce {

/// `unavailable`: names the field that is missing or malformed.
Result<ManagedGroup> read_managed_group(const Json& json);
/// Adds one page of instanceGroupManagers.aggregatedList to `out`.
void read_aggregated_groups(const Json& answer, ManagedGroups& out);
/// Parse one page. A Failure names the malformed entry.
std::vector<ManagedInstance> read_managed_instances(const Json& answer);
std::vector<ListedInstance> read_listed_instances(const Json& answer);

}  // namespace capstan::gce
