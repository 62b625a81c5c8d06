#include "autoscaler/cloud_actions.hpp"

#include <capstan/assert.hpp>

#include "engine/actions.hpp"

namespace capstan::autoscaler {

engine::Decision cloud_actions_of(const engine::Decision& decision) {
    engine::Decision out;
    out.decreases = decision.decreases;
    out.removals = decision.removals;
    out.creations = decision.creations;
    out.increases = decision.increases;
    out.deletions = decision.deletions;
    return out;
}

NodeGroupId group_at(const engine::Decision& decision, const ActionPlace& place) {
    const auto [kind, at] = place;
    switch (kind) {
        case CloudAction::decrease: return decision.decreases[at].group;
        case CloudAction::removal: return decision.removals[at].group;
        case CloudAction::creation: return decision.creations[at].group;
        case CloudAction::increase: return decision.increases[at].group;
        case CloudAction::deletion: return decision.deletions[at].group;
    }
    return {};
}

std::string command_at(const engine::Decision& decision, const ActionPlace& place) {
    const auto [kind, at] = place;
    switch (kind) {
        case CloudAction::decrease: return command_of(decision.decreases[at]);
        case CloudAction::removal: return command_of(decision.removals[at]);
        case CloudAction::creation: return command_of(decision.creations[at]);
        case CloudAction::increase: return command_of(decision.increases[at]);
        case CloudAction::deletion: return command_of(decision.deletions[at]);
    }
    return {};
}

void set_error(engine::Results& results, const ActionPlace& place, const Error& error) {
    const auto [kind, at] = place;
    switch (kind) {
        case CloudAction::decrease: results.decreases[at] = error; break;
        case CloudAction::removal: results.removals[at] = {error}; break;
        case CloudAction::creation: results.creations[at] = error; break;
        case CloudAction::increase: results.increases[at] = error; break;
        case CloudAction::deletion: results.deletions[at] = error; break;
    }
}

engine::Results failed_results(const engine::Decision& decision, const Error& error) {
    engine::Results out;
    out.decreases.assign(decision.decreases.size(), error);
    out.removals.assign(decision.removals.size(), {error});
    out.creations.assign(decision.creations.size(), error);
    out.increases.assign(decision.increases.size(), error);
    out.node_changes.assign(decision.node_changes.size(), error);
    out.evictions.assign(decision.evictions.size(), error);
    out.deletions.assign(decision.deletions.size(), error);
    return out;
}

ActionsUnderWay::Ended ended_action(const engine::Decision& decision,
                                    const engine::Results& results, const ActionPlace& place) {
    const auto [kind, at] = place;
    ActionsUnderWay::Ended out;
    const auto note = [&](auto list, auto& from, auto& to) {
        CAPSTAN_ASSERT(at < (from.*list).size(), "there is no such action");
        (to.*list).push_back((from.*list)[at]);
    };
    switch (kind) {
        case CloudAction::decrease:
            note(&engine::Decision::decreases, decision, out.decision);
            note(&engine::Results::decreases, results, out.results);
            break;
        case CloudAction::removal:
            note(&engine::Decision::removals, decision, out.decision);
            note(&engine::Results::removals, results, out.results);
            break;
        case CloudAction::creation:
            note(&engine::Decision::creations, decision, out.decision);
            note(&engine::Results::creations, results, out.results);
            break;
        case CloudAction::increase:
            note(&engine::Decision::increases, decision, out.decision);
            note(&engine::Results::increases, results, out.results);
            note(&engine::Results::answered_targets, results, out.results);
            note(&engine::Results::shortfalls, results, out.results);
            break;
        case CloudAction::deletion:
            note(&engine::Decision::deletions, decision, out.decision);
            note(&engine::Results::deletions, results, out.results);
            break;
    }
    out.sentence = command_at(decision, place) + " has ended";
    return out;
}

}  // namespace capstan::autoscaler
