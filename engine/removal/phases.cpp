#include "engine/removal/phases.hpp"

#include <utility>

#include "engine/health/removal_backoff.hpp"
#include "engine/node_marks.hpp"

namespace capstan::engine::removal {

void give_up(Memory& memory, NodeRemoval& removal, std::string because, Time now) {
    enter(removal, RemovalPhase::undoing, now);
    removal.because = std::move(because);
    memory.last.failed_removal = now;
    memory.last_by_group[removal.group].failed_removal = now;
}

void give_up_and_back_off(Memory& memory, NodeRemoval& removal, std::string because,
                          const Settings& settings, Time now) {
    health::back_off_removal(memory, removal.group, removal.machine, because,
                             settings.scale_down.delay_after_failure, settings, now);
    give_up(memory, removal, std::move(because), now);
}

void end_unmarked_removal(Memory& memory, NodeRemoval& removal, const Settings& settings,
                          Time now) {
    removal.because = "another client removed its taint " + std::string(to_be_deleted_taint);
    health::postpone_removal(memory, removal.group, removal.machine, removal.because,
                             settings.scale_down.delay_after_failure, now);
    enter(removal, RemovalPhase::undoing, now);
}

}  // namespace capstan::engine::removal
