#include "engine/health/backoff.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/hash.hpp>
#include <capstan/time_text.hpp>

#include "engine/health/reactions.hpp"
#include "engine/health/shared_backoff.hpp"
#include "engine/next_change.hpp"

namespace capstan::engine::health {

Duration next_backoff_length(Duration before, bool is_backed_off,
                             const BackoffLengths& lengths) noexcept {
    const auto& [first, most] = lengths;
    if (before == Duration(0)) return std::min(first, most);
    if (is_backed_off) return std::min(before, most);
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

/// Whether the back-off has not ended; its last instant belongs to it.
bool is_active(const Backoff& backoff, Time now) { return !backoff.until || *backoff.until >= now; }

bool is_stale(const Backoff& backoff, const Settings& settings, Time now) {
    return backoff.until &&
           is_backoff_past(*backoff.until, backoff.last_failure, settings.backoff_reset, now);
}

/// Errors of the interface itself, which say nothing about machines.
bool is_api_error(ErrorCode code) {
    return code != ErrorCode::out_of_capacity && code != ErrorCode::quota &&
           code != ErrorCode::deadline && code != ErrorCode::invalid_config;
}

/// The back-off that a new failure continues; NULL: the failure is the first in its row.
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
                                : next_backoff_length(row->length, is_active(*row, now), lengths);
    memory.backoffs[group] = {.since = row != nullptr ? row->since : now,
                              .until = find_backoff_end(error, length, lengths.most, now),
                              .length = length,
                              .last_failure = now,
                              .code = error.code,
                              .scope = backoff_scope_of(error, settings),
                              .because = error.message};
}

/// Failures further apart are not in a row.
constexpr Duration failed_calls_reset = std::chrono::minutes(10);
constexpr BackoffLengths repeated_failure{.first = std::chrono::seconds(20),
                                          .most = std::chrono::minutes(5)};

/// The length of a back-off after so many transient failures in a row.
Duration length_of_row(int failures, const BackoffLengths& lengths) {
    Duration length = lengths.first;
    for (int i = 2; i < failures && length < lengths.most; ++i) length *= 2;
    return std::min(length, lengths.most);
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

/// Counts a transient failure. The next pass tries again; from the second failure in a row on, and
/// after a throttled call, the group is backed off for a short time, so that another group gets its
/// turn. A conflict is over soon: it makes no later back-off longer. The length of the group's own
/// back-offs is kept for the next failure that is about the group.
void count_failed_call(Memory& memory, const NodeGroupId& group, const Error& error,
                       const Settings& settings, Time now) {
    FailedCalls& failed = memory.failed_calls[group];
    if (is_row_past(failed, now)) failed.count = 0;
    const bool is_throttled = error.code == ErrorCode::throttled;
    const bool is_conflict = error.code == ErrorCode::conflict;
    if (!is_conflict || failed.count < 2) ++failed.count;
    keep_retry_after(failed, error, settings, now);
    if (find_backoff(memory, group, now) != nullptr) return;
    const Duration asked = error.retry_after.value_or(Duration(0));
    if (failed.count == 1 && asked <= Duration(0) && !is_throttled) return;
    const Duration own = length_of_row(
        failed.count, is_throttled || is_conflict ? throttled_lengths : repeated_failure);
    const Duration length = std::min(std::max(own, asked), repeated_failure.most);
    const Backoff* row = find_row(memory, group, settings, now);
    memory.backoffs[group] = {.since = row != nullptr ? row->since : now,
                              .until = later(now, with_jitter(length, group.value(), now)),
                              .length = row != nullptr ? row->length : Duration(0),
                              .last_failure = now,
                              .code = error.code,
                              .because = error.message};
}

/// The group does not grow while the call is not made.
void leave_out_increases(Memory& memory, const NodeGroupId& group, const Error& error, Time now) {
    memory.backoffs[group] = {.since = now,
                              .until = later(now, suspension_time),
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
        case Reaction::treat_as_gone:
        case Reaction::await_outcome:
        case Reaction::back_off_cloud:
            count_failed_call(memory, group, error, settings, now);
            return memory;
        case Reaction::suspend: leave_out_increases(memory, group, error, now); return memory;
        default: return memory;  // says nothing about the group
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
        // Needed if the request is given back and made again, see find_next_ask.
        if (error.retry_after) keep_retry_after(memory.failed_calls[group], error, settings, now);
    } else {
        // No machine is requested, so none can join to end the back-off.
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
                              .scope = backoff_scope_of(error, settings),
                              .because = error.message};
}

void forget_backoffs(Memory& memory, const Snapshot& snapshot, const Settings& settings, Time now) {
    std::erase_if(memory.failed_calls,
                  [&](const auto& entry) { return is_row_past(entry.second, now); });
    std::erase_if(memory.backoffs, [&](const auto& entry) {
        const auto& [group, backoff] = entry;
        if (is_stale(backoff, settings, now)) return true;
        // No machine of a group that is gone will ever join.
        return !backoff.until && now - backoff.last_failure > settings.backoff_reset &&
               find_group(snapshot, group) == nullptr;
    });
}

const Backoff* find_backoff(const Memory& memory, const NodeGroupId& group, Time now) noexcept {
    const auto at = memory.backoffs.find(group);
    return at != memory.backoffs.end() && is_active(at->second, now) ? &at->second : nullptr;
}

const Backoff* find_backoff(const Memory& memory, const Group& group, Time now) {
    if (const Backoff* own = find_backoff(memory, group.group.id, now)) return own;
    return find_offering_backoff(memory, group, now);
}

bool fails_lately(const Memory& memory, const NodeGroupId& group) noexcept {
    return memory.failed_calls.contains(group) || memory.backoffs.contains(group);
}

bool failed_last(const Memory& memory, const NodeGroupId& group) noexcept {
    if (memory.failed_calls.contains(group)) return true;  // until a call succeeds
    const auto backoff = memory.backoffs.find(group);
    if (backoff == memory.backoffs.end()) return false;
    const auto last = memory.last_by_group.find(group);
    const std::optional<Time> grown =
        last == memory.last_by_group.end() ? std::nullopt : last->second.scale_up;
    return !grown || *grown <= backoff->second.last_failure;
}

std::optional<Time> next_backoff_end(const Memory& memory, Time now) noexcept {
    NextChange next_change(now);
    for (const auto& [group, backoff] : memory.backoffs) {
        if (backoff.until) next_change.is_before_end(*backoff.until);
    }
    for (const auto& [offering, backoff] : memory.offering_backoffs) {
        if (backoff.until) next_change.is_before_end(*backoff.until);
    }
    return next_change.at();
}

std::optional<Time> find_next_ask(const Memory& memory, const NodeGroupId& group) noexcept {
    const auto failed = memory.failed_calls.find(group);
    if (failed == memory.failed_calls.end()) return std::nullopt;
    const FailedCalls& calls = failed->second;
    const Time next = later(calls.last, length_of_row(calls.count, repeated_failure));
    return std::max(next, calls.not_before.value_or(next));
}

namespace {

/// What the error of a group's own back-off concerns; empty: the group, as far as it is known.
std::string name_scope(const Backoff& backoff) {
    if (!backoff.found_by.empty()) return {};
    switch (backoff.scope) {
        case ErrorScope::unknown: return {};
        case ErrorScope::group: return " (affects only this group)";
        case ErrorScope::zone: return " (affects its zone)";
        case ErrorScope::machine_type: return " (affects its machine type)";
        case ErrorScope::market: return " (affects its market)";
        case ErrorScope::account: return " (affects the account)";
    }
    return {};
}

}  // namespace

std::string end_text(Time end, const PassTime& time) {
    const auto wall = std::chrono::floor<std::chrono::seconds>(time.written(end));
    std::string out = format_rfc3339(wall);
    const bool is_soon = end - time.now < std::chrono::hours(24);
    return is_soon ? out.substr(out.find('T') + 1) : out;
}

std::string end_and_rest_text(Time end, const PassTime& time) {
    const auto left = std::chrono::ceil<std::chrono::seconds>(end - time.now);
    return end_text(end, time) + " (" + format_duration(left) + " left)";
}

namespace {

/// `end`: "03:02:10Z", used if the back-off ends at a time.
std::string describe_backoff(const Backoff& backoff, const std::string& end) {
    std::string out = "in backoff after failed scale-up until ";
    if (backoff.until) return out + end + name_scope(backoff) + ": " + backoff.because.text();
    const std::string& finder = backoff.found_by.value();
    return out + "a machine " + (finder.empty() ? "" : "of group " + finder + " ") + "joins" +
           (backoff.given_back ? " (no machine is requested while a limit is reached)" : "") +
           name_scope(backoff) + ": " + backoff.because.text();
}

}  // namespace

std::string why_backed_off(const Backoff& backoff, const PassTime& time) {
    return describe_backoff(backoff, backoff.until ? end_and_rest_text(*backoff.until, time) : "");
}

std::string reason_of(const Backoff& backoff, const PassTime& time) {
    return describe_backoff(backoff, backoff.until ? end_text(*backoff.until, time) : "");
}

std::string with_time_left(std::string sentence, std::span<const Group> groups,
                           const Memory& memory, const PassTime& time) {
    for (const Group& group : groups) {
        const Backoff* const backoff = find_backoff(memory, group, time.now);
        if (backoff == nullptr) continue;
        const std::string without = reason_of(*backoff, time);
        if (const std::size_t at = sentence.find(without); at != std::string::npos)
            sentence.replace(at, without.size(), why_backed_off(*backoff, time));
    }
    return sentence;
}

Duration with_jitter(Duration length, std::string_view of, Time now) noexcept {
    Hash hash;
    hash.add(of);
    hash.add(unix_ns(now));
    constexpr std::uint64_t steps = 1024;
    return length + length / 4 * static_cast<std::int64_t>(hash.value() % steps) /
                        static_cast<std::int64_t>(steps);
}

}  // namespace capstan::engine::health
