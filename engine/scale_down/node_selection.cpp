#include "engine/scale_down/node_selection.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/drainability/pods_on_node.hpp"
#include "engine/health/backoff.hpp"
#include "engine/next_change.hpp"
#include "engine/pods/pod_group_key.hpp"
#include "engine/scale_down/removal_order.hpp"

namespace capstan::engine::scale_down {
namespace {

/// The time that a removal takes at least: the taint, the wait for the scheduler and the request
/// each take a pass.
constexpr Duration shortest_removal = std::chrono::seconds(30);

RemovalsUnderWay count_under_way(const Memory& memory) {
    RemovalsUnderWay out;
    for (const auto& [node, removal] : memory.removals) {
        // The cloud has agreed, or the removal is given up.
        if (removal.phase == RemovalPhase::removed || removal.phase == RemovalPhase::undoing)
            continue;
        ++(removal.empty ? out.empty : out.drain);
    }
    return out;
}

/// A pod that has no node, or is yet to be created, after a removal under way has evicted it, or
/// another pod like it.
struct PendingReplacement {
    std::string pod_state{};  ///< "pod default/web-1 is still pending"
    std::string removed_node{};
    std::set<std::string> places{};  ///< nodes that have to keep room for a pod that is not created
};

/// By pod_group_key: the node from which a removal under way moves such pods.
using MovedFrom = std::map<std::string_view, std::string_view>;

MovedFrom find_moved(const Memory& memory) {
    MovedFrom out;
    for (const auto& [name, removal] : memory.removals) {
        if (removal.phase == RemovalPhase::undoing) continue;
        for (const auto& [to, pods] : removal.places)
            for (const auto& [key, count] : pods) out.emplace(key, name);
    }
    return out;
}

/// How many pods a controller wants, and has.
struct ControllerPods {
    const snapshot::ControllerObject* controller = nullptr;  ///< never NULL
    int replicas = 0;
    int pods = 0;  ///< without terminating ones
};

/// The controllers of these pods, by controller_of. Pods of an unknown controller, or of one that
/// has no replicas, are left out.
std::map<std::string_view, ControllerPods> count_controlled_pods(const snapshot::Cluster& cluster,
                                                                 const MovedFrom& moved_from) {
    std::map<std::string_view, ControllerPods> out;
    for (const auto& [name, controller] : cluster.objects().controllers) {
        if (!controller.replicas) continue;
        const std::string key = controller.ns + "/" + controller.kind + "/" + controller.name + "#";
        const auto at = moved_from.lower_bound(key);
        if (at != moved_from.end() && at->first.starts_with(key))
            out.emplace(pods::controller_of(at->first),
                        ControllerPods{&controller, *controller.replicas});
    }
    if (out.empty()) return out;
    std::vector<ControllerPods*> of_group(cluster.pod_group_count());
    for (PodGroupId group = 0; group < of_group.size(); ++group) {
        const snapshot::PodGroupRow& row = cluster.equivalence_group(group);
        const auto at = out.find(std::string(cluster.text(row.ns)) + "/" + row.owner->kind + "/" +
                                 row.owner->name);
        if (at != out.end()) of_group[group] = &at->second;
    }
    for (PodIndex pod = 0; pod < cluster.pod_count(); ++pod) {
        ControllerPods* const its = of_group[cluster.equivalence_group_of(pod)];
        if (its != nullptr && !cluster.is_deleted(pod)) ++its->pods;
    }
    return out;
}

/// The nodes to which removals under way move such pods.
std::set<std::string> places_of(const Memory& memory, std::string_view pod_group_key) {
    std::set<std::string> out;
    for (const auto& [name, removal] : memory.removals) {
        if (removal.phase == RemovalPhase::undoing) continue;
        for (const auto& [to, pods] : removal.places)
            if (pods.contains(std::string(pod_group_key))) out.insert(to);
    }
    return out;
}

/// By pod_group_key.
std::map<std::string, PendingReplacement> find_pending_replacements(
    const snapshot::Cluster& cluster, const Memory& memory) {
    std::map<std::string, PendingReplacement> out;
    const MovedFrom evicted_from = find_moved(memory);
    if (evicted_from.empty()) return out;
    for (PodIndex pod = 0; pod < cluster.pod_count(); ++pod) {
        const snapshot::PodRow row = cluster.pod(pod);
        if (row.node != snapshot::no_node || row.deleted) continue;
        std::string key = pods::pod_group_key(cluster, row.equivalence_group);
        const auto at = evicted_from.find(key);
        if (at == evicted_from.end()) continue;
        const std::string name = drainability::full_name(cluster, pod);
        out.emplace(std::move(key), PendingReplacement{"pod " + name + " is still pending",
                                                       std::string(at->second)});
    }
    // Until its successor exists, no pod takes the place that the plan has for it.
    const auto controllers = count_controlled_pods(cluster, evicted_from);
    for (const auto& [key, node] : evicted_from) {
        const auto at = controllers.find(pods::controller_of(key));
        if (at == controllers.end() || at->second.pods >= at->second.replicas) continue;
        const snapshot::ControllerObject& its = *at->second.controller;
        const std::string state =
            its.kind + " " + its.ns + "/" + its.name + " has not replaced a pod";
        out.emplace(std::string(key),
                    PendingReplacement{state, std::string(node), places_of(memory, key)});
    }
    return out;
}

class Chooser {
public:
    Chooser(const pass_context::PassContext& context, const drainability::Candidates& candidates,
            const UnneededNodes& unneeded, std::span<const Increase> grows, const Memory& memory,
            ChosenNodesCheck& check)
        : context_(context),
          settings_(context.settings->scale_down),
          cluster_(context.snapshot->cluster),
          candidates_(candidates),
          unneeded_(unneeded),
          grows_(grows),
          memory_(memory),
          check_(check),
          pending_replacements_(find_pending_replacements(cluster_, memory)) {
        out_.verdicts.resize(candidates.nodes.size());
    }

