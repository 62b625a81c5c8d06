/// Copies the view that a cloud reports, with its invalid parts marked as unreadable.
#pragma once

#include <cstdint>

#include <capstan/abi/cloud.h>
#include <capstan/cloud_view.hpp>
#include <capstan/result.hpp>

namespace capstan::plugin_runtime::instances {

/// The largest target or minimum. Kubernetes supports 5,000 nodes, and the largest clusters on
/// record have 130,000: a larger number is a mistake, and its machines would be requested before a
/// person sees it.
inline constexpr std::int32_t most_machines_of_group = 1'000'000;

/// The most machines and groups of one cloud: more would use up the memory and the time of all
/// clouds.
inline constexpr std::uint32_t machines_of_cloud_max = 200'000, groups_of_cloud_max = 20'000;

/// A mistake in a group makes that group unreadable, and a mistake in a machine makes its group
/// unreadable. `unreadable` has one error for each such group, with the place: "groups[3].min is 5,
/// above max 1". A machine without a group may be missing in any group that lists fewer machines
/// than its target, so all of these are unreadable. An error about a group without a valid id has
/// no subject, which means that groups may be missing. So does an error that is added if the cloud
/// says that the view is not complete and names no missing group. Machines of unreadable groups
/// stay in the list. Fails if nothing of the view can be read, or if there are too many groups or
/// machines. [any thread]
Result<CloudView> readable_view_from_abi(const capstan_cloud_view& raw);

// Whether a view is unchanged, found out without copying it.

/// True: readable_view_from_abi(raw) would give `known`, which is a result of it. False: the view
/// may have changed or not; a view with errors, or with unsorted tags, always gives false. Reads no
/// more of `raw` than readable_view_from_abi does, and after the same checks. [any thread]
bool is_unchanged(const capstan_cloud_view& raw, const CloudView& known);

}  // namespace capstan::plugin_runtime::instances
