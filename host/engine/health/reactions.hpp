/// What the host does about each error of each call: the table of capstan/abi/error.h as data. Code
/// that reacts to an error of `refresh` or of a change asks this table. The columns from `describe`
/// on are for reference: no code asks them. Failed starts are judged by
/// runtime/daemon/plugin_starts.cpp, which differs from the column `start`: it retries after
/// `permission`, `deadline` and `busy`, as error.h says.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

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
    describe,  ///< a group's template
    machine_types,
    terms,  ///< price, options, and the description of a group to be made
    start,
    self_check,
    decide,  ///< hooks of expanders, similarity checks, splitters and group sources
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
    /// As back_off, or as again for calls about no group; also reported as a bug of the plugin.
    report_bug,
    /// That call is not made for that group again for a day.
    suspend,
    /// The object of the call does not exist: it is gone already, or the next refresh shows that.
    treat_as_gone,
    /// It is not known whether the call was carried out: it counts as requested until a refresh
    /// shows the result.
    await_outcome,
    /// The documented default counts.
    use_default,
    /// The instance is started again after a while; the others go on.
    restart_later,
    /// The instance is not started.
    disable,
    /// The error is reported, and nothing else happens.
    report,
    /// An error of the stage: its `on_error` decides.
    fail_stage,
};

Reaction reaction_to(Call call, ErrorCode code) noexcept;

/// Whether a call that ended with this error may still have been carried out, or will be.
bool is_outcome_open(Call call, const Error& error) noexcept;

/// "increase", and "back_off_cloud".
std::string_view name_of(Call call) noexcept;
std::string_view name_of(Reaction reaction) noexcept;

/// How long a suspended call is not made.
constexpr Duration suspension_time = std::chrono::hours(24);

}  // namespace capstan::engine::health
