// How a reflector handles errors. In principle: a failure of the server or the connection is waited
// out with back-off, and the watch then continues from the last version; an error that makes this
// version useless leads to a new list. The rules are those of client-go.
#include <algorithm>
#include <utility>

#include "kubernetes/client/watch/reflector_state.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

constexpr Duration probe_after = 5min;
/// How long a watch with internal errors is retried from the same version before a new list.
constexpr Duration failing_for = 1min;

/// A server that has just started may not have loaded RBAC rules and older versions yet.
constexpr Duration recovering_for = 30s;

/// Whether the server did not answer, or failed without a Retry-After.
bool is_outage(const Error& error, WatchError what) {
    if (error.retry_after || error.code == ErrorCode::throttled) return false;
    return what == WatchError::failing || what == WatchError::stalled ||
           (what == WatchError::busy && error.code != ErrorCode::unauthenticated);
}

/// Whether the error may mean that the server has no streaming lists. Servers refuse them in many
/// ways.
bool gives_up_watch_list(WatchError what) {
    return what == WatchError::failing || what == WatchError::refused ||
           what == WatchError::broken || what == WatchError::stalled;
}

}  // namespace

void Reflector::State::handle_error(const Error& error, WatchError what) {
    const Phase during = phase;
    const bool is_stalled_watch = during == Phase::watching && what == WatchError::stalled;
    if (during == Phase::watching) {
        leave_watch(what);
        is_version_doubtful = true;
    }
    if (during == Phase::starting && gives_up_watch_list(what)) {
        uses_watch_list = false;
        return continue_with(Step::list);
    }
    const Duration now = loop.monotonic();
    if (is_outage(error, what)) lost_at = now;
    const bool was_away = lost_at && now - *lost_at <= recovering_for;
    const std::optional<Duration> soon =
        is_outdated(what) ? backoff.next_relist(now, was_away) : std::nullopt;
    if (!soon) report_trouble(error);
    if (is_stalled_watch && events > 0) return continue_with(Step::watch);
    if (is_stalled_watch) {
        // This watch had no event at all, and the next one may stall as well. Only a list shows the
        // changes.
        from = list_from(next_from(during, what));
        return continue_with(Step::list);
    }
    choose_next(during, what);
    if (what == WatchError::forbidden && options.is_optional) is_unavailable = true;
    if (what == WatchError::absent && options.is_optional) return become_absent();
    const Duration retry_after = std::min(error.retry_after.value_or(Duration{0}), retry_after_max);
    wait(std::max(soon ? *soon : backoff.next(now), retry_after));
    const bool is_passing = what == WatchError::forbidden && was_away;
    if (is_outage(error, what) || is_passing) wake_on_answer();
}

void Reflector::State::choose_next(Phase during, WatchError what) {
    next = during != Phase::watching || lists_after(what) ? Step::list : Step::watch;
    if (next == Step::list) from = list_from(next_from(during, what));
}

/// Whether a watch that ended with this error needs a new list, and cannot continue from its last
/// version.
bool Reflector::State::lists_after(WatchError what) {
    switch (what) {
        case WatchError::busy:
        case WatchError::forbidden:
        case WatchError::stalled: return false;
        case WatchError::failing:
            if (!failing_since) failing_since = loop.monotonic();
            return loop.monotonic() - *failing_since > failing_for;
        case WatchError::expired:
        case WatchError::too_large:
        case WatchError::refused:
        case WatchError::absent:
        case WatchError::broken: break;
    }
    failing_since.reset();
    return true;
}

ListFrom Reflector::State::next_from(Phase during, WatchError what) const {
    // A server restored from a backup may not understand a version from before the restore.
    if (what == WatchError::too_large || what == WatchError::refused) return ListFrom::newest;
    if (during == Phase::watching) return ListFrom::last_seen;
    if (what != WatchError::expired) return from;
    // A page's continue token expired. The server offers a token for an inconsistent list, whose
    // pages are of two moments, so one whole list is asked for instead.
    return next_page.empty() || during != Phase::listing ? ListFrom::newest
                                                         : ListFrom::newest_whole;
}

void Reflector::State::leave_watch(WatchError what) {
    has_ended_well = false;
    if (!is_in_touch()) return;
    // For a version that the server does not have, it opens a watch and sends the error in it.
    if (is_outdated(what) && events == 0) return;
    // A watch that fails as soon as it is open proves nothing, and does not end the failure.
    if (events == 0 && loop.monotonic() - opened < 1s) return;
    wakes = 0;
    as_of = what == WatchError::stalled ? silence.heard() : loop.monotonic();
    // A watch that stalled without an event does not end the failure of the watch before it.
    if (what != WatchError::stalled || events > 0) trouble.reset();
}

void Reflector::State::report_trouble(const Error& error) {
    const bool is_reported =
        trouble && trouble->code == error.code && trouble->provider_code == error.provider_code;
    trouble = error;
    if (!is_reported && options.on_error) options.on_error(error);
}

void Reflector::State::become_absent() {
    is_unavailable = true;
    is_replacing = false;
    store.begin_replace();
    store.finish_replace();
    from = list_from(ListFrom::cache);
    version.clear();
    next = Step::list;
    wait(probe_after);
}

void Reflector::State::take_silence(WatchSilence::Meaning meaning) {
    if (meaning == WatchSilence::Meaning::quiet) {
        leave_watch(WatchError::busy);
        has_ended_well = true;
        is_version_doubtful = true;
        store.confirm();
        continue_with(Step::watch);
        return store.settle();
    }
    handle_error({ErrorCode::deadline, describe_request() + ": received no data for too long"},
                 WatchError::stalled);
    store.settle();
}

bool Reflector::State::is_in_touch() const { return phase == Phase::watching && is_answered; }

void Reflector::State::mark_alive() {
    silence.mark_alive();
    last_heard = loop.clock()->wall();
}

std::string Reflector::State::describe_request() const {
    const char* verb = phase == Phase::listing ? "list " : "watch ";
    return verb + options.what.name;
}

}  // namespace capstan::kubernetes::client
