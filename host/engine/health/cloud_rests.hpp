/// Clouds that are backed off as a whole, because they ask for patience or do not accept the
/// credentials they get.
///
///     throttled       ->  20s, doubled by each failure in a row up to 5m
///     no credentials  ->  1m, doubled up to 15m: an operator is needed
///     advice          ->  as long as the cloud asks for, within the same bounds
///     10m without one ->  forgotten, the next failure is a first one
///
/// Up to a quarter is added by chance, so that hosts of one account do not ask at the same moment;
/// chance is made of the cloud and the moment, and so is the same in a replay. Several failures of
/// one pass are one.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/decision.hpp"
#include "engine/health/reactions.hpp"
#include "engine/memory.hpp"

namespace capstan::engine::health {

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
