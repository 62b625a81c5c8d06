#include "runtime/daemon/event_reporter.hpp"

#include <capstan/sentence.hpp>

#include "runtime/daemon/decision_history.hpp"

namespace capstan::runtime::daemon {

void EventReporter::tell(const PassReport& pass, const kubernetes::client::ObjectReference& about,
                         const std::string& unhealthy_because,
                         const kubernetes::client::ClusterCache& mirror,
                         kubernetes::client::EventRecorder& recorder) {
    for (const kubernetes::client::EventNote& note : events_of(pass, about, unhealthy_because))
        if (!note.about.name.empty()) recorder.record(note);
    for (const kubernetes::client::ObjectReference& pod : pods_.see(pass))
        if (const auto since = mirror.unschedulable_since(pod.ns, pod.name))
            metrics_.ordered_for_pod(pass.shown_at() - *since);
    for (const kubernetes::client::EventNote& note : pods_.take(recorder.room()))
        recorder.record(note);
    metrics_.set_events(recorder.counts(), pods_.unreported());
    tell_unreported();
}

void EventReporter::tell_unreported() {
    const Duration now = loop_.monotonic();
    if (pods_.unreported() == unreported_ || (unreported_at_ && now - *unreported_at_ < quiet))
        return;
    const auto count = static_cast<std::int64_t>(pods_.unreported() - unreported_);
    log_.write(config::LogLevel::warn, "events",
               counted(count, "pod") +
                   " triggered a scale-up and got no event that says so: more of them came than "
                   "may be written in a minute");
    unreported_ = pods_.unreported();
    unreported_at_ = now;
}

}  // namespace capstan::runtime::daemon