    Selection run(std::int64_t assigned) {
        find_common_wait(assigned);
        std::vector<const RemovalUnit*> ready;
        for (const RemovalUnit& unit : unneeded_.units) {
            if (is_ready(unit)) ready.push_back(&unit);
        }
        assign_turns(ready);
        return std::move(out_);
    }

private:
    const drainability::Candidate& at(std::size_t i) const { return candidates_.nodes[i]; }
    Time since(std::size_t i) const {
        const std::string name(cluster_.text(cluster_.node(at(i).node).name));
        return memory_.unneeded.at(name).since;
    }
    std::string unneeded_text(std::size_t i) const {
        return "unneeded for " + format_rough_duration(context_.now - since(i));
    }

    /// What all nodes wait for.
    void find_common_wait(std::int64_t assigned) {
        if (!settings_.ignore_schedulable_pods && assigned > 0) {
            out_.no_removals_because = counted(assigned, "pending pod") +
                                       (assigned == 1 ? " fits" : " fit") +
                                       " on existing nodes, and "
                                       "scale_down.ignore_schedulable_pods is off";
        }
        if (settings_.delay_type_local) return;
        LastActions last = memory_.last;
        const auto growth =
            std::ranges::find_if(grows_, [&](const Increase& each) { return counts(each); });
        if (growth != grows_.end()) last.scale_up = context_.now;
        const NodeGroupId grown = growth != grows_.end() ? growth->group : last_grown();
        cooldown_ = find_cooldown(last, settings_, context_.now, grown.value());
        if (cooldown_ && out_.no_removals_because.empty())
            out_.no_removals_because = cooldown_->because;
    }

