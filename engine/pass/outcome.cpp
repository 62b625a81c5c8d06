#include "engine/pass/outcome.hpp"

#include <utility>

#include <capstan/assert.hpp>

#include "engine/health/answered_targets.hpp"
#include "engine/health/cloud_backoff.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/health/removed_machines.hpp"
#include "engine/health/requests.hpp"
#include "engine/provisioning/empty_groups.hpp"
#include "engine/provisioning/upcoming_groups.hpp"
#include "engine/removal/results.hpp"

namespace capstan::engine::pass {
namespace {

/// Results are in the order of the decision: one too many would be taken for another action's.
bool are_of(const Results& results, const Decision& decision) {
    return results.decreases.size() <= decision.decreases.size() &&
           results.removals.size() <= decision.removals.size() &&
           results.creations.size() <= decision.creations.size() &&
           results.increases.size() <= decision.increases.size() &&
           results.answered_targets.size() <= decision.increases.size() &&
           results.shortfalls.size() <= decision.increases.size() &&
           results.node_changes.size() <= decision.node_changes.size() &&
           results.evictions.size() <= decision.evictions.size() &&
           results.deletions.size() <= decision.deletions.size();
}

}  // namespace

Memory remember_plan(Memory before, const Outcome& outcome, const Settings& settings, Time now) {
    before.planned = outcome.memory.planned;
    before.planned_since = outcome.memory.planned_since;
    before.upcoming_groups = outcome.memory.upcoming_groups;
    before.answered_targets = outcome.memory.answered_targets;
    before.removed_machines = outcome.memory.removed_machines;
    // What the pass has seen. After a restart the requested machines would otherwise be taken for
    // those of nodes that had vanished before.
    before.known_groups = outcome.memory.known_groups;
    before.unjoined = outcome.memory.unjoined;
    before.launched = outcome.memory.launched;
    before.lost_nodes = outcome.memory.lost_nodes;
    // A request that has timed out is taken back in this pass, and then only its back-off is left.
    before.backoffs = outcome.memory.backoffs;
    before.offering_backoffs = outcome.memory.offering_backoffs;
    for (const Decrease& decrease : outcome.decision.decreases)
        health::release_kept_request(before, decrease);
    for (const Increase& increase : outcome.decision.increases) {
        health::expect_answer(before, increase, now);
        if (!health::restore_kept_request(before, increase.group))
            health::expect_request(before, increase, settings, now);
    }
    return before;
}

Memory remember_results(Memory memory, const Decision& decision, const Results& results,
                        const Settings& settings, Time now) {
    CAPSTAN_ASSERT(are_of(results, decision), "results are of another decision");
    memory = provisioning::remember_creations(std::move(memory), decision, results, settings, now);
    memory = provisioning::remember_deletions(std::move(memory), decision, results, settings, now);
    health::remember_removed_machines(memory, decision, results, now);
    memory = health::remember_answers(std::move(memory), decision, results, settings, now);
    memory = health::remember_sizes(std::move(memory), decision, results, settings, now);
    memory = health::remember_cloud_results(std::move(memory), decision, results, now);
    memory = health::remember_refused_removals(std::move(memory), decision, results, settings, now);
    return removal::remember_steps(std::move(memory), decision, results, settings, now);
}

}  // namespace capstan::engine::pass
