#include "engine/drainability/candidates.hpp"

#include <algorithm>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

#include "engine/drainability/eligibility.hpp"
#include "engine/drainability/pods_on_node.hpp"
#include "engine/drainability/utilization.hpp"

namespace capstan::engine::drainability {
namespace {

class CandidateSearch {
public:
    CandidateSearch(const PassView& view, const health::Health& health,
                    const pods::DisruptionBudgets& budgets)
        : view_(view),
          snapshot_(view.snapshot),
          health_(health),
          settings_(view.settings),
          meter_(snapshot_.cluster, settings_, view.time.wall),
          judge_({snapshot_.cluster, settings_, budgets, view.time}),
          budgets_count_(
              is_on(*std::ranges::find(drain_rules(), "pdb", &DrainRule::name), settings_)) {}

    Candidates run() {
        out_.cluster = &snapshot_.cluster;
        out_.others.reserve(snapshot_.cluster.node_count());
        for (NodeIndex n = 0; n < snapshot_.cluster.node_count(); ++n) evaluate(n);
        return std::move(out_);
    }

private:
    bool is_ready(NodeIndex n) const {
        const health::Readiness readiness = health_.readiness[n];
        const bool is_suspended = readiness == health::Readiness::suspended;
        return readiness == health::Readiness::ready ||
               (is_suspended && snapshot_.cluster.node(n).ready);
    }

    void evaluate(NodeIndex n) {
        const auto ineligible = find_ineligible(view_, health_, n);
        if (ineligible) {
            note(ineligible->until);
            stays(n, ineligible->reason, ineligible->because);
            out_.others.back().pod = ineligible->pod;
            return;
        }
        const std::optional<templates::MachineIndex>& machine = view_.membership.machine_of[n];
        CAPSTAN_ASSERT(machine, "a node in no group is eligible");
        const std::uint32_t group = machine->group;
        const Result<Utilization> used = meter_.of(n, &(*snapshot_.groups)[group]);
        if (!used) return stays(n, Unremovable::unexpected_error, used.error().message);
        Candidate node{.node = n, .group = group, .utilization = used->share, .ready = is_ready(n)};
        if (const auto* const leaving = health::find_departure(health_.leaving, n))
            if (leaving->is_vacated) return evaluate_vacated(std::move(node), *leaving);
        if (!node.ready && !settings_.scale_down.unready_enabled) {
            return stays(n, Unremovable::scale_down_unready_disabled,
                         "not ready, and scale_down.unready_enabled is off", used->share);
        }
        const double threshold = threshold_of(*used, (*snapshot_.groups)[group], settings_);
        if (used->share > threshold) {
            std::string because = describe(*used);
            because.append(", above the threshold of ").append(percent(threshold));
            return stays(n, Unremovable::not_underutilized, std::move(because), used->share);
        }
        evaluate_pods(std::move(node));
    }

    /// The cloud takes the machine anyway, so the node is a candidate only if it is of no use until
    /// then.
    void evaluate_vacated(Candidate node, const health::Departure& departure) {
        NodePods pods = judge_.sort(node.node);
        note(pods.changes_at);
        if (pods.blocked_by || pods.waits_for || !pods.moving.empty()) {
            const Machine& machine =
                *templates::find_machine(snapshot_, view_.membership, node.node);
            return stays(node.node, Unremovable::currently_being_deleted,
                         "the machine has a termination notice: " +
                             leaving_text(health::notice_of(machine)) + "; " +
                             health::describe_departure(departure, settings_),
                         node.utilization);
        }
        if (settings_.scale_down.drain_leaving_nodes) node.leaves_at = departure.at;
        node.daemons = std::move(pods.daemons);
        out_.nodes.push_back(std::move(node));
    }

    void evaluate_pods(Candidate node) {
        NodePods pods = judge_.sort(node.node);
        note(pods.changes_at);
        if (pods.blocked_by) {
            const DrainVerdict verdict = judge(*pods.blocked_by, judge_.context());
            if (verdict.rule == "pdb") out_.short_of_budget.push_back(node.node);
            return blocked(node, *pods.blocked_by, verdict.sentence);
        }
        if (!pods.moving.empty()) {
            if (const auto backoff = find_node_backoff(view_, node.node, true)) {
                note(backoff->until);
                return stays(node.node, backoff->reason, backoff->because, node.utilization);
            }
        }
        // The budgets of a pod with safe-to-evict "true" count, too.
        const pods::DisruptionBudgets& budgets = judge_.context().budgets;
        if (budgets_count_) {
            if (const auto shortage = budgets.find_shortage(pods.moving)) {
                out_.short_of_budget.push_back(node.node);
                return blocked(node, shortage->pod,
                               "pod " + full_name(snapshot_.cluster, shortage->pod) +
                                   " cannot be evicted: " + shortage->sentence);
            }
        }
        node.is_risky = !budgets.allow_at_once(pods.moving);
        node.moving = std::move(pods.moving);
        node.daemons = std::move(pods.daemons);
        node.waits_for = pods.waits_for;
        if (pods.waits_for) {
            node.waits_because = judge(*pods.waits_for, judge_.context()).sentence;
        }
        out_.nodes.push_back(std::move(node));
    }

    void blocked(const Candidate& node, PodIndex pod, std::string because) {
        stays(node.node, Unremovable::blocked_by_pod, std::move(because), node.utilization);
        out_.others.back().pod = full_name(snapshot_.cluster, pod);
    }

    void stays(NodeIndex n, Unremovable reason, std::string because,
               std::optional<double> used = std::nullopt) {
        const auto machine = view_.membership.machine_of[n];
        out_.others.push_back(
            {.node = std::string(snapshot_.cluster.text(snapshot_.cluster.node(n).name)),
             .group = machine ? (*snapshot_.groups)[machine->group].group.id : NodeGroupId(),
             .reason = reason,
             .utilization = used,
             .because = std::move(because)});
    }

    void note(std::optional<Time> time) {
        if (time) out_.wake_at = std::min(out_.wake_at.value_or(*time), *time);
    }

    const PassView& view_;
    const Snapshot& snapshot_;
    const health::Health& health_;
    const Settings& settings_;
    UtilizationMeter meter_;
    DrainJudge judge_;
    bool budgets_count_;
    Candidates out_{};
};

}  // namespace

std::vector<PodGroupId> Candidates::moving_pod_groups() const {
    if (cluster == nullptr) return {};
    std::vector<bool> found(cluster->pod_group_count());
    for (const Candidate& node : nodes) {
        for (const PodIndex pod : node.moving) found[cluster->equivalence_group_of(pod)] = true;
    }
    std::vector<PodGroupId> out;
    for (PodGroupId id = 0; id < found.size(); ++id) {
        if (found[id]) out.push_back(id);
    }
    return out;
}

Candidates find_candidates(const PassView& view, const health::Health& health,
                           const pods::DisruptionBudgets& budgets) {
    return CandidateSearch(view, health, budgets).run();
}

}  // namespace capstan::engine::drainability