    /// The group of the last scale-up; empty: not known.
    NodeGroupId last_grown() const {
        const auto at = std::ranges::find_if(memory_.last_by_group, [&](const auto& entry) {
            return entry.second.scale_up == memory_.last.scale_up;
        });
        return at == memory_.last_by_group.end() || !memory_.last.scale_up ? NodeGroupId()
                                                                           : at->first;
    }

    /// Whether the increase delays removals. The orders of a group whose last ones brought nothing
    /// count only when their machines come: a group that fails for ever would delay removals of all
    /// groups for ever.
    bool counts(const Increase& growth) const {
        return !health::fails_lately(memory_, growth.group);
    }

    std::optional<Cooldown> cooldown_of(const NodeGroupId& group, bool is_growing) const {
        const auto at = memory_.last_by_group.find(group);
        LastActions last = at == memory_.last_by_group.end() ? LastActions{} : at->second;
        if (!settings_.delay_type_local) {
            // A removal that a cloud refused delays removals of its group alone.
            const LastActions failed{.failed_removal = last.failed_removal};
            const auto own = find_cooldown(failed, settings_, context_.now);
            return own && (!cooldown_ || own->until > cooldown_->until) ? own : cooldown_;
        }
        if (is_growing) last.scale_up = context_.now;
        return find_cooldown(last, settings_, context_.now);
    }

    /// How long the node has to be unneeded.
    Duration required_time(const drainability::Candidate& node) const {
        const GroupOptions& options = context_.groups()[node.group].options;
        return node.ready ? options.unneeded_time.value_or(settings_.unneeded_time)
                          : options.unready_time.value_or(settings_.unready_time);
    }

    std::string why_repaired(const NodeGroupId& group) const {
        const auto find = [&](const auto& repairs) {
            const auto at = std::ranges::find_if(
                repairs, [&](const auto& repair) { return repair.group == group; });
            return at != repairs.end() ? at->because : std::string();
        };
        std::string decreased = find(context_.repairs.decreases);
        if (!decreased.empty()) return decreased;
        std::string removed = find(context_.repairs.removals);
        return !removed.empty() ? removed : find(context_.repairs.increases);
    }

    /// What the candidate waits for; absent: it could be removed now.
    std::optional<UnremovableReason> find_wait(std::size_t i) {
        const std::optional<Time>& leaves_at = at(i).leaves_at;
        std::optional<UnremovableReason> wait =
            leaves_at ? find_wait_for_machine(*leaves_at) : find_wait_for_time(i);
        return wait ? wait : find_wait_for_group(i);
    }

    /// A machine that is about to leave is of no use any more, so it is removed at once, whatever
    /// the cooldown: otherwise it is paid until then, and its cloud may make another one for it.
    std::optional<UnremovableReason> find_wait_for_machine(Time leaves_at) {
        const Time last = leaves_at - shortest_removal;
        if (context_.now >= last) {
            return UnremovableReason{Unremovable::currently_being_deleted,
                                     "the cloud terminates the machine in less than " +
                                         format_duration(shortest_removal) +
                                         ", too soon for a removal"};
        }
        wake_by(out_.wake_at, last);
        return std::nullopt;
    }

    UnremovableReason later_on(std::size_t i, const std::string& because) const {
        return {Unremovable::not_unneeded_other_reason, unneeded_text(i) + ", but " + because};
    }

    std::optional<UnremovableReason> find_wait_for_time(std::size_t i) {
        const drainability::Candidate& node = at(i);
        const std::optional<Cooldown> cooldown =
            cooldown_of(context_.id(node.group), find_growth(node) != nullptr);
        const Duration required = required_time(node);
        const bool is_young = context_.now - since(i) <= required;
        const Time old_enough = later(later(since(i), required), Duration(1));
        const Time due =
            std::max(is_young ? old_enough : Time::min(), cooldown ? cooldown->until : Time::min());
        if (due > context_.now && due < Time::max()) wake_by(out_.wake_at, due);
        if (is_young) {
            return UnremovableReason{node.ready ? Unremovable::not_unneeded_long_enough
                                                : Unremovable::not_unready_long_enough,
                                     unneeded_text(i) + " of " + format_duration(required) + "; " +
                                         where(i, unneeded_.to[i])};
        }
        if (cooldown) {
            hold_back(cooldown->setting, cooldown->after);
            return later_on(i, "scale-down is in cooldown: " + cooldown->because);
        }
        if (!out_.no_removals_because.empty()) {
            hold_back("scale_down.ignore_schedulable_pods", {});
            return later_on(i, "no node is removed now: " + out_.no_removals_because);
        }
        return std::nullopt;
    }

