/// Back-offs of groups and offerings, and the rule for their length. For clouds see
/// cloud_backoff.hpp.
///
/// The rule is the same for everything that is backed off, also for machines that cannot be removed
/// (removal_backoff.hpp):
///
///     the first failure               ->  `first`
///     a failure during the back-off   ->  as long as before: several failures count as one
///     the next failure after the end  ->  twice as long, up to `most`
///     no failure for a long time      ->  forgotten, the next failure is a first one
///
/// The last instant of a group's back-off still belongs to it, as in upstream. A removal may be
/// tried again at the very end of its back-off. So the caller says whether a back-off has ended.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

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

/// A throttled call, or one that met a conflict, is tried again after 30 s at the latest, unless
/// the error's retry_after is longer: after at most 24 s and up to a quarter of jitter.
inline constexpr BackoffLengths throttled_lengths{.first = std::chrono::seconds(20),
                                                  .most = std::chrono::seconds(24)};

/// `before`: the length after the last failure in the row; zero: there was none. `is_backed_off`:
/// whether that back-off has not ended yet.
Duration next_backoff_length(Duration before, bool is_backed_off,
                             const BackoffLengths& lengths) noexcept;

/// The end of a back-off of `length` that begins now. If the error's retry_after is longer, it
/// counts, up to `most`.
Time find_backoff_end(const Error& error, Duration length, Duration most, Time now) noexcept;

/// Whether a back-off that ended at `until` is forgotten: `since` is longer ago than `reset`.
bool is_backoff_past(Time until, Time since, Duration reset, Time now) noexcept;

// Groups that are backed off for a while because growing them failed.
//
// By BackoffPolicy::exponential:
//
//     fails at 0:00          ->  backed off until 0:05
//     fails at 0:06          ->  backed off until 0:16, twice as long
//     fails at 0:10          ->  backed off until 0:20: the time starts again but does not grow
//     no failure for 3h      ->  forgotten
//
// Only errors about the group count (reactions.hpp). After a transient error the next pass tries
// again; from the second such error in a row on, the group is backed off for 20s, then twice as
// long, up to 5m, so that another group gets its turn. A conflict is backed off by
// throttled_lengths instead, and so is a throttled call, which is backed off from the first time
// on.
//
// By BackoffPolicy::until_joined: until no requested machine is outstanding. One machine stays
// requested; when it joins, the cloud has capacity again. If that request is cancelled to make room
// within the limits (scale_up/kept_requests.hpp), the back-off goes on, and a machine is requested
// again later. If nothing is requested, as after a refused call, the back-off is exponential, too;
// for errors of the API itself it begins with Settings::api_error_backoff.

/// Updates the memory at the start of a pass: forgets what is long past, updates requests and the
/// times of machines, counts machines that failed since the pass before as one failure of their
/// group, and ends back-offs after their machines have joined.
Memory remember(Memory memory, const Snapshot& snapshot, const templates::Membership& membership,
                const Settings& settings, const PassTime& time);

/// Whether the error of a machine says something about its group. It does not if another client was
/// faster, or if the host itself gave the call up.
bool concerns_group(ErrorCode code) noexcept;

/// A cloud refused to increase or make `group`: backs the group off according to the table of
/// reactions, longer after each failure in a row. For the cloud see remember_cloud_results.
Memory remember_failure(Memory memory, const NodeGroupId& group, const Error& error,
                        const Settings& settings, Time now, Call call = Call::increase);

/// Machines that were requested for `group` failed: backs the group off by `policy`.
void back_off(Memory& memory, const NodeGroupId& group, const Error& error, BackoffPolicy policy,
              const Settings& settings, Time now);

/// Forgets back-offs whose last failure is long past.
void forget_backoffs(Memory& memory, const Snapshot& snapshot, const Settings& settings, Time now);

/// The group's own back-off now, its last instant included; NULL: there is none. Borrows from
/// `memory`.
const Backoff* find_backoff(const Memory& memory, const NodeGroupId& group, Time now) noexcept;

/// The group's own back-off, or else that of the offering of its machines; NULL: there is none.
/// Borrows from `memory`.
const Backoff* find_backoff(const Memory& memory, const Group& group, Time now);

/// Whether the last scale-ups of the group failed, and the memory still has that. Its orders delay
/// removals only once their machines come.
bool fails_lately(const Memory& memory, const NodeGroupId& group) noexcept;

/// Whether the last scale-up of the group failed, and the memory still has that.
bool failed_last(const Memory& memory, const NodeGroupId& group) noexcept;

/// The first end of a back-off that has not passed; absent: no back-off ends by time alone.
std::optional<Time> next_backoff_end(const Memory& memory, Time now) noexcept;

/// For a backed-off group whose request was given back: when a machine may be requested again after
/// failures in a row; absent: at once. Respects the error's retry_after, up to `backoff_max`.
std::optional<Time> find_next_ask(const Memory& memory, const NodeGroupId& group) noexcept;

/// "03:02:10Z", or "2026-11-30T03:02:10Z" if it is a day or more ahead: the wall-clock time.
std::string end_text(Time end, const PassTime& time);
/// "03:02:10Z (4m12s left)".
std::string end_and_rest_text(Time end, const PassTime& time);

/// "in backoff after failed scale-up until 03:02:10Z (3m20s left): i-1: no capacity in zone a". It
/// begins with upstream's phrase.
std::string why_backed_off(const Backoff& backoff, const PassTime& time);
/// The same without the time that is left, so that the sentence stays the same from pass to pass.
std::string reason_of(const Backoff& backoff, const PassTime& time);

/// The sentence with the time that is left of each group's back-off that it names by reason_of.
std::string with_time_left(std::string sentence, std::span<const Group> groups,
                           const Memory& memory, const PassTime& time);

/// `length` and up to a quarter more, by a hash of `of` and `now`.
Duration with_jitter(Duration length, std::string_view of, Time now) noexcept;

}  // namespace capstan::engine::health
