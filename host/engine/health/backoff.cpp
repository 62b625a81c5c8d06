#include "engine/health/backoff.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/hash.hpp>

#include "engine/health/reactions.hpp"
#include "engine/health/requests.hpp"
#include "engine/next_change.hpp"

namespace capstan::engine::health {

Duration next_backoff_length(Duration before, bool still_alone,
                             const BackoffLengths& lengths) noexcept {
    const auto& [first, most] = lengths;
    if (before == Duration(0)) return std::min(first, most);
    if (still_alone) return std::min(before, most);
    return before > most / 2 ? most : 2 * before;
}

Time find_backoff_end(const Error& error, Duration length, Duration most, Time now) noexcept {
    const Duration asked = std::min(error.retry_after.value_or(length), most);
    return later(now, std::max(length, asked));
}

bool is_backoff_past(Time until, Time since, Duration reset, Time now) noexcept {
    return until < now && now - since > reset;
}

namespace {

/// Its last instant belongs to a back-off.
bool is_alone(const Backoff& backoff, Time now) { return !backoff.until || *backoff.until >= now; }

bool is_stale(const Backoff& backoff, const Settings& settings, Time now) {
    return backoff.until &&
           is_backoff_past(*backoff.until, backoff.last_failure, settings.backoff_reset, now);
}

/// Errors of the interface itself, which say nothing about machines.
bool is_api_error(ErrorCode code) {
    return code != ErrorCode::out_of_capacity && code != ErrorCode::quota &&
           code != ErrorCode::deadline && code != ErrorCode::invalid_config;
}

/// What this failure continues; NULL: it is the first in its row.
const Backoff* find_row(const Memory& memory, const NodeGroupId& group, const Settings& settings,
                        Time now) {
    const auto at = memory.backoffs.find(group);
    if (at == memory.backoffs.end() || is_stale(at->second, settings, now)) return nullptr;
    return &at->second;
}

void back_off_for(Memory& memory, const NodeGroupId& group, const Error& error, Duration first,
                  const Settings& settings, Time now) {
    const Backoff* row = find_row(memory, group, settings, now);
    const BackoffLengths lengths{.first = first, .most = settings.backoff_max};
    const Duration length = row == nullptr
                                ? next_backoff_length(Duration(0), false, lengths)
                                : next_backoff_length(row->length, is_alone(*row, now), lengths);
    memory.backoffs[group] = {.since = row != nullptr ? row->since : now,
                              .until = find_backoff_end(error, length, lengths.most, now),
                              .length = length,
                              .last_failure = now,
                              .code = error.code,
                              .because = error.message};
}

/// Failures further apart are not in a row.
constexpr Duration failed_calls_reset = std::chrono::minutes(10);
constexpr BackoffLengths repeated_failure{.first = std::chrono::seconds(20),
                                          .most = std::chrono::minutes(5)};

/// Of a rest after so many failures in a row.
Duration length_of_row(int failures) {
    Duration length = repeated_failure.first;
    for (int i = 2; i < failures && length < repeated_failure.most; ++i) length *= 2;
    return std::min(length, repeated_failure.most);
}

bool is_row_past(const FailedCalls& calls, Time now) {
    return now - std::max(calls.last, calls.not_before.value_or(calls.last)) > failed_calls_reset;
}

void keep_retry_after(FailedCalls& failed, const Error& error, const Settings& settings, Time now) {
    failed.last = now;
    failed.not_before.reset();
    if (error.retry_after)
        failed.not_before = later(now, std::min(*error.retry_after, settings.backoff_max));
}

/// The next pass asks again; from the second failure in a row on the group rests shortly, so that
/// another one gets its turn. A row of failures of the group itself goes on after that as before.
void count_failed_call(Memory& memory, const NodeGroupId& group, const Error& error,
                       const Settings& settings, Time now) {
    FailedCalls& failed = memory.failed_calls[group];
    if (is_row_past(failed, now)) failed.count = 0;
    ++failed.count;
    keep_retry_after(failed, error, settings, now);
    if (find_backoff(memory, group, now) != nullptr) return;
    const Duration asked = error.retry_after.value_or(Duration(0));
    if (failed.count == 1 && asked <= Duration(0)) return;
    const Duration length =
        std::min(std::max(length_of_row(failed.count), asked), repeated_failure.most);
    const Backoff* row = find_row(memory, group, settings, now);
    memory.backoffs[group] = {.since = row != nullptr ? row->since : now,
                              .until = later(now, with_jitter(length, group.value(), now)),
                              .length = row != nullptr ? row->length : Duration(0),
                              .last_failure = now,
                              .code = error.code,
                              .because = error.message};
}

/// The group does not grow as long as the call is left out.
void leave_out_increases(Memory& memory, const NodeGroupId& group, const Error& error, Time now) {
    memory.backoffs[group] = {.since = now,
                              .until = later(now, left_out_time),
                              .last_failure = now,
                              .code = error.code,
                              .because = error.message};
}

}  // namespace

bool concerns_group(ErrorCode code) noexcept {
    return code != ErrorCode::conflict && code != ErrorCode::cancelled && code != ErrorCode::busy;
}

Memory remember_failure(Memory memory, const NodeGroupId& group, const Error& error,
                        const Settings& settings, Time now, Call call) {
    const Backoff* own = find_backoff(memory, group, now);
    switch (reaction_to(call, error.code)) {
        case Reaction::back_off:
        case Reaction::report_bug: break;
        case Reaction::again:
        case Reaction::drop:
        case Reaction::await_outcome:
            count_failed_call(memory, group, error, settings, now);
            return memory;
        case Reaction::leave_out: leave_out_increases(memory, group, error, now); return memory;
        default: return memory;  // nothing of it is the group's
    }
    if (own != nullptr && own->given_back) {
        count_failed_call(memory, group, error, settings, now);
        return memory;
    }
    if (settings.backoff == BackoffPolicy::exponential) {
        back_off_for(memory, group, error, settings.backoff_initial, settings, now);
        return memory;
    }
    if (own != nullptr && !own->until) return memory;
    if (is_api_error(error.code)) {
        back_off_for(memory, group, error, settings.api_error_backoff, settings, now);
    } else if (memory.requests.contains(group)) {
        back_off(memory, group, error, settings.backoff, settings, now);
        // For when its request is given back and asked for again.
        if (error.retry_after) keep_retry_after(memory.failed_calls[group], error, settings, now);
    } else {
        // Nothing is asked for, so nothing can join to end it.
        back_off_for(memory, group, error, settings.backoff_initial, settings, now);
    }
    return memory;
}

void back_off(Memory& memory, const NodeGroupId& group, const Error& error, BackoffPolicy policy,
              const Settings& settings, Time now) {
    if (policy == BackoffPolicy::exponential) {
        return back_off_for(memory, group, error, settings.backoff_initial, settings, now);
    }
    const Backoff* row = find_row(memory, group, settings, now);
    memory.backoffs[group] = {.since = row != nullptr ? row->since : now,
                              .last_failure = now,
                              .code = error.code,
                              .because = error.message};
}

void forget_backoffs(Memory& memory, const Snapshot& snapshot, const Settings& settings, Time now) {
    std::erase_if(memory.failed_calls,
                  [&](const auto& entry) { return is_row_past(entry.second, now); });
    std::erase_if(memory.backoffs, [&](const auto& entry) {
        const auto& [group, backoff] = entry;
        if (is_stale(backoff, settings, now)) return true;
        // Of a group that is gone nothing will ever join.
        return !backoff.until && now - backoff.last_failure > settings.backoff_reset &&
               find_group(snapshot, group) == nullptr;
    });
}

const Backoff* find_backoff(const Memory& memory, const NodeGroupId& group, Time now) noexcept {
    const auto at = memory.backoffs.find(group);
    return at != memory.backoffs.end() && is_alone(at->second, now) ? &at->second : nullptr;
}

const Backoff* find_backoff(const Memory& memory, const Group& group, Time now) {
    if (const Backoff* own = find_backoff(memory, group.group.id, now)) return own;
    if (memory.offering_backoffs.empty()) return nullptr;
    const std::optional<InstanceOffering> make = find_make(group);
    if (!make) return nullptr;
    const auto at = memory.offering_backoffs.find(*make);
    return at != memory.offering_backoffs.end() && is_alone(at->second, now) ? &at->second
                                                                             : nullptr;
}

std::optional<Time> next_backoff_end(const Memory& memory, Time now) noexcept {
    NextChange next_change(now);
    for (const auto& [group, backoff] : memory.backoffs) {
        if (backoff.until) next_change.is_before_end(*backoff.until);
    }
    for (const auto& [make, backoff] : memory.offering_backoffs) {
        if (backoff.until) next_change.is_before_end(*backoff.until);
    }
    return next_change.at();
}

std::optional<Time> find_next_ask(const Memory& memory, const NodeGroupId& group) noexcept {
    const auto failed = memory.failed_calls.find(group);
    if (failed == memory.failed_calls.end()) return std::nullopt;
    const FailedCalls& calls = failed->second;
    const Time next = later(calls.last, length_of_row(calls.count));
    return std::max(next, calls.not_before.value_or(next));
}

std::string reason_of(const Backoff& backoff) {
    if (!backoff.until) {
        const std::string& finder = backoff.found_by.value();
        return "backed off until a machine " + (finder.empty() ? "" : "of group " + finder + " ") +
               "joins" +
               (backoff.given_back ? ", and none is asked for while limits have no room" : "") +
               ": " + backoff.because;
    }
    const Duration length = *backoff.until - backoff.last_failure;
    return "backed off for " + format_rough_duration(length) + ": " + backoff.because;
}

std::string why_backed_off(const Backoff& backoff, Time now) {
    if (!backoff.until) return reason_of(backoff);
    const auto left = std::chrono::ceil<std::chrono::seconds>(*backoff.until - now);
    return "backed off for " + format_duration(left) + " more: " + backoff.because;
}

namespace {

constexpr BackoffLengths throttled_rest{.first = std::chrono::seconds(20),
                                        .most = std::chrono::minutes(5)};
constexpr BackoffLengths credentials_rest{.first = std::chrono::minutes(1),
                                          .most = std::chrono::minutes(15)};
constexpr Duration rest_reset = std::chrono::minutes(10);

bool is_rest_past(const CloudBackoff& rest, Time now) {
    return is_backoff_past(rest.until, rest.until, rest_reset, now);
}

template <class Actions>
void rest_by(Memory& memory, Call call, const Actions& actions,
             const std::vector<std::optional<Error>>& results, Time now) {
    for (std::size_t i = 0; i < std::min(actions.size(), results.size()); ++i)
        if (results[i]) rest_cloud(memory, actions[i].cloud, call, *results[i], now);
}

std::string why_resting(const PluginInstanceId& cloud, const CloudBackoff& rest) {
    const auto length = std::chrono::ceil<std::chrono::seconds>(rest.until - rest.last_failure);
    std::string out = "cloud " + cloud.value() + " is backed off for " + format_duration(length) +
                      ": " + rest.because;
    if (rest.failures > 1) out += " (" + std::to_string(rest.failures) + " times in a row)";
    return out;
}

}  // namespace

Duration with_jitter(Duration length, std::string_view of, Time now) noexcept {
    Hash hash;
    hash.add(of);
    hash.add(unix_ns(now));
    constexpr std::uint64_t steps = 1024;
    return length + length / 4 * static_cast<std::int64_t>(hash.value() % steps) /
                        static_cast<std::int64_t>(steps);
}

void rest_cloud(Memory& memory, const PluginInstanceId& cloud, Call call, const Error& error,
                Time now) {
    const Reaction reaction = reaction_to(call, error.code);
    const bool awaits = reaction == Reaction::await_credentials;
    if (!awaits && reaction != Reaction::rest_cloud) return;
    const BackoffLengths& lengths = awaits ? credentials_rest : throttled_rest;
    CloudBackoff& rest = memory.cloud_backoffs[cloud];
    if (rest.failures > 0 && is_rest_past(rest, now)) rest = {};
    const bool is_resting = rest.failures > 0 && now < rest.until;
    rest.length =
        std::min(std::max(lengths.first, next_backoff_length(rest.length, is_resting, lengths)),
                 lengths.most);
    if (rest.failures == 0) rest.since = now;
    if (!is_resting) ++rest.failures;
    rest.last_failure = now;
    rest.code = error.code;
    rest.because = error.message;
    const Duration asked = find_backoff_end(error, rest.length, lengths.most, now) - now;
    rest.until = std::max(rest.until, later(now, with_jitter(asked, cloud.value(), now)));
}

Memory remember_refreshes(Memory memory, const std::map<PluginInstanceId, Error>& failed,
                          Time now) {
    for (const auto& [cloud, error] : failed) rest_cloud(memory, cloud, Call::refresh, error, now);
    return memory;
}

Memory remember_cloud_results(Memory memory, const Decision& decision, const Results& results,
                              Time now) {
    rest_by(memory, Call::decrease_target, decision.decreases, results.decreases, now);
    rest_by(memory, Call::create_group, decision.creations, results.creations, now);
    rest_by(memory, Call::increase, decision.increases, results.increases, now);
    rest_by(memory, Call::increase, decision.increases, results.shortfalls, now);
    rest_by(memory, Call::destroy_group, decision.deletions, results.deletions, now);
    for (std::size_t i = 0; i < std::min(decision.removals.size(), results.removals.size()); ++i)
        for (const Error& error : results.removals[i])
            rest_cloud(memory, decision.removals[i].cloud, Call::remove, error, now);
    return memory;
}

void forget_cloud_backoffs(Memory& memory, Time now) {
    std::erase_if(memory.cloud_backoffs,
                  [&](const auto& entry) { return is_rest_past(entry.second, now); });
}

std::map<PluginInstanceId, std::string> find_resting_clouds(const Memory& memory, Time now) {
    std::map<PluginInstanceId, std::string> out;
    for (const auto& [cloud, rest] : memory.cloud_backoffs)
        if (now < rest.until) out.emplace(cloud, why_resting(cloud, rest));
    return out;
}

std::optional<Time> next_cloud_backoff_end(const Memory& memory, Time now) noexcept {
    std::optional<Time> out;
    for (const auto& [cloud, rest] : memory.cloud_backoffs)
        if (now < rest.until) out = std::min(out.value_or(rest.until), rest.until);
    return out;
}

}  // namespace capstan::engine::health
