#include "engine/scale_down/unneeded.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/drainability/pods_on_node.hpp"
#include "engine/health/answered_targets.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/health/removed_machines.hpp"
#include "engine/limits/limits.hpp"
#include "engine/node_marks.hpp"
#include "engine/pods/nominated.hpp"
#include "engine/scale_down/no_place.hpp"
#include "engine/scale_down/relocation.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::scale_down {
namespace {

// Saving and loading more hints would take longer than to find the places again.
constexpr std::size_t most_hints = 2000;

/// By pod: the node to which the plan of the pass before moved it.
std::vector<NodeIndex> read_hints(const snapshot::Cluster& cluster,
                                  const drainability::Candidates& candidates,
                                  const Memory& memory) {
    if (memory.hints.empty()) return {};
    std::unordered_map<std::string_view, NodeIndex> nodes;
    for (const auto& [pod, name] : memory.hints) {
        if (const auto node = cluster.find_node(name)) nodes.emplace(pod, *node);
    }
    std::vector<NodeIndex> out(cluster.pod_count(), snapshot::no_node);
    std::string name;
    for (const drainability::Candidate& node : candidates.nodes) {
        for (const PodIndex pod : node.moving) {
            name.assign(
                cluster.text(cluster.equivalence_group(cluster.equivalence_group_of(pod)).ns));
            name += '/';
            name += cluster.text(cluster.pod(pod).name);
            if (const auto at = nodes.find(name); at != nodes.end()) out[pod] = at->second;
        }
    }
    return out;
}

}  // namespace

bool waits_for_retry(const pass_context::PassContext& context, const Memory& memory,
                     NodeIndex node) {
    if (memory.removal_backoffs.empty() ||
        !has_taint(context.snapshot->cluster.node(node), deletion_candidate_taint))
        return false;
    const Machine* const machine =
        templates::find_machine(*context.snapshot, context.membership, node);
    if (machine == nullptr) return false;
    const RemovalBackoff* const backoff =
        health::find_removal_backoff(memory, machine->group, machine->id, context.now);
    return backoff != nullptr && !backoff->only_drains;
}

namespace {

/// Whether the group's target still includes the machine: the cloud has not agreed to remove it.
bool is_in_target(RemovalPhase phase) {
    return phase != RemovalPhase::removed && phase != RemovalPhase::undoing;
}

std::string why_at_minimum(const NodeGroup& group, int target, int uncertain, int being_removed,
                           int planned) {
    std::string out = "node group min size reached (" + std::to_string(group.min.value_or(0)) +
                      "): group " + group.id.value() + " has " + counted(target, "node");
    if (uncertain > 0)
        out += ", " + std::to_string(uncertain) + " requested without a known response";
    if (being_removed > 0) out += ", " + std::to_string(being_removed) + " being removed";
    if (planned > 0) out += ", " + std::to_string(planned) + " to be removed before this one";
    return out;
}

/// The sizes of groups and cluster while a plan removes nodes. Nodes with a removal under way do
/// not count, and neither do upcoming nodes in the cluster's totals. It is a value: a copy is
/// independent. Borrows the context.
class MinSizeLimits {
public:
    MinSizeLimits(const pass_context::PassContext& context, const Memory& memory)
        : context_(&context),
          sizes_(context.groups().size()),
          totals_(limits::make_totals(*context.settings)) {
        const snapshot::Cluster& cluster = context.snapshot->cluster;
        std::vector<bool> goes(cluster.node_count());
        for (const auto& [name, removal] : memory.removals) {
            const auto node = cluster.find_node(name);
            if (!node || removal.phase == RemovalPhase::undoing) continue;
            goes[*node] = true;
            const auto& machine = context.membership.machine_of[*node];
            if (machine && is_in_target(removal.phase)) ++sizes_[machine->group].being_removed;
        }
        for (GroupIndex g = 0; g < context.groups().size(); ++g) {
            sizes_[g].being_removed += health::count_unanswered(memory, context.id(g));
            sizes_[g].uncertain = health::count_uncertain(memory, context.groups()[g]);
            if (const RemovalBackoff* const left_out =
                    health::find_unremovable(memory, context.id(g), context.now))
                sizes_[g].left_out = left_out->because;
        }
        std::erase_if(totals_,
                      [](const limits::ResourceTotal& total) { return total.bound.min <= 0; });
        for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
            const snapshot::NodeRow& node = cluster.node(n);
            if (goes[n] || !limits::counts(cluster, node)) continue;
            for (limits::ResourceTotal& total : totals_) total.count({cluster, node}, 1);
        }
    }

