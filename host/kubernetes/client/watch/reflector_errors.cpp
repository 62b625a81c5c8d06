// What a reflector does when something goes wrong. Its rules are those of Kubernetes' own clients.
#include <algorithm>
#include <utility>

#include "kubernetes/client/watch/reflector_state.hpp"

namespace capstan::kubernetes::client {
namespace {

using namespace std::chrono_literals;

constexpr Duration probe_after = 5min;
/// How long a server that fails inside is asked for the same again.
constexpr Duration failing_for = 1min;

/// Right after its start a server knows no rights yet, and no version from before.
constexpr Duration recovering_for = 30s;

/// The server did not answer, or failed, without saying when to ask again.
bool is_outage(const Error& error, WatchError what) {
    if (error.retry_after || error.code == ErrorCode::throttled) return false;
    return what == WatchError::failing || what == WatchError::stalled ||
           (what == WatchError::busy && error.code != ErrorCode::unauthenticated);
}

/// Many servers cannot do it, and say so in many ways.
bool gives_up_watch_list(WatchError what) {
    return what == WatchError::failing || what == WatchError::refused ||
           what == WatchError::broken || what == WatchError::stalled;
}

}  // namespace

void Reflector::State::set_back(const Error& error, WatchError what) {
    const Phase during = phase;
    const bool is_silent_watch = during == Phase::watching && what == WatchError::stalled;
    if (during == Phase::watching) leave_watch(what);
    if (during == Phase::starting && gives_up_watch_list(what)) {
        uses_watch_list = false;
        return go_on(Step::list);
    }
    const Duration now = loop.monotonic();
    if (is_outage(error, what)) lost_at = now;
    const bool was_away = lost_at && now - *lost_at <= recovering_for;
    const std::optional<Duration> soon =
        is_outdated(what) ? backoff.next_relist(now, was_away) : std::nullopt;
    if (!soon) tell(error);
    if (is_silent_watch && events > 0) return go_on(Step::watch);
    if (is_silent_watch) {
        // Another watch may be as silent from its beginning: only a list tells what happened.
        from = list_from(next_from(during, what));
        return go_on(Step::list);
    }
    choose_next(during, what);
    if (what == WatchError::forbidden && options.is_optional) is_unavailable = true;
    if (what == WatchError::absent && options.is_optional) return become_absent();
    const Duration advised = std::min(error.retry_after.value_or(Duration{0}), longest_advice);
    wait(std::max(soon ? *soon : backoff.next(now), advised));
    const bool is_passing = what == WatchError::forbidden && was_away;
    if (is_outage(error, what) || is_passing) wake_on_answer();
}

void Reflector::State::choose_next(Phase during, WatchError what) {
    next = during != Phase::watching || lists_after(what) ? Step::list : Step::watch;
    if (next == Step::list) from = list_from(next_from(during, what));
}

/// Whether a watch that ended so cannot go on from the version it came to.
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
    // A server that was restored may not make sense of a version of its former self.
    if (what == WatchError::too_large || what == WatchError::refused) return ListFrom::newest;
    if (during == Phase::watching) return ListFrom::last_seen;
    if (what != WatchError::expired) return from;
    // A page's token expired: the one that the server offers instead would mix two moments.
    return next_page.empty() || during != Phase::listing ? ListFrom::newest
                                                         : ListFrom::newest_whole;
}

void Reflector::State::leave_watch(WatchError what) {
    has_ended_well = false;
    if (!is_in_touch()) return;
    // A server opens a watch of a version that it has not, to say so in it.
    if (is_outdated(what) && events == 0) return;
    // One that fails as soon as it is open tells nothing, and ends no trouble.
    if (events == 0 && loop.monotonic() - opened < 1s) return;
    wakes = 0;
    as_of = what == WatchError::stalled ? silence.heard() : loop.monotonic();
    // One that was silent from its beginning goes on with the trouble of the one before.
    if (what != WatchError::stalled || events > 0) trouble.reset();
}

void Reflector::State::tell(const Error& error) {
    const bool is_known =
        trouble && trouble->code == error.code && trouble->provider_code == error.provider_code;
    trouble = error;
    if (!is_known && options.on_trouble) options.on_trouble(error);
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
        store.confirm();
        go_on(Step::watch);
        return store.settle();
    }
    set_back({ErrorCode::deadline, what_is_done() + ": nothing came for too long"},
             WatchError::stalled);
    store.settle();
}

bool Reflector::State::is_in_touch() const { return phase == Phase::watching && is_answered; }

void Reflector::State::hear() {
    silence.hear();
    last_heard = loop.clock()->wall();
}

std::string Reflector::State::what_is_done() const {
    const char* verb = phase == Phase::listing ? "list " : "watch ";
    return verb + options.what.name;
}

}  // namespace capstan::kubernetes::client
