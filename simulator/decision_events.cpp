#include "simulator/decision_events.hpp"

#include <algorithm>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/each_action.hpp"
#include "simulator/commands.hpp"

namespace capstan::simulator {
namespace {

std::vector<UnschedulablePods> unschedulable_of(const engine::Decision& decision,
                                                const SimulatedCluster& cluster) {
    std::vector<UnschedulablePods> out;
    for (const engine::UnschedulablePods& u : decision.unschedulable) {
        UnschedulablePods line{
            .batch = cluster.batch_of(u.pods.example), .count = u.pods.count, .reason = u.reason};
        for (const auto& [groups, reason] : u.groups)
            for (const NodeGroupId& group : groups)
                line.in_group.emplace(group.value(), reason.sentence);
        out.push_back(std::move(line));
    }
    return out;
}

std::string from_to(int from, int to) {
    return ": " + std::to_string(from) + " -> " + std::to_string(to);
}

/// "n1-standard-4 in z1, spot, team=a, team=a:NoSchedule"
std::string describe_plan(const GroupPlan& plan) {
    std::string out = plan.machine_type + (plan.zone.empty() ? "" : " in " + plan.zone) +
                      (plan.spot ? ", spot" : "");
    for (const auto& [key, value] : plan.labels) out += ", " + key + "=" + value;
    for (const Taint& taint : plan.taints) out += ", " + to_string(taint);
    return out;
}

}  // namespace

const GivenCommand* find_command(const std::vector<GivenCommand>& commands,
                                 std::string_view words) {
    const auto at = std::ranges::find_if(commands, [&](const GivenCommand& given) {
        return words.empty() || begins_with_words(given.text, words);
    });
    return at == commands.end() ? nullptr : &*at;
}

void DecisionEvents::decided(const autoscaler::PassResult& result,
                             const std::vector<Error>& problems, Time now) {
    for (const engine::Group& group : *result.groups)
        statistics_.price(group.group.id.value(), group.price_per_hour);
    const engine::Decision& decision = result.outcome.decision;
    std::vector<std::string> notes;
    for (const Error& problem : problems) notes.push_back(problem.message);
    notes.insert(notes.end(), decision.notes.begin(), decision.notes.end());
    for (const plugin_runtime::instances::SkippedHook& miss : result.skipped_hooks)
        notes.push_back(plugin_runtime::instances::skipped_hook_text(miss));
    note(notes, now);
    add_unschedulable(unschedulable_of(decision, cluster_), now);
    need_no_node_.clear();
    for (const engine::SkippedPods& s : decision.skipped)
        if (s.code == engine::ReasonCode::none) need_no_node_ = s.because;
}

void DecisionEvents::ended(const std::vector<autoscaler::ActionsUnderWay::Ended>& actions,
                           Time now) {
    for (const autoscaler::ActionsUnderWay::Ended& action : actions) {
        engine::for_each_action(
            action.decision, action.results,
            [&](const auto& what, const engine::ActionResult& result) {
                const std::string group = engine::facts_of(what).group;
                if (const Error* const error = result.error(); error != nullptr) {
                    event_log_.add(now, EventKind::failure, group, command_of(what) + " fails", 1,
                                   error->message);
                } else {
                    event_log_.add(now, EventKind::note, group, action.sentence);
                }
            });
        for (std::size_t i = 0; i < action.decision.removals.size(); ++i)
            if (action.results.removals[i].empty()) count(action.decision.removals[i]);
    }
}

/// Counts the nodes whose machines the cloud has agreed to remove.
void DecisionEvents::count(const engine::MachineRemoval& gone) {
    for (const std::string& node : gone.nodes)
        if (!node.empty()) statistics_.node_removed();
}

void DecisionEvents::note(const std::vector<std::string>& notes, Time now) {
    for (const std::string& text : notes) {
        if (!noted_.contains(text)) event_log_.add(now, EventKind::note, "", text);
    }
    noted_ = {notes.begin(), notes.end()};
}

void DecisionEvents::add_unschedulable(std::vector<UnschedulablePods> unschedulable, Time now) {
    for (const UnschedulablePods& u : unschedulable) {
        const bool is_known =
            std::ranges::any_of(unschedulable_, [&](const UnschedulablePods& old) {
                return old.batch == u.batch && old.count == u.count &&
                       is_same(old.reason, u.reason);
            });
        if (is_known) continue;
        event_log_.add(now, EventKind::unschedulable, u.batch,
                       u.batch + ": " + counted(u.count, "pod") +
                           (u.count == 1 ? " stays" : " stay") + " unschedulable",
                       u.count, u.reason.sentence);
    }
    unschedulable_ = std::move(unschedulable);
}

void DecisionEvents::carried_out(const engine::Decision& decision, const engine::Results& results,
                                 Time now) {
    std::vector<Event> consequences = event_log_.take_held();
    for_each_action(
        decision, results,
        engine::Visitors{[&](const engine::Decrease& d, const engine::ActionResult& result) {
                             add(EventKind::decrease, d.group.value(), command_of(d),
                                 from_to(d.from, d.from - d.by), d.by, d.because, result.error(),
                                 now);
                         },
                         [&](const engine::MachineRemoval& d, const engine::ActionResult& result) {
                             add_removal(d, result.errors, now);
                         },
                         [&](const engine::GroupCreation& d, const engine::ActionResult& result) {
                             add(EventKind::creation, d.group.value(), command_of(d),
                                 ": " + describe_plan(d.plan), 1, d.because, result.error(), now);
                         },
                         [&](const engine::Increase& d, const engine::ActionResult& result) {
                             // A group that was not made was never asked to grow.
                             const Error* const error = result.error();
                             if (error != nullptr && error->provider_code == engine::not_asked)
                                 return;
                             add(EventKind::increase, d.group.value(), command_of(d),
                                 from_to(d.from, d.from + d.by), d.by, d.because, error, now);
                         },
                         [&](const engine::GroupDeletion& d, const engine::ActionResult& result) {
                             add(EventKind::deletion, d.group.value(), command_of(d), "", 1,
                                 d.because, result.error(), now);
                         },
                         [](const auto&, const engine::ActionResult&) {}});  // written below
    add_evictions(decision, results, now);
    add_refusals(decision, results, now);
    for (Event& event : consequences) event_log_.add(std::move(event));
}

void DecisionEvents::add(EventKind kind, const std::string& group, const std::string& command,
                         const std::string& more, std::int64_t count, const std::string& because,
                         const Error* error, Time now) {
    commands_.push_back({command, now});
    if (error == nullptr || autoscaler::is_under_way(*error)) {
        const char* const open = error == nullptr ? "" : ", no response yet";
        event_log_.add(now, kind, group, command + more + open, count, because);
    } else {
        event_log_.add(now, EventKind::failure, group, command + " fails", count, error->message);
    }
}

/// One event for all machines whose removal succeeded, and one for each whose removal failed.
void DecisionEvents::add_removal(const engine::MachineRemoval& removal,
                                 std::span<const Error> errors, Time now) {
    const std::string& group = removal.group.value();
    if (!errors.empty() && autoscaler::is_under_way(errors.front()))
        return add(EventKind::removal, group, command_of(removal), "",
                   static_cast<std::int64_t>(removal.machines.size()), removal.because,
                   &errors.front(), now);
    commands_.push_back({command_of(removal), now});
    engine::MachineRemoval gone = removal;
    gone.machines.clear();
    gone.nodes.clear();
    for (std::size_t i = 0; i < removal.machines.size(); ++i) {
        const std::string node = i < removal.nodes.size() ? removal.nodes[i] : "";
        const Error* const error = engine::find_error(errors, removal.machines[i]);
        if (error == nullptr) {
            gone.machines.push_back(removal.machines[i]);
            gone.nodes.push_back(node);
            continue;
        }
        event_log_.add(now, EventKind::failure, group,
                       "removal of " + name_of_machine(removal.machines[i], node) + " from " +
                           group + " fails",
                       1, error->message);
    }
    if (gone.machines.empty()) return;
    count(gone);
    event_log_.add(
        now, EventKind::removal, group, command_of(gone),
        static_cast<std::int64_t>(gone.machines.size()), removal.because,
        std::ranges::all_of(gone.nodes, [&](const std::string& node) { return has_begun(node); }));
}

void DecisionEvents::add_evictions(const engine::Decision& decision, const engine::Results& results,
                                   Time now) {
    struct Evicted {
        std::int64_t pods = 0, of_daemon_sets = 0;
        std::string because{};
    };
    std::map<std::string, Evicted> by_node;
    for_each_action_of<engine::Eviction>(
        decision, results,
        [&](const engine::Eviction& eviction, const engine::ActionResult& result) {
            if (result.error() != nullptr) return;
            commands_.push_back({command_of(eviction), now});
            Evicted& evicted = by_node[eviction.node];
            if (evicted.pods++ == 0) evicted.because = eviction.because;
            if (eviction.best_effort) ++evicted.of_daemon_sets;
            statistics_.evicted();
        });
    for (const auto& [node, evicted] : by_node) {
        // The reason counts only pods that need another node: pods of DaemonSets are named apart.
        const std::string apart =
            evicted.of_daemon_sets == 0
                ? ""
                : ", including " + counted(evicted.of_daemon_sets, "DaemonSet pod");
        event_log_.add(now, EventKind::eviction, node,
                       counted(evicted.pods, "pod") + (evicted.pods == 1 ? " is" : " are") +
                           " evicted from " + node + apart,
                       evicted.pods, evicted.because, has_begun(node));
    }
}

/// A request that is repeated and fails again for the same reason is written once.
void DecisionEvents::add_refusals(const engine::Decision& decision, const engine::Results& results,
                                  Time now) {
    std::set<Refused> refused;
    const auto refuse = [&](const std::string& node, const std::string& what, const Error& error) {
        const Refused refusal{what, error.code, error.subject};
        if (refused.insert(refusal).second && !refused_.contains(refusal))
            event_log_.add(now, EventKind::failure, node, what + " fails", 1, error.message);
    };
    for_each_action_of<engine::NodeChange>(
        decision, results,
        [&](const engine::NodeChange& change, const engine::ActionResult& result) {
            const Error* const error = result.error();
            if (error != nullptr) refuse(change.node, "change of node " + change.node, *error);
        });
    for_each_action_of<engine::Eviction>(
        decision, results,
        [&](const engine::Eviction& eviction, const engine::ActionResult& result) {
            const Error* const error = result.error();
            if (error != nullptr && error->code != ErrorCode::not_found)
                refuse(eviction.node, command_of(eviction), *error);
        });
    // Passes without evictions and node changes lie between two attempts; they forget nothing.
    if (!decision.evictions.empty() || !decision.node_changes.empty())
        refused_ = std::move(refused);
}

// Changes of back-offs and removals between two memories.

namespace {

using engine::Backoff;
using engine::Memory;
using engine::NodeRemoval;
using engine::RemovalPhase;

void add_backoffs(const Memory& before, const Memory& after, EventLog& event_log, Time now) {
    for (const auto& [group, backoff] : after.backoffs) {
        const auto old = before.backoffs.find(group);
        if (old != before.backoffs.end() && old->second.last_failure == backoff.last_failure)
            continue;
        const std::string how_long = backoff.until ? "for " + format_duration(*backoff.until - now)
                                                   : "until a machine joins";
        event_log.add(now, EventKind::backoff, group.value(),
                      group.value() + " is backed off " + how_long, {}, backoff.because);
    }
    for (const auto& [group, backoff] : before.backoffs) {
        // The event of its beginning said when a back-off ends, so its expiry needs no event.
        const bool ran_out = backoff.until && *backoff.until <= now;
        if (ran_out || after.backoffs.contains(group)) continue;
        event_log.add(now, EventKind::backoff, group.value(),
                      group.value() + " is no longer backed off");
    }
}

void add_beginning(const std::string& node, const NodeRemoval& removal, EventLog& event_log,
                   Time now) {
    event_log.add(now, EventKind::removal, removal.group.value(), "removal of " + node + " begins",
                  1, removal.because);
}

}  // namespace

void DecisionEvents::remembered(const Memory& before, const Memory& after, Time now) {
    add_backoffs(before, after, event_log_, now);
    for (const auto& [node, removal] : after.removals) {
        const auto old = before.removals.find(node);
        const bool is_undone = removal.phase == RemovalPhase::undoing;
        if (old == before.removals.end() && !is_undone) {
            add_beginning(node, removal, event_log_, now);
            begun_.insert(node);
        }
        const bool was_undone =
            old != before.removals.end() && old->second.phase == RemovalPhase::undoing;
        if (!is_undone || was_undone) continue;
        statistics_.removal_undone();
        event_log_.add(now, EventKind::removal, removal.group.value(),
                       "removal of " + node + " is cancelled", 1, removal.because);
    }
    for (const auto& [node, removal] : before.removals) {
        if (after.removals.contains(node)) continue;
        begun_.erase(node);
        if (cluster_.has_node(node)) continue;
        if (removal.phase != RemovalPhase::removed) continue;
        statistics_.removal_took(now - removal.since);
    }
}

}  // namespace capstan::simulator
