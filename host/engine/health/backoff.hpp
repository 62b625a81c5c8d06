/// How long something is backed off after failures in a row, a group as well as a machine that
/// cannot be removed:
///
///     the first failure            ->  `first`
///     one while it is backed off  ->  as long as before: several failures then are one
///     one after that               ->  twice as long, up to `most`
///     long none                    ->  forgotten, the next failure is a first one
///
/// The last instant of a group's back-off belongs to it (upstream's reading). A removal may be
/// tried again at the very end of its own. So the caller tells whether a back-off has ended.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

#include "engine/decision.hpp"
#include "engine/health/reactions.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/settings.hpp"
#include "engine/snapshot.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::health {

struct BackoffLengths {
    Duration first{};
    Duration most{};
};

/// `before`: the length after the last failure in the row; zero: there was none. `still_alone`:
/// that back-off has not ended.
Duration next_backoff_length(Duration before, bool still_alone,
                             const BackoffLengths& lengths) noexcept;

/// The end of a back-off of `length` that begins now. A cloud that asks for more time gets it, up
/// to `most`.
Time find_backoff_end(const Error& error, Duration length, Duration most, Time now) noexcept;

/// Whether a back-off that ended at `until` counts no more: `since` is longer ago than `reset`.
bool is_backoff_past(Time until, Time since, Duration reset, Time now) noexcept;

// Groups that are backed off for a while because growing them failed.
//
// By BackoffPolicy::exponential:
//
//     fails at 0:00   ->  alone until 0:05
//     fails at 0:06   ->  alone until 0:16, twice as long
//     fails at 0:10   ->  alone until 0:20: while alone, the time starts again but does not grow
//     3h without one  ->  forgotten
//
// Only errors about the group do that (reactions.hpp). After one that may pass by itself the next
// pass asks again; from the second in a row on the group is backed off for 20s, then twice as
// long, up to 5m, so that another one gets its turn.
//
// By BackoffPolicy::until_joined: until nothing that the group was asked for is outstanding. One
// machine stays asked for, so its joining tells that the cloud has some again. Where it is given
// back to the limits (scale_up/kept_requests.hpp) the back-off goes on, and one is asked for
// later. Where nothing is asked for, as after a refused call, the time is as above; for errors of
// the API itself it begins with Settings::api_error_backoff.

/// Brings memory up to the moment, at the start of a pass: forgets what is long past, follows
/// requests and times machines, counts machines that failed since the pass before as one failure of
/// their group, and ends back-offs whose machines have joined.
Memory remember(Memory memory, const Snapshot& snapshot, const templates::Membership& membership,
                const Settings& settings, const PassTime& time);

/// Whether the error of a machine tells something of its group. Not so where another actor
/// was faster, or the host gave up itself.
bool concerns_group(ErrorCode code) noexcept;

/// A cloud refused to grow or make `group`: leaves it alone for as long as the table of reactions
/// says, longer after each failure in a row. What the error says of the cloud is cloud_rests.hpp's.
Memory remember_failure(Memory memory, const NodeGroupId& group, const Error& error,
                        const Settings& settings, Time now, Call call = Call::increase);

/// Machines failed that `group` was asked for: leaves it alone by `policy`.
void back_off(Memory& memory, const NodeGroupId& group, const Error& error, BackoffPolicy policy,
              const Settings& settings, Time now);

/// Forgets back-offs whose last failure is long past.
void forget_backoffs(Memory& memory, const Snapshot& snapshot, const Settings& settings, Time now);

/// The back-off of its own that keeps `group` from growing now, its last instant included; NULL:
/// none does. Borrows from `memory`.
const Backoff* find_backoff(const Memory& memory, const NodeGroupId& group, Time now) noexcept;

/// The same; without one of its own that of the make of its machines.
const Backoff* find_backoff(const Memory& memory, const Group& group, Time now);

/// The first moment at which a group may grow again that may not now; nothing: none becomes free by
/// time alone.
std::optional<Time> next_backoff_end(const Memory& memory, Time now) noexcept;

/// When a group that is backed off with its request given back may be asked for one again after
/// failures in a row; nothing: at once. Not before its cloud asked for, up to `backoff_max`.
std::optional<Time> find_next_ask(const Memory& memory, const NodeGroupId& group) noexcept;

/// "backed off for 3m20s more: i-1: no capacity in zone a", said of the group.
std::string why_backed_off(const Backoff& backoff, Time now);

// Why a group is backed off, in words that last as long as its back-off.

/// "backed off for 5m: i-1: no capacity in zone a", said of the group: how long that lasts
/// in all. What is left of it changes from pass to pass, see why_backed_off in backoff.hpp.
std::string reason_of(const Backoff& backoff);

// Clouds that are backed off as a whole, because they ask for patience or do not accept the
// credentials they get.
//
//     throttled       ->  20s, doubled by each failure in a row up to 5m
//     no credentials  ->  1m, doubled up to 15m: an operator is needed
//     advice          ->  as long as the cloud asks for, within the same bounds
//     10m without one ->  forgotten, the next failure is a first one
//
// Up to a quarter is added by chance, so that hosts of one account do not ask at the same moment;
// chance is made of the cloud and the moment, and so is the same in a replay. Several failures of
// one pass are one.

/// A call into `cloud` failed: leaves it alone where the table of reactions says so.
void rest_cloud(Memory& memory, const PluginInstanceId& cloud, Call call, const Error& error,
                Time now);
/// The same for refreshes, by cloud, before a pass is decided on what they came to.
Memory remember_refreshes(Memory memory, const std::map<PluginInstanceId, Error>& failed, Time now);
/// The same for what a decision asked of clouds.
Memory remember_cloud_results(Memory memory, const Decision& decision, const Results& results,
                              Time now);
void forget_cloud_backoffs(Memory& memory, Time now);

/// Clouds that are not to be asked anything now, each with a sentence that stays the same as long
/// as the rest: "cloud east is backed off for 20s: plugin east: refresh: slow down".
std::map<PluginInstanceId, std::string> find_resting_clouds(const Memory& memory, Time now);
/// The first end of a rest that has not passed.
std::optional<Time> next_cloud_backoff_end(const Memory& memory, Time now) noexcept;

/// `length` and up to a quarter more.
Duration with_jitter(Duration length, std::string_view of, Time now) noexcept;

}  // namespace capstan::engine::health
