/// Back-offs of clouds that throttle or do not accept the credentials. Refreshes and changes of
/// groups are backed off separately, because clouds limit them separately.
///
///     throttled       ->  20s, then 24s, as long as it lasts
///     no credentials  ->  1m, doubled by each failure in a row up to 15m: an operator is needed
///     retry_after     ->  as long as the cloud asks for, up to 5m (throttled) or 15m (credentials)
///     a success       ->  forgotten, the next failure is a first one
///
/// A jitter of up to a quarter is added, so that hosts of one account do not call at the same
/// moment. It is a hash of the cloud and the moment, so it is the same in a replay. Several
/// failures of one pass count as one.
///
/// While throttling lasts, the first call after each back-off finds out whether it is over. A
/// refresh then begins with a single group (find_probed_clouds). Of several changes, the client of
/// the cloud sends the second only after the first was answered. So a cloud is called about twice a
/// minute, and 30 s after the end of the throttling at the latest, unless its retry_after is
/// longer.
///
/// One throttled increase may say more about its group than about its cloud: the group is backed
/// off, and the next pass takes its next option. Changes are backed off only if that option is
/// throttled, too, and nothing else was carried out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include <capstan/error.hpp>
#include <capstan/time.hpp>

#include "engine/decision.hpp"
#include "engine/memory.hpp"
#include "engine/pass_time.hpp"
#include "engine/snapshot.hpp"

namespace capstan::engine::health {

/// The refreshes that have ended, by cloud. Absent: the refresh succeeded.
using RefreshResults = std::map<PluginInstanceId, std::optional<Error>>;

/// Backs off the refreshes of clouds. To be called before the pass.
Memory remember_refreshes(Memory memory, const RefreshResults& results, Time now);
/// Backs off the changes of clouds' groups, by the results of a decision's actions. To be called
/// after the groups of the decision were backed off (remember_sizes).
Memory remember_cloud_results(Memory memory, const Decision& decision, const Results& results,
                              Time now);
void forget_cloud_backoffs(Memory& memory, Time now);

/// The clouds that are not to be refreshed now, each with a sentence that stays the same until the
/// back-off ends: "cloud east is backed off until 03:02:10Z: plugin east: refresh: slow down".
std::map<PluginInstanceId, std::string> find_backed_off_clouds(const Memory& memory,
                                                               const PassTime& time);
/// The clouds whose last refresh was throttled: the next refresh finds out whether that is over.
std::set<PluginInstanceId> find_probed_clouds(const Memory& memory);

/// Why the cloud's groups are not to be changed now: "requests to cloud east are backed off until
/// 03:02:10Z: increase: slow down"; empty: they may be changed.
std::string find_request_backoff(const Memory& memory, const PluginInstanceId& cloud,
                                 const PassTime& time);
/// `snapshot`, in which the groups of clouds with backed-off requests are marked as unreadable, so
/// that they are not changed.
Snapshot with_request_backoffs(const Snapshot& snapshot, const Memory& memory,
                               const PassTime& time);

/// The first end of a cloud's back-off that has not passed.
std::optional<Time> next_cloud_backoff_end(const Memory& memory, Time now) noexcept;

}  // namespace capstan::engine::health