    void hold_back(const std::string& setting, const std::string& after) {
        HeldBackNodes& held_back = out_.held_back[setting];
        ++held_back.nodes;
        held_back.after = after;
    }

    std::optional<UnremovableReason> find_wait_for_group(std::size_t i) const {
        const drainability::Candidate& node = at(i);
        const NodeGroupId& group = context_.id(node.group);
        if (const Increase* const growth = find_growth(node)) {
            return later_on(i, "group " + group.value() + " grows by " +
                                   std::to_string(growth->by) + " in this pass");
        }
        if (pass_context::is_repaired(context_.repairs, group)) {
            return later_on(i, "the size of group " + group.value() +
                                   " is being corrected: " + why_repaired(group));
        }
        if (auto wait = find_wait_for_replacement(i)) return wait;
        if (!node.waits_for) return std::nullopt;
        return UnremovableReason{Unremovable::blocked_by_on_completion_pod, node.waits_because,
                                 drainability::full_name(cluster_, *node.waits_for)};
    }

    /// Pods of one controller are not moved from the next node while those of the last one are
    /// still pending, or yet to be created. The places of the latter stay, and no pods move there.
    std::optional<UnremovableReason> find_wait_for_replacement(std::size_t i) const {
        if (pending_replacements_.empty()) return std::nullopt;
        for (const PodIndex pod : at(i).moving) {
            const auto found = pending_replacements_.find(
                pods::pod_group_key(cluster_, cluster_.equivalence_group_of(pod)));
            if (found == pending_replacements_.end()) continue;
            return later_on(i, found->second.pod_state + " after the eviction from node " +
                                   found->second.removed_node);
        }
        std::vector<NodeIndex> touched = unneeded_.to[i];
        touched.push_back(at(i).node);
        for (const auto& [key, replacement] : pending_replacements_) {
            for (const NodeIndex node : touched) {
                const std::string name(cluster_.text(cluster_.node(node).name));
                if (replacement.places.contains(name))
                    return later_on(i, replacement.pod_state + ", whose place is on node " + name);
            }
        }
        return std::nullopt;
    }

    /// The increase of the candidate's group in this pass; NULL: there is none.
    const Increase* find_growth(const drainability::Candidate& node) const {
        const auto at = std::ranges::find(grows_, context_.id(node.group), &Increase::group);
        return at != grows_.end() ? &*at : nullptr;
    }

    bool is_ready(const RemovalUnit& unit) {
        std::optional<std::size_t> first;  // the first candidate that waits
        for (const std::size_t i : unit.candidates) {
            std::optional<UnremovableReason> wait = find_wait(i);
            if (!wait) continue;
            if (!first) first = i;
            out_.verdicts[i] = *std::move(wait);
        }
        if (!first) return true;
        const std::string waits = "node " +
                                  std::string(cluster_.text(cluster_.node(at(*first).node).name)) +
                                  " cannot be removed: " + out_.verdicts[*first].because;
        for (const std::size_t i : unit.candidates) {
            if (out_.verdicts[i].reason != Unremovable::none) continue;
            out_.verdicts[i] = {
                Unremovable::atomic_scale_down_failed,
                unneeded_text(i) + "; its group is removed atomically, and " + waits};
        }
        return false;
    }

