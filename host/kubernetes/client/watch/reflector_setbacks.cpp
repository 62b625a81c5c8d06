// What a reflector does when something goes wrong. Its rules are those of Kubernetes' own clients.
#include <algorithm>
#include <utility>

#include "kubernetes/client/watch/reflector_state.hpp"

namespace capstan::kubernetes {
namespace {

using namespace std::chrono_literals;

constexpr Duration probe_after = 5min;
/// How long a server that fails inside is asked for the same again.
constexpr Duration failing_for = 1min;

/// Longer than a server takes over a request's head, see reflector_requests.cpp.
constexpr Duration certainly_open_after = 35s;

/// Many servers cannot do it, and say so in many ways.
bool gives_up_watch_list(Setback what) {
    return what == Setback::failing || what == Setback::refused || what == Setback::broken ||
           what == Setback::stalled;
}

}  // namespace

void Reflector::State::set_back(const Error& error, Setback what) {
    const Phase during = phase;
    if (during == Phase::watching) leave_watch(what);
    if (during == Phase::starting && gives_up_watch_list(what)) {
        uses_watch_list = false;
        return list();
    }
    tell(error);
    if (during == Phase::watching && what == Setback::stalled) return watch();
    choose_next(during, what);
    if (what == Setback::forbidden && options.is_optional) is_unavailable = true;
    if (what == Setback::absent && options.is_optional) return become_absent();
    const Duration advised = std::min(error.retry_after.value_or(Duration{0}), longest_advice);
    const Duration now = loop.monotonic();
    wait(std::max(is_outdated(what) ? backoff.next_relist(now) : backoff.next(now), advised));
}

void Reflector::State::choose_next(Phase during, Setback what) {
    lists_next = during != Phase::watching || lists_after(what);
    if (lists_next) from = next_from(during, what);
}

/// Whether a watch that ended so cannot go on from the version it came to.
bool Reflector::State::lists_after(Setback what) {
    switch (what) {
        case Setback::busy:
        case Setback::forbidden:
        case Setback::stalled: return false;
        case Setback::failing:
            if (!failing_since) failing_since = loop.monotonic();
            return loop.monotonic() - *failing_since > failing_for;
        case Setback::expired:
        case Setback::too_large:
        case Setback::refused:
        case Setback::absent:
        case Setback::broken: break;
    }
    failing_since.reset();
    return true;
}

ListFrom Reflector::State::next_from(Phase during, Setback what) const {
    // A server that was restored may not make sense of a version of its former self.
    if (what == Setback::too_large || what == Setback::refused) return ListFrom::newest;
    if (during == Phase::watching) return ListFrom::last_seen;
    if (what != Setback::expired) return from;
    // A page's token expired: the one that the server offers instead would mix two moments.
    return next_page.empty() || during != Phase::listing ? ListFrom::newest
                                                         : ListFrom::newest_whole;
}

void Reflector::State::leave_watch(Setback what) {
    if (!is_in_touch()) return;
    trouble.reset();
    as_of = what == Setback::stalled ? silence.heard() : loop.monotonic();
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
    from = ListFrom::cache;
    version.clear();
    lists_next = true;
    wait(probe_after);
}

void Reflector::State::take_silence(WatchSilence::Meaning meaning) {
    if (meaning == WatchSilence::Meaning::quiet) {
        leave_watch(Setback::busy);
        return watch();
    }
    set_back({ErrorCode::deadline, what_is_done() + ": nothing came for too long"},
             Setback::stalled);
    store.settle();
}

bool Reflector::State::is_in_touch() const {
    return phase == Phase::watching &&
           (events > 0 || loop.monotonic() - opened > certainly_open_after);
}

void Reflector::State::hear() {
    silence.hear();
    last_heard = loop.clock()->now();
}

std::string Reflector::State::what_is_done() const {
    const char* verb = phase == Phase::listing ? "list " : "watch ";
    return verb + std::string(options.what.resource.plural);
}

}  // namespace capstan::kubernetes
