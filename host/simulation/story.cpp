#include "simulation/story.hpp"

#include <utility>

namespace capstan::simulation {

std::string_view name_of(EventKind kind) noexcept {
    switch (kind) {
        case EventKind::arrival: return "arrival";
        case EventKind::departure: return "departure";
        case EventKind::increase: return "increase";
        case EventKind::decrease: return "decrease";
        case EventKind::removal: return "removal";
        case EventKind::eviction: return "eviction";
        case EventKind::backoff: return "backoff";
        case EventKind::failure: return "failure";
        case EventKind::unhelped: return "unhelped";
        case EventKind::note: return "note";
        case EventKind::node: return "node";
        case EventKind::bound: return "bound";
        case EventKind::fault: return "fault";
        case EventKind::unmet: return "unmet";
    }
    return "unknown";
}

void Story::tell(Time now, EventKind kind, std::string subject, std::string text,
                 std::optional<std::int64_t> count, std::string because) {
    events_.push_back({.at = now - start_,
                       .kind = kind,
                       .text = std::move(text),
                       .because = std::move(because),
                       .subject = std::move(subject),
                       .count = count});
    observer_.on_event(events_.back());
}

}  // namespace capstan::simulation
