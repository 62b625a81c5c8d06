// What became of back-offs and removals, from one memory to the next.
#include <capstan/duration.hpp>

#include "simulation/decision_story.hpp"

namespace capstan::simulation {
namespace {

using engine::Backoff;
using engine::Memory;
using engine::NodeRemoval;
using engine::RemovalPhase;

void tell_backoffs(const Memory& before, const Memory& after, Story& story, Time now) {
    for (const auto& [group, backoff] : after.backoffs) {
        const auto old = before.backoffs.find(group);
        if (old != before.backoffs.end() && old->second.last_failure == backoff.last_failure)
            continue;
        const std::string how_long = backoff.until ? "for " + format_duration(*backoff.until - now)
                                                   : "until a machine joins";
        story.tell(now, EventKind::backoff, group.value(),
                   group.value() + " is left alone " + how_long, {}, backoff.because);
    }
    for (const auto& [group, backoff] : before.backoffs) {
        // One that merely ran out has said so when it began.
        const bool ran_out = backoff.until && *backoff.until <= now;
        if (ran_out || after.backoffs.contains(group)) continue;
        story.tell(now, EventKind::backoff, group.value(),
                   group.value() + " is not left alone any more");
    }
}

void tell_beginning(const std::string& node, const NodeRemoval& removal, Story& story, Time now) {
    story.tell(now, EventKind::removal, removal.group.value(), "removal of " + node + " begins", 1,
               removal.because);
}

}  // namespace

void DecisionStory::remembered(const Memory& before, const Memory& after, Time now) {
    tell_backoffs(before, after, story_, now);
    for (const auto& [node, removal] : after.removals) {
        const auto old = before.removals.find(node);
        const bool is_undone = removal.phase == RemovalPhase::undoing;
        if (old == before.removals.end() && !is_undone) {
            tell_beginning(node, removal, story_, now);
            begun_.insert(node);
        }
        const bool was_undone =
            old != before.removals.end() && old->second.phase == RemovalPhase::undoing;
        if (!is_undone || was_undone) continue;
        tally_.removal_undone();
        story_.tell(now, EventKind::removal, removal.group.value(),
                    "removal of " + node + " is given up", 1, removal.because);
    }
    for (const auto& [node, removal] : before.removals) {
        if (after.removals.contains(node)) continue;
        begun_.erase(node);
        if (world_.has_node(node)) continue;
        if (removal.phase != RemovalPhase::removed) continue;
        tally_.removal_took(now - removal.since);
    }
}

}  // namespace capstan::simulation
