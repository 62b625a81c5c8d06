/// The events of a run: passed to the observer as they happen, and kept for the report. Facts are
/// passed to the observer as well, and not kept.
#pragma once

#include <string>
#include <vector>

#include "simulator/report.hpp"
#include "simulator/run.hpp"

namespace capstan::simulator {

class EventLog {
public:
    EventLog(Time start, Observer& observer)
        : start_(start), observer_(observer), wants_facts_(observer.wants_facts()) {}

    void add(Time now, EventKind kind, std::string subject, std::string text,
             std::optional<std::int64_t> count = {}, std::string because = {},
             bool is_repeated = false);
    std::vector<Event>& events() noexcept { return events_; }

    /// Whether anybody observes facts. Otherwise a caller need not make them.
    bool wants_facts() const noexcept { return wants_facts_; }
    void add(const Fact& fact) {
        if (wants_facts_) observer_.on_fact(fact);
    }
    void add(const Fault& drawn) { observer_.on_drawn(drawn); }
    void add_left_out(const Action& action) { observer_.on_left_out(action); }

    /// From here on events are held back, until take_held() returns them.
    void hold() { is_held_ = true; }
    std::vector<Event> take_held();
    void add(Event event);

private:
    Time start_;
    Observer& observer_;
    bool wants_facts_;
    std::vector<Event> events_, held_;
    bool is_held_ = false;
};

}  // namespace capstan::simulator