    /// Why a node of the group may not be removed: a minimum keeps it, or the group cannot be
    /// changed. Absent: it may be removed.
    std::optional<UnremovableReason> find_unremovable_reason(NodeIndex node,
                                                             GroupIndex group) const {
        const NodeGroup& its = context_->groups()[group].group;
        const std::string& unreadable = context_->groups()[group].unreadable_because;
        if (!unreadable.empty()) {
            return UnremovableReason{
                Unremovable::unexpected_error,
                "group " + its.id.value() + " cannot be changed: " + unreadable};
        }
        if (!sizes_[group].left_out.empty()) {
            return UnremovableReason{Unremovable::unexpected_error,
                                     "the cloud refuses removals from group " + its.id.value() +
                                         ": " + sizes_[group].left_out};
        }
        if (!its.target) {
            return UnremovableReason{Unremovable::unexpected_error,
                                     "the target size of group " + its.id.value() + " is unknown"};
        }
        const Size& size = sizes_[group];
        const int left = *its.target - size.uncertain - size.being_removed - size.planned;
        if (left <= its.min.value_or(0)) {
            return UnremovableReason{
                Unremovable::node_group_min_size_reached,
                why_at_minimum(its, *its.target, size.uncertain, size.being_removed, size.planned)};
        }
        const snapshot::Cluster& cluster = context_->snapshot->cluster;
        const limits::CountedNode counted_node(cluster, cluster.node(node));
        for (const limits::ResourceTotal& total : totals_) {
            const std::int64_t share = total.of(counted_node);
            if (share <= 0 || total.used - share >= total.bound.min) continue;
            return UnremovableReason{Unremovable::minimal_resource_limit_exceeded,
                                     "min cluster " + total.name + " limit reached (" +
                                         total.format(total.bound.min) + "): the cluster has " +
                                         total.format(total.used) + ", the node " +
                                         total.format(share),
                                     {},
                                     total.name};
        }
        return std::nullopt;
    }

    /// The plan removes the node.
    void take(NodeIndex node, GroupIndex group) {
        Size& size = sizes_[group];
        ++size.planned;
        const NodeGroup& its = context_->groups()[group].group;
        CAPSTAN_ASSERT(
            its.target && *its.target - size.uncertain - size.being_removed - size.planned >=
                              its.min.value_or(0),
            "a plan takes a group below its minimum");
        const snapshot::Cluster& cluster = context_->snapshot->cluster;
        const snapshot::NodeRow& row = cluster.node(node);
        if (!limits::counts(cluster, row)) return;
        for (limits::ResourceTotal& total : totals_) {
            const std::int64_t before = total.used;
            total.count({cluster, row}, -1);
            CAPSTAN_ASSERT(total.used >= before || total.used >= total.bound.min,
                           "a plan takes the cluster below a minimum");
        }
    }

private:
    struct Size {
        int uncertain = 0;       // part of the target that an increase may not have reached
        int being_removed = 0;   // nodes in removal that the target still includes
        int planned = 0;         // nodes that the plan removes
        std::string left_out{};  // why the cloud does not remove machines; empty: it does
    };

    const pass_context::PassContext* context_;
    std::vector<Size> sizes_;                      // by group
    std::vector<limits::ResourceTotal> totals_{};  // the totals that have a minimum
};

class UnneededSearch {
public:
    UnneededSearch(const pass_context::PassContext& context, scheduling::Placement& placement,
                   const drainability::Candidates& candidates, pods::DisruptionBudgets budgets,
                   const Memory& memory)
        : context_(context),
          cluster_(context.snapshot->cluster),
          memory_(memory),
          placement_(placement),
          candidates_(candidates),
          budgets_(std::move(budgets)),
          budgets_count_(drainability::is_on(*std::ranges::find(drainability::drain_rules(), "pdb",
                                                                &drainability::DrainRule::name),
                                             *context.settings)),
          min_sizes_(context, memory),
          start_(placement.mark()),
          order_(removal_order(context, candidates, memory)),
          out_{.kept = find_assigned(),
               .to = std::vector<std::vector<NodeIndex>>(candidates.nodes.size())},
          relocation_(context, placement, RemovalTiming::in_turn,
                      read_hints(cluster_, candidates, memory), nodes_that_stay(), undecided()) {}

