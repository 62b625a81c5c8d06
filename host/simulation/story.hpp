/// What happens, told as it happens and kept for the report.
#pragma once

#include <string>
#include <vector>

#include "simulation/report.hpp"
#include "simulation/run.hpp"

namespace capstan::simulation {

class Story {
public:
    Story(Time start, Observer& observer) : start_(start), observer_(observer) {}

    void tell(Time now, EventKind kind, std::string subject, std::string text,
              std::optional<std::int64_t> count = {}, std::string because = {});
    std::vector<Event>& events() noexcept { return events_; }

private:
    Time start_;
    Observer& observer_;
    std::vector<Event> events_;
};

}  // namespace capstan::simulation
