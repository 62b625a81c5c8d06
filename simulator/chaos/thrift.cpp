#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/well_known.hpp>

#include "engine/drainability/eligibility.hpp"
#include "engine/node_marks.hpp"
#include "engine/templates/membership.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/sums.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

/// How long a machine that could go may stay in calm: longer than all default delays of a removal
/// together.
constexpr Duration idle_time_max = std::chrono::hours(2);
/// A node is little used if the requested shares of its cpu and of its memory are both below this,
/// or below the threshold of its group.
constexpr double little_used = 0.5;

/// Finds the nodes that could surely go as the cluster stands. A node counts only if no rule could
/// keep it: its pods move freely, no minimum needs it, no waiting pod might use it, and its pods
/// fit together on one other node by resources, labels and taints. Removals that need pods to be
/// spread over several nodes are possible, too, but they are not certain, so they are not demanded.
class RemovableNodes {
public:
    explicit RemovableNodes(const Moment& moment)
        : moment_(moment),
          cluster_(moment.cluster()),
          membership_(
              engine::templates::make_membership({moment.cluster(), moment.result.groups})) {
        for (engine::NodeIndex i = 0; i < cluster_.node_count(); ++i)
            if (is_limited(cluster_, cluster_.node(i))) sums_.add(*cluster_.node(i).capacity, 1);
    }

    /// Why the node could go.
    struct Finding {
        NodeGroupId group{};
        std::string because{};
    };
    /// Empty: something keeps the node, or may keep it.
    std::optional<Finding> find(engine::NodeIndex index) const {
        const engine::Group* const group = group_of(index);
        if (group == nullptr || !is_free_to_go(index, *group)) return std::nullopt;
        std::vector<engine::PodIndex> pods;
        for (const engine::PodIndex pod : cluster_.pods_on(index)) {
            if (counts(cluster_, pod, moment_.settings())) pods.push_back(pod);
        }
        if (pods.empty()) return Finding{group->group.id, "is empty"};
        if (!std::ranges::all_of(pods, [&](auto pod) { return moves_freely(pod); }))
            return std::nullopt;
        for (engine::NodeIndex other = 0; other < cluster_.node_count(); ++other) {
            if (other != index && has_room(other, pods))
                return Finding{group->group.id,
                               "has low utilization, and all its pods fit on node " +
                                   std::string(cluster_.text(cluster_.node(other).name))};
        }
        return std::nullopt;
    }

private:
    const engine::Group* group_of(engine::NodeIndex index) const {
        const auto& machine = membership_.machine_of[index];
        if (!machine) return nullptr;
        const engine::Group& group = moment_.groups()[machine->group];
        const bool runs = group.machines[machine->machine].state == MachineState::running;
        return runs ? &group : nullptr;
    }

    bool is_free_to_go(engine::NodeIndex index, const engine::Group& group) const {
        const engine::snapshot::NodeRow& node = cluster_.node(index);
        const auto disabled = engine::snapshot::find_label(
            cluster_, node.annotations, well_known::scale_down_disabled_annotation);
        if (!node.ready || engine::is_marked(node) || disabled) return false;
        if (group.options.zero_or_max.value_or(false)) return false;
        if (group.group.target.value_or(0) <= group.group.min.value_or(0)) return false;
        return is_little_used(index, group) && !breaks_minimum(*node.capacity) &&
               !is_waited_for(index);
    }

    bool is_little_used(engine::NodeIndex index, const engine::Group& group) const {
        const double threshold = group.options.utilization_threshold.value_or(little_used);
        const auto requested = cluster_.requested(index), there = cluster_.allocatable(index);
        for (const auto resource : {engine::snapshot::cpu_index, engine::snapshot::memory_index}) {
            if (static_cast<double>(requested[resource]) >=
                threshold * static_cast<double>(there[resource]))
                return false;
        }
        // A node with GPUs is judged by another threshold.
        for (engine::ResourceIndex r = 0; r < cluster_.resource_count(); ++r)
            if (cluster_.resource_name(r).ends_with("/gpu") && there[r] > 0) return false;
        return true;
    }

    bool breaks_minimum(const Resources& capacity) const {
        Sums without = sums_;
        without.add(capacity, -1);
        return std::ranges::any_of(bounds_of(moment_.settings()), [&](const auto& entry) {
            return without.of(entry.first) < entry.second.min;
        });
    }

    /// Whether a pending pod might fit the node, so that the autoscaler may keep it for the pod.
    /// Expendable, gated and terminating pods keep no node.
    bool is_waited_for(engine::NodeIndex index) const {
        const NodeTemplate node_template = template_from_node(cluster_, index);
        return std::ranges::any_of(cluster_.unbound(), [&](auto pod) {
            return counts(cluster_, pod, moment_.settings()) && !cluster_.pod(pod).gated &&
                   might_fit(cluster_, pod, node_template);
        });
    }