    UnneededNodes run() {
        for (const RemovalUnit& unit : order_) {
            if (unit.atomic ? try_group(unit) : try_node(unit.candidates.front()))
                out_.units.push_back(unit);
        }
        explain_unplaceable();
        remove_short_of_budget();
        record_destinations();
        explain_atomic_groups();
        placement_.undo(start_);
        return std::move(out_);
    }

private:
    const drainability::Candidate& at(std::size_t i) const { return candidates_.nodes[i]; }
    std::string name(NodeIndex node) const {
        return std::string(cluster_.text(cluster_.node(node).name));
    }

    /// By candidate: why it is needed for pending pods; absent: it is not.
    std::vector<std::optional<UnremovableReason>> find_assigned() const {
        std::vector<std::optional<UnremovableReason>> out(candidates_.nodes.size());
        for (std::size_t i = 0; i < candidates_.nodes.size(); ++i) {
            if (context_.health.nodes[at(i).node] == health::NodeUsability::starting) {
                out[i] = UnremovableReason{Unremovable::no_node_info,
                                           "not started yet; pending pods are planned on it"};
                continue;
            }
            const std::vector<scheduling::Assignment> assignments =
                placement_.assignments(at(i).node);
            if (assignments.empty()) continue;
            std::int64_t pods = 0;
            for (const scheduling::Assignment& assignment : assignments)
                pods += assignment.per_node;
            out[i] = UnremovableReason{Unremovable::no_node_info,
                                       counted(pods, "pending pod") + (pods == 1 ? " is" : " are") +
                                           " planned on it" + (pods == 1 ? ": " : ", such as ") +
                                           example_of(assignments.back(), at(i).node)};
        }
        return out;
    }

    /// "web/frontend-1": one of the pods of the assignment.
    std::string example_of(const scheduling::Assignment& assignment, NodeIndex node) const {
        if (assignment.pod_group < context_.pending_count())
            return context_.pending.pod_groups[assignment.pod_group].example;
        const PodGroupId id = context_.predicates->pod_groups()[assignment.pod_group];
        for (PodIndex pod = 0; pod < cluster_.pod_count(); ++pod) {
            if (cluster_.equivalence_group_of(pod) == id &&
                pods::find_nominated_node(cluster_, cluster_.pod(pod)) == node)
                return drainability::full_name(cluster_, pod);
        }
        return "a nominated pod";
    }

    std::vector<NodeIndex> nodes_that_stay() const {
        std::vector<bool> may_go(cluster_.node_count());
        for (const RemovalUnit& unit : order_)
            for (const std::size_t i : unit.candidates) may_go[at(i).node] = !out_.kept[i];
        std::vector<NodeIndex> out;
        for (NodeIndex n = 0; n < may_go.size(); ++n) {
            if (!may_go[n]) out.push_back(n);
        }
        // Nodes whose removal has failed come last: it is tried again soon.
        std::ranges::stable_partition(
            out, [&](NodeIndex n) { return !waits_for_retry(context_, memory_, n); });
        return out;
    }

    /// In reverse order: the candidates that are tried last are filled first.
    std::vector<NodeIndex> undecided() const {
        std::vector<NodeIndex> out;
        for (const RemovalUnit& unit : order_)
            for (const std::size_t i : unit.candidates)
                if (!out_.kept[i]) out.push_back(at(i).node);
        std::ranges::reverse(out);
        return out;
    }

    bool mark_unremovable(std::size_t i, UnremovableReason reason) {
        out_.kept[i] = std::move(reason);
        relocation_.stay(at(i).node);
        return false;
    }

    bool try_node(std::size_t i) {
        if (out_.kept[i]) return false;
        std::optional<UnremovableReason> why = try_remove(i);
        if (!why) return true;
        if (!is_short_of_budget_ || !has_places(i)) return mark_unremovable(i, *std::move(why));
        out_.kept[i] = std::move(why);
        out_.short_of_budget.push_back(i);
        return false;
    }

