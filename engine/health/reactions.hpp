/// What the host does about each error of each call: the table of capstan/abi/error.h as data. All
/// code that reacts to an error of one of these calls asks this table.
#pragma once

#include <chrono>
#include <cstdint>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

namespace capstan::engine::health {

/// The calls of the table, column by column.
enum class Call : std::uint8_t {
    refresh,
    increase,
    decrease_target,
    remove,
    create_group,
    destroy_group,
    start,  ///< `create` and `start` of an instance
};

enum class Reaction : std::uint8_t {
    /// The next pass that needs the call makes it again. A group is backed off for a short time
    /// from the second failure in a row on (increase, create_group). The decrease of a group, or
    /// the removal of a machine, is backed off from the first failure on.
    again,
    /// The next pass decides again with a new snapshot. The error says nothing about the group.
    decide_again,
    /// Calls of `refresh`, or changes of the cloud's groups, are backed off for a short time. After
    /// a throttled increase the group is backed off first.
    back_off_cloud,
    /// As back_off_cloud, for longer: an operator, or the plugin, has to provide credentials first.
    await_credentials,
    /// The group is backed off for a while (increase, create_group). For the other calls, only that
    /// call for that group or machine is backed off.
    back_off,
    /// As back_off, or as again for `refresh`; also reported as a bug of the plugin.
    report_bug,
    /// That call is not made for that group again for a day.
    suspend,
    /// The object of the call does not exist: it is gone already, or the next refresh shows that.
    treat_as_gone,
    /// It is not known whether the call was carried out: it counts as requested until a refresh
    /// shows the result.
    await_outcome,
    /// The instance is started again after a while; the others go on.
    restart_later,
    /// The instance is not started again until the host restarts or its settings change.
    disable,
};

Reaction reaction_to(Call call, ErrorCode code) noexcept;

/// Whether a call that ended with this error may still have been carried out, or will be.
bool is_outcome_open(Call call, const Error& error) noexcept;

/// How long a suspended call is not made.
constexpr Duration suspension_time = std::chrono::hours(24);

}  // namespace capstan::engine::health