    bool moves_freely(engine::PodIndex pod) const {
        const engine::snapshot::PodGroupRow& row =
            cluster_.equivalence_group(cluster_.equivalence_group_of(pod));
        const bool waits_for_end =
            engine::snapshot::find_label(cluster_, row.annotations,
                                         well_known::safe_to_evict_annotation)
                .has_value();
        return !waits_for_end && !has_budget(cluster_, pod) &&
               !has_other_constraints(cluster_, pod, moment_.settings()) &&
               why_unmovable(cluster_, pod, moment_.settings(), moment_.wall()).empty();
    }

    /// Whether the node surely has room for all these pods together. A node with pods that have
    /// anti-affinity is never counted on.
    bool has_room(engine::NodeIndex index, const std::vector<engine::PodIndex>& pods) const {
        const engine::snapshot::NodeRow& node = cluster_.node(index);
        if (!node.ready || node.unschedulable || engine::is_marked(node)) return false;
        const bool has_terms = std::ranges::any_of(cluster_.pods_on(index), [&](auto pod) {
            return !cluster_.equivalence_group(cluster_.equivalence_group_of(pod))
                        .spec->pod_anti_affinity.empty();
        });
        if (has_terms) return false;
        NodeTemplate node_template = template_from_node(cluster_, index);
        node_template.taints.assign(node.taints.begin(), node.taints.end());
        Resources room;
        const auto requested = cluster_.requested(index), there = cluster_.allocatable(index);
        for (engine::ResourceIndex r = 0; r < cluster_.resource_count(); ++r)
            room.set(cluster_.resource_name(r), there[r] - requested[r]);
        for (const engine::PodIndex pod : pods) {
            if (!might_fit(cluster_, pod, node_template)) return false;
            room -= cluster_.equivalence_group(cluster_.equivalence_group_of(pod)).spec->requests;
            room -= Resources{{"pods", 1}};
        }
        return std::ranges::all_of(room, [](const auto& entry) { return entry.amount >= 0; });
    }

    const Moment& moment_;
    const engine::snapshot::Cluster& cluster_;
    const engine::templates::Membership membership_;
    Sums sums_;
};

class Thrift final : public Invariant {
public:
    std::string_view name() const override { return "thrift"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        if (moment.is_calm()) observe(moment, moment.now());
        return {};
    }

    std::vector<std::string> on_end(const Moment& last) override {
        // No pass ran in calm, so the last one's state has held since calm began.
        if (last.input.call_context.now < last.calm) observe(last, last.calm);
        std::vector<std::string> out;
        for (const auto& [node, idle] : idle_) {
            if (last.now() - idle.since < idle_time_max) continue;
            out.push_back("at the end of the run, node " + node + " of group " +
                          idle.finding.group.value() + " " + idle.finding.because +
                          ", and could have been removed for the last " +
                          format_duration(last.now() - idle.since) + autoscaler_reason(last, node));
        }
        return out;
    }

private:
    /// Why the autoscaler kept the node, in its own words, for the report of a violation.
    static std::string autoscaler_reason(const Moment& last, const std::string& node) {
        const auto& verdicts = last.decision().nodes;
        const auto at = std::ranges::find(verdicts, node, &engine::NodeVerdict::node);
        const std::string& general = last.decision().no_removals_because;
        const std::string because =
            at == verdicts.end() || at->because.empty() ? general : at->because;
        return because.empty() ? "" : "; reason of the last pass: " + because;
    }

    /// Whether a pod counts as schedulable and therefore keeps all nodes, but stays pending: the
    /// simulated scheduler does not preempt for it.
    static bool waits_for_preemption(const Moment& moment) {
        return !moment.settings().scale_down.ignore_schedulable_pods &&
               std::ranges::any_of(moment.cluster().unbound(), [&](engine::PodIndex pod) {
                   return may_preempt(moment.cluster(), pod, moment.settings());
               });
    }

    struct Idle {
        Time since{};
        RemovableNodes::Finding finding{};
    };

    void observe(const Moment& moment, Time since) {
        std::map<std::string, Idle> now;
        const engine::snapshot::Cluster& cluster = moment.cluster();
        const RemovableNodes removable(moment);
        const bool is_well =
            is_cluster_healthy(cluster, moment.settings()) && !waits_for_preemption(moment);
        for (engine::NodeIndex i = 0; is_well && i < cluster.node_count(); ++i) {
            auto finding = removable.find(i);
            if (!finding) continue;
            const std::string name(cluster.text(cluster.node(i).name));
            const auto before = idle_.find(name);
            now[name] = {before == idle_.end() ? since : before->second.since, *std::move(finding)};
        }
        idle_ = std::move(now);
    }

    std::map<std::string, Idle> idle_;  ///< nodes that could have gone without interruption
};

}  // namespace

std::unique_ptr<Invariant> thrift_invariant() { return std::make_unique<Thrift>(); }

}  // namespace capstan::simulator::chaos