    /// Whether the node's pods would have places.
    bool has_places(std::size_t i) {
        const Relocation::Mark before = relocation_.mark();
        const bool out = !relocation_.remove(at(i).node, at(i).moving);
        relocation_.undo(before);
        return out;
    }

    /// Removes the nodes that wait for a budget, too, so that pods of unneeded nodes get places on
    /// nodes that stay after that. A node may stay although its pods had places, since others are
    /// removed before it.
    void remove_short_of_budget() {
        std::vector<std::size_t> removed;
        for (const std::size_t i : out_.short_of_budget) {
            const drainability::Candidate& node = at(i);
            if (min_sizes_.find_unremovable_reason(node.node, node.group) ||
                relocation_.remove(node.node, node.moving)) {
                relocation_.stay(node.node);
                continue;
            }
            min_sizes_.take(node.node, node.group);
            removed.push_back(i);
        }
        out_.short_of_budget = std::move(removed);
    }

    /// Removes the node. If something keeps it, returns the reason, and nothing has changed.
    std::optional<UnremovableReason> try_remove(std::size_t i) {
        const drainability::Candidate& node = at(i);
        is_short_of_budget_ = false;
        if (auto reason = min_sizes_.find_unremovable_reason(node.node, node.group)) return reason;
        if (budgets_count_) {
            if (const auto shortage = budgets_.find_shortage(node.moving)) {
                is_short_of_budget_ = true;
                const std::string pod = drainability::full_name(cluster_, shortage->pod);
                return UnremovableReason{
                    Unremovable::blocked_by_pod,
                    "pod " + pod +
                        " cannot be evicted after the earlier removals: " + shortage->sentence,
                    pod};
            }
        }
        if (const auto pod = relocation_.remove(node.node, node.moving)) {
            unplaceable_.emplace_back(i, *pod);
            return UnremovableReason{
                Unremovable::no_place_to_move_pods, {}, drainability::full_name(cluster_, *pod)};
        }
        min_sizes_.take(node.node, node.group);
        budgets_.take(node.moving);
        return std::nullopt;
    }

    /// Removes all candidates of an atomic group, or none of them.
    bool try_group(const RemovalUnit& unit) {
        const GroupIndex group = at(unit.candidates.front()).group;
        const Relocation::Mark before = relocation_.mark();
        const MinSizeLimits min_sizes = min_sizes_;
        const pods::DisruptionBudgets budgets = budgets_;
        std::optional<NodeIndex> stays = find_missing(unit, group);
        for (const std::size_t i : unit.candidates) {
            if (stays) break;
            if (!out_.kept[i]) out_.kept[i] = try_remove(i);
            if (out_.kept[i]) stays = at(i).node;
        }
        if (!stays) return true;
        relocation_.undo(before);
        min_sizes_ = min_sizes;
        budgets_ = budgets;
        for (const std::size_t i : unit.candidates) {
            if (out_.kept[i]) {
                relocation_.stay(at(i).node);
                continue;
            }
            mark_unremovable(i, {Unremovable::atomic_scale_down_failed});
            blocked_by_group_.emplace_back(i, *stays);
        }
        return false;
    }

    /// A node of the group that is neither a candidate nor being removed, so that the group cannot
    /// be removed atomically; absent: there is none.
    std::optional<NodeIndex> find_missing(const RemovalUnit& unit, GroupIndex group) const {
        for (const NodeIndex node : context_.membership.nodes[group]) {
            const bool goes = std::ranges::binary_search(context_.being_removed, node) ||
                              std::ranges::any_of(unit.candidates, [&](std::size_t i) {
                                  return at(i).node == node;
                              });
            if (!goes) return node;
        }
        return std::nullopt;
    }

    void record_destinations() {
        out_.place_of.assign(cluster_.pod_count(), snapshot::no_node);
        for (const RemovalUnit& unit : out_.units) {
            for (const std::size_t i : unit.candidates) {
                std::vector<NodeIndex>& to = out_.to[i];
                for (const PodIndex pod : at(i).moving) {
                    out_.place_of[pod] = relocation_.where(pod);
                    CAPSTAN_ASSERT(out_.place_of[pod] != snapshot::no_node,
                                   "a pod of an unneeded node has no place");
                    to.push_back(out_.place_of[pod]);
                }
                std::ranges::sort(to);
                to.erase(std::unique(to.begin(), to.end()), to.end());
            }
        }
    }