    void assign_turns(const std::vector<const RemovalUnit*>& ready) {
        std::vector<WaitingRemovals> waiting;
        for (const RemovalUnit* unit : ready) {
            WaitingRemovals& turn = waiting.emplace_back(WaitingRemovals{.atomic = unit->atomic});
            for (const std::size_t i : unit->candidates)
                ++(at(i).is_empty() ? turn.empty : turn.drain);
        }
        const RemovalsUnderWay under_way = count_under_way(memory_);
        std::vector<bool> is_explained(waiting.size());
        const auto may_begin = [&](std::size_t turn) {
            const std::optional<PodIndex> unplaceable = check_.choose(*ready[turn]);
            if (!unplaceable) return true;
            is_explained[turn] = true;
            keep_for(*ready[turn], drainability::full_name(cluster_, *unplaceable));
            return false;
        };
        for (const std::size_t turn :
             select_removals_to_begin(waiting, under_way, settings_, may_begin)) {
            is_explained[turn] = true;
            for (const std::size_t i : ready[turn]->candidates)
                out_.verdicts[i].because =
                    (at(i).leaves_at ? "its machine is about to be terminated" : unneeded_text(i)) +
                    "; " + where(i, check_.destinations_of(at(i)));
            out_.units.push_back(*ready[turn]);
        }
        for (std::size_t turn = 0; turn < waiting.size(); ++turn) {
            if (is_explained[turn]) continue;
            out_.has_waiting = true;
            for (const std::size_t i : ready[turn]->candidates) {
                out_.verdicts[i] = {Unremovable::not_unneeded_other_reason,
                                    unneeded_text(i) + ", but other removals come first: " +
                                        why_no_turn(under_way)};
            }
        }
    }

    void keep_for(const RemovalUnit& unit, const std::string& pod) {
        for (const std::size_t i : unit.candidates) {
            out_.verdicts[i] = {Unremovable::not_unneeded_other_reason,
                                "pod " + pod + " fits only after other nodes are removed", pod};
        }
    }

    std::string why_no_turn(const RemovalsUnderWay& under_way) const {
        int empty = under_way.empty, drain = under_way.drain;
        for (const RemovalUnit& unit : out_.units)
            for (const std::size_t i : unit.candidates) ++(at(i).is_empty() ? empty : drain);
        return std::to_string(empty + drain) + " of at most " +
               std::to_string(settings_.max_parallelism) +
               " in progress (scale_down.max_parallelism), " + std::to_string(drain) +
               " of at most " + std::to_string(settings_.max_drain_parallelism) +
               " with pods to move (scale_down.max_drain_parallelism)";
    }

    std::string where(std::size_t i, const std::vector<NodeIndex>& to) const {
        const auto pods = static_cast<std::int64_t>(at(i).moving.size());
        if (pods == 0) return "it has no pods to move";
        return "its " + counted(pods, "pod") + (pods == 1 ? " fits on " : " fit on ") +
               listed(
                   to, [&](NodeIndex node) { return cluster_.text(cluster_.node(node).name); }, 3);
    }

    const pass_context::PassContext& context_;
    const ScaleDownSettings& settings_;
    const snapshot::Cluster& cluster_;
    const drainability::Candidates& candidates_;
    const UnneededNodes& unneeded_;
    std::span<const Increase> grows_;
    const Memory& memory_;
    ChosenNodesCheck& check_;
    const std::map<std::string, PendingReplacement> pending_replacements_;
    std::optional<Cooldown> cooldown_{};
    Selection out_{};
};

}  // namespace

Selection choose_nodes(const pass_context::PassContext& context,
                       const drainability::Candidates& candidates, const UnneededNodes& unneeded,
                       std::span<const Increase> grows, std::int64_t assigned, const Memory& memory,
                       ChosenNodesCheck& check) {
    return Chooser(context, candidates, unneeded, grows, memory, check).run(assigned);
}

}  // namespace capstan::engine::scale_down
