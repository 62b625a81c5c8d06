/// What compute writes of managed instance groups and their instances.
#pragma once

#include <vector>

#include <capstan/json.hpp>
#include <capstan/result.hpp>

#include "managed_groups.hpp"

namespace capstan::gce {

/// `unavailable`: it is none, with the field that says so.
Result<ManagedGroup> read_managed_group(const Json& json);
/// One page of instanceGroupManagers.aggregatedList, added to what the pages before have.
void read_aggregated_groups(const Json& answer, ManagedGroups& out);
/// One page. Throws a Failure that names the entry.
std::vector<ManagedInstance> read_managed_instances(const Json& answer);
std::vector<ListedInstance> read_listed_instances(const Json& answer);

}  // namespace capstan::gce