    /// Why the candidate is kept, after the search has kept it.
    UnremovableReason& reason_of(std::size_t i) {
        std::optional<UnremovableReason>& kept = out_.kept[i];
        CAPSTAN_ASSERT(kept, "a candidate that is not kept has no reason");
        return *kept;
    }

    /// To be called once all candidates are decided, since the sentences count the removed nodes,
    /// and before those that wait for a budget are removed.
    void explain_unplaceable() {
        std::vector<bool> goes(cluster_.node_count());
        for (const RemovalUnit& unit : out_.units)
            for (const std::size_t i : unit.candidates) goes[at(i).node] = true;
        NoPlace no_place(context_, placement_, std::move(goes));
        for (const auto& [i, pod] : unplaceable_) {
            UnremovableReason& why = reason_of(i);
            if (why.reason != Unremovable::no_place_to_move_pods) continue;
            const std::optional<PodGroupIndex> pod_group = relocation_.pod_group_of(pod);
            CAPSTAN_ASSERT(pod_group, "the predicates do not include a pod on a candidate");
            const scheduling::Placement::Mark before = placement_.mark();
            if (placement_.predicates().has_inter_pod_constraints(*pod_group)) {
                placement_.close(at(i).node);
                placement_.set_draining(at(i).node, true);
            }
            why.because = no_place.explain(pod, *pod_group, at(i).node);
            placement_.undo(before);
        }
    }

    /// Why a node is kept.
    std::string why_kept(NodeIndex node) {
        const auto candidate =
            std::ranges::find(candidates_.nodes, node, &drainability::Candidate::node);
        if (candidate != candidates_.nodes.end())
            return reason_of(static_cast<std::size_t>(candidate - candidates_.nodes.begin()))
                .because;
        const auto other = std::ranges::find(candidates_.others, name(node), &NodeVerdict::node);
        return other != candidates_.others.end() ? other->because : std::string();
    }

    /// To be called last, since these sentences contain the reasons of other nodes.
    void explain_atomic_groups() {
        for (const auto& [i, node] : blocked_by_group_) {
            reason_of(i).because = "group " + context_.id(at(i).group).value() +
                                   " is removed atomically, and node " + name(node) +
                                   " stays: " + why_kept(node);
        }
    }

    const pass_context::PassContext& context_;
    const snapshot::Cluster& cluster_;
    const Memory& memory_;
    scheduling::Placement& placement_;
    const drainability::Candidates& candidates_;
    pods::DisruptionBudgets budgets_;
    bool budgets_count_;
    MinSizeLimits min_sizes_;
    scheduling::Placement::Mark start_;
    std::vector<RemovalUnit> order_;
    UnneededNodes out_;
    Relocation relocation_;            // made from order_ and out_
    bool is_short_of_budget_ = false;  // the node of the last try_remove()
    std::vector<std::pair<std::size_t, PodIndex>> unplaceable_{};  // candidate, pod
    std::vector<std::pair<std::size_t, NodeIndex>>
        blocked_by_group_{};  // candidate, the node for which its group stays
};

}  // namespace

UnneededNodes find_unneeded(const pass_context::PassContext& context,
                            scheduling::Placement& placement,
                            const drainability::Candidates& candidates,
                            pods::DisruptionBudgets budgets, const Memory& memory) {
    if (candidates.nodes.empty()) return {};
    return UnneededSearch(context, placement, candidates, std::move(budgets), memory).run();
}

void remember_hints(const UnneededNodes& unneeded, const pass_context::PassContext& context,
                    const drainability::Candidates& candidates, Memory& memory) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    memory.hints.clear();
    for (const RemovalUnit& unit : unneeded.units) {
        for (const std::size_t i : unit.candidates) {
            for (const PodIndex pod : candidates.nodes[i].moving) {
                if (memory.hints.size() == most_hints) return;
                const NodeIndex to = unneeded.place_of[pod];
                memory.hints.emplace(drainability::full_name(cluster, pod),
                                     cluster.text(cluster.node(to).name));
            }
        }
    }
}

}  // namespace capstan::engine::scale_down
