/// What the host does about each error of each call: the table of capstan/abi/error.h as data. What
/// acts on an error asks here, so that header, host and documentation say the same.
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
    terms,  ///< price, options, and what a group to be made would be
    start,
    self_check,
    decide,  ///< hooks of expanders, similarity checks, splitters and group sources
};

enum class Reaction : std::uint8_t {
    /// The next pass that needs the call makes it again. From the second failure in a row on the
    /// group rests shortly (increase), as do that call and machine (decrease_target, remove).
    again,
    /// The next pass decides anew by what is there then. Says nothing about the group.
    decide_anew,
    /// The cloud as a whole is backed off for a few passes, longer after each failure in a row.
    rest_cloud,
    /// The same for longer: an operator, or the plugin, has to provide credentials first.
    await_credentials,
    /// The group is backed off for a while (increase, create_group); for the other calls that call
    /// about that group or machine is.
    back_off,
    /// As back_off; of calls about no group as again. Told as a bug of the plugin.
    report_bug,
    /// That call is not made for that group again for a day.
    leave_out,
    /// What it was about is not there: it has gone already, or the next refresh shows that.
    drop,
    /// Whether it was done is not known: it counts as asked for until a refresh shows it.
    await_outcome,
    /// The documented default counts.
    use_default,
    /// The instance is started again after a while; the others go on.
    start_again,
    /// The instance is not started.
    refuse,
    /// It is told of, and nothing else happens.
    tell,
    /// An error of its stage: the stage's `on_error` decides.
    fail_stage,
};

Reaction reaction_to(Call call, ErrorCode code) noexcept;

/// Whether a call that ended with this error may have been carried out all the same, now or later.
bool is_outcome_open(Call call, const Error& error) noexcept;

/// "increase", and "rest_cloud": as error.h and metrics have them.
std::string_view name_of(Call call) noexcept;
std::string_view name_of(Reaction reaction) noexcept;

/// How long a call that is left out is not made.
constexpr Duration left_out_time = std::chrono::hours(24);

}  // namespace capstan::engine::health
