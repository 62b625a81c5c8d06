#include "simulator/event_log.hpp"

#include <utility>

namespace capstan::simulator {

std::string_view name_of(EventKind kind) noexcept {
    switch (kind) {
        case EventKind::arrival: return "arrival";
        case EventKind::departure: return "departure";
        case EventKind::increase: return "increase";
        case EventKind::decrease: return "decrease";
        case EventKind::removal: return "removal";
        case EventKind::creation: return "creation";
        case EventKind::deletion: return "deletion";
        case EventKind::eviction: return "eviction";
        case EventKind::backoff: return "backoff";
        case EventKind::failure: return "failure";
        case EventKind::unschedulable: return "unschedulable";
        case EventKind::note: return "note";
        case EventKind::node: return "node";
        case EventKind::bound: return "bound";
        case EventKind::fault: return "fault";
        case EventKind::unmet: return "unmet";
    }
    return "unknown";
}

std::string_view name_of(RunEnd end) noexcept {
    switch (end) {
        case RunEnd::complete: return "complete";
        case RunEnd::time_limit: return "time_limit";
        case RunEnd::repetition: return "repetition";
    }
    return "unknown";
}

void EventLog::add(Time now, EventKind kind, std::string subject, std::string text,
                   std::optional<std::int64_t> count, std::string because, bool is_repeated) {
    add({.at = now - start_,
         .kind = kind,
         .text = std::move(text),
         .because = std::move(because),
         .subject = std::move(subject),
         .count = count,
         .is_repeated = is_repeated});
}

void EventLog::add(Event event) {
    if (is_held_) {
        held_.push_back(std::move(event));
        return;
    }
    events_.push_back(std::move(event));
    observer_.on_event(events_.back());
}

std::vector<Event> EventLog::take_held() {
    is_held_ = false;
    return std::exchange(held_, {});
}

}  // namespace capstan::simulator
