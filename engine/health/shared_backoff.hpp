/// Back-offs of all groups that an error concerns, so that they need not fail first. `Memory` keeps
/// them by offering (InstanceOffering).
///
///     out_of_capacity of a machine, no scope  ->  groups of its machine type, zone and market
///                                                 that have failed, too
///     out_of_capacity, quota, permission with
///         scope group                         ->  the group alone
///         scope zone                          ->  groups of its cloud in the zone
///         scope machine_type                  ->  groups of its cloud, machine type and market
///         scope market                        ->  groups of its cloud in the same market
///         scope account                       ->  groups of its cloud
///
/// Without a scope the cloud has not said that other groups are affected: they may have a
/// reservation, another tenancy or a placement group. So each of them is tried once.
///
/// Such a back-off lasts as long as that of the group that failed. A group without a template, or
/// with one for several machine types, is affected only by back-offs of its market and its cloud. A
/// group in several zones is not affected by those of a zone. If Settings::backoff_by_machine_type
/// is off, none of this happens.
#pragma once

#include <optional>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

#include "engine/memory.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::health {

/// The scope of an error that backs off a group; `unknown` for errors that concern the group alone
/// by their code.
ErrorScope backoff_scope_of(const Error& error, const Settings& settings) noexcept;

/// After `group` was backed off for failed machines: backs off what their errors concern.
void back_off_offerings(Memory& memory, const Group& group, const Settings& settings);
/// Backs off what the groups' own back-offs concern.
void share_backoffs(Memory& memory, const Snapshot& snapshot, Time now);

/// The back-off that concerns new machines of the group; NULL: there is none. Borrows from
/// `memory`.
const Backoff* find_offering_backoff(const Memory& memory, const Group& group, Time now);

/// Forgets offering back-offs that have ended, by time or with the back-off of the group that
/// caused them.
void forget_offering_backoffs(Memory& memory, const Settings& settings, Time now);

}  // namespace capstan::engine::health
