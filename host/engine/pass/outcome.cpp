#include "engine/pass/outcome.hpp"

#include <utility>

#include "engine/health/answered_targets.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/health/requests.hpp"
#include "engine/provisioning/empty_groups.hpp"
#include "engine/provisioning/upcoming_groups.hpp"
#include "engine/removal/results.hpp"

namespace capstan::engine::pass {

Memory remember_plan(Memory before, const Outcome& outcome, const Settings& settings, Time now) {
    before.planned = outcome.memory.planned;
    before.planned_since = outcome.memory.planned_since;
    before.upcoming_groups = outcome.memory.upcoming_groups;
    before.answered_targets = outcome.memory.answered_targets;
    // A request that has timed out is taken back at once: after that nothing else tells of it.
    before.backoffs = outcome.memory.backoffs;
    before.offering_backoffs = outcome.memory.offering_backoffs;
    for (const Decrease& decrease : outcome.decision.decreases)
        health::remember_given_back(before, decrease);
    for (const Increase& increase : outcome.decision.increases) {
        health::expect_answer(before, increase, now);
        if (!health::keep_asked_for(before, increase.group))
            health::expect_request(before, increase, settings, now);
    }
    return before;
}

Memory remember_results(Memory memory, const Decision& decision, const Results& results,
                        const Settings& settings, Time now) {
    memory = provisioning::remember_creations(std::move(memory), decision, results, settings, now);
    memory = provisioning::remember_deletions(std::move(memory), decision, results, settings, now);
    memory = health::remember_answers(std::move(memory), decision, results, settings, now);
    memory = health::remember_sizes(std::move(memory), decision, results, settings, now);
    memory = health::remember_cloud_results(std::move(memory), decision, results, now);
    memory = health::remember_refused_removals(std::move(memory), decision, results, settings, now);
    return removal::remember_steps(std::move(memory), decision, results, settings, now);
}

}  // namespace capstan::engine::pass
