/// What a cloud says of its groups and machines, as far as it makes sense.
#pragma once

#include <cstdint>

#include <capstan/abi/cloud.h>
#include <capstan/cloud_view.hpp>
#include <capstan/result.hpp>

namespace capstan::runtime::instances {

/// As many machines as a cloud can list at all. Kubernetes supports 5,000 nodes, and the largest
/// clusters that were told of have 130,000: a larger target or minimum is a mistake, and a million
/// machines too many are bought before a person sees it.
inline constexpr std::int32_t most_machines_of_group = 1'000'000;

/// What is wrong with one group makes that group unreadable, and what is wrong with one machine its
/// group: `unreadable` has a sentence with the place, "groups[3].min is 5, above max 1", one for
/// each group. A machine that does not tell its group may be missing in any group that lists fewer
/// machines than its target: all of these are unreadable. Where not even a group's id can be told,
/// the error has no subject, and there may be groups that the view does not name. So it is where
/// the cloud says that its view is not complete and names nothing that is missing. Machines of
/// unreadable groups stay in the list. The error: it cannot be read at all. [any thread]
Result<CloudView> readable_view_from_abi(const capstan_cloud_view& raw);

// Whether a cloud says what it said before, found out without copying it.

/// True: raising `raw` would give `known`, which was raised itself. False leaves it open: what
/// carries errors, or tags out of order, is to be raised. Reads no more of `raw` than raising does,
/// and after the same checks. [any thread]
bool is_unchanged(const capstan_cloud_view& raw, const CloudView& known);

}  // namespace capstan::runtime::instances
