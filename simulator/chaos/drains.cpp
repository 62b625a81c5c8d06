#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/labels.hpp>
#include <capstan/well_known.hpp>

#include "autoscaler/engine_settings.hpp"
#include "engine/node_marks.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/true_pods.hpp"

namespace capstan::simulator::chaos {
namespace {

using engine::snapshot::PodObject;

/// A budget counts once it has existed for this time: a pass may not have seen a younger one.
constexpr Duration budget_age_min = std::chrono::minutes(1);

/// What the rules about one pod depend on.
struct PodFacts {
    const PodObject& pod;
    Duration age{0};  ///< by the wall clock, at most
    std::ptrdiff_t budgets = 0;
    int wanted = 0;  ///< replicas; zero: unknown
};

std::string_view annotation_of(const PodObject& pod, std::string_view key) {
    const auto at = pod.annotations.find(std::string(key));
    return at == pod.annotations.end() ? std::string_view() : std::string_view(at->second);
}

bool is_in_list(std::string_view list, std::string_view name) {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view one = list.substr(0, comma);
        list.remove_prefix(std::min(comma + 1, list.size()));
        while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
        while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
        if (one == name) return true;
    }
    return false;
}

/// Whether the annotation karpenter.sh/do-not-disrupt protects the pod at its age.
bool must_not_be_disrupted(const PodFacts& facts) {
    const std::string text(annotation_of(facts.pod, well_known::do_not_disrupt_annotation));
    if (text == "true") return true;
    const Result<Duration> length = parse_duration(text);
    return length && *length > Duration(0) && facts.age <= *length;
}

bool has_kept_volumes(const PodObject& pod) {
    const std::string_view safe = annotation_of(pod, well_known::safe_to_evict_volumes_annotation);
    return std::ranges::any_of(pod.spec.local_volumes, [&](const std::string& volume) {
        return !is_in_list(safe, volume);
    });
}

/// Why the pod must not be moved off a working node under these settings; empty: it may be. The
/// rules in the order in which the documentation of [scale_down] gives them; the first that applies
/// decides.
std::string why_protected(const PodFacts& facts, const engine::Settings& settings) {
    const PodObject& pod = facts.pod;
    const engine::ScaleDownSettings& down = settings.scale_down;
    const auto is_on = [&](std::string_view rule) {
        return std::ranges::find(down.drain_rules_off, rule) == down.drain_rules_off.end();
    };
    const std::string& kind = pod.owner.kind;
    const std::string_view safe = annotation_of(pod, well_known::safe_to_evict_annotation);
    if (stays_on_node(pod) || is_preemptible(pod, settings.expendable_pods_priority_cutoff))
        return {};
    if (is_on("job") && kind == "Job" && down.job_pods_unmovable &&
        !(down.safe_to_evict_frees_jobs && safe == "true"))
        return "belongs to a Job";
    const bool is_few = kind == "ReplicaSet" && down.skip_nodes_with_custom_controller_pods &&
                        facts.wanted > 0 && facts.wanted < down.min_replica_count;
    if (is_on("replica_count") && is_few)
        return "is one of " + std::to_string(facts.wanted) + " replicas, fewer than " +
               std::to_string(down.min_replica_count);
    if (is_on("on_completion") && safe == "on-completion")
        return "is safe to evict only on completion";
    if (is_on("several_pdbs") && facts.budgets > 1) return "has more than one PodDisruptionBudget";
    if (is_on("safe_to_evict") && safe == "true") return {};
    if (is_on("replicated") && kind.empty()) return "has no controller";
    const bool is_disturbed = must_not_be_disrupted(facts);
    if (is_on("system") && pod.ns == "kube-system" && down.skip_nodes_with_system_pods &&
        facts.budgets == 0) {
        if (facts.age <= down.blocking_system_pod_disruption_timeout)
            return "is a recent kube-system pod without a PodDisruptionBudget";
        if (safe != "false" && !is_disturbed) return {};
    }
    if (is_on("not_safe_to_evict") && safe == "false") return "is annotated as not safe to evict";
    if (is_on("do_not_disrupt") && is_disturbed) return "is annotated as not to be disrupted";
    const bool keeps_volumes = down.skip_nodes_with_local_storage && has_kept_volumes(pod);
    if (is_on("local_storage") && keeps_volumes) return "has local storage";
    return {};
}

/// The settings that a scenario means are its own (Input::own_settings) and those of its reloads. A
/// pod is protected if all of them protect it.
class Drains final : public Invariant {
public:
    std::string_view name() const override { return "drains"; }

    void on_start(const JudgedRun& run) override {
        if (run.input.own_settings) meant_.push_back(*run.input.own_settings);
        for (const Fault& fault : run.input.faults) {
            if (fault.kind == FaultKind::clock_jump)
                clock_error_ = std::max({clock_error_, fault.lasts, -fault.lasts});
            if (fault.kind == FaultKind::takeover)
                clock_error_ = std::max(clock_error_, takeover_skew_max);
        }
        for (const Budget& budget : run.input.budgets) budgets_.emplace_back(Time{}, budget);
        Time begin = run.input.start;
        for (const Step& step : run.input.steps) {
            for (const Action& action : step.actions) {
                if (const auto* budget = std::get_if<Budget>(&action.what))
                    budgets_.emplace_back(begin + action.after, *budget);
                if (const auto* reload = std::get_if<Reload>(&action.what))
                    reloads_.push_back(autoscaler::make_settings(
                        reload->scale_up, reload->scale_down, reload->limits));
            }
            begin += step.advance.value_or(Duration(0));
        }
    }

    std::vector<std::string> on_fact(const Fact& fact) override {
        std::vector<std::string> out;
        if (fact.kind == FactKind::machine_joined)
            node_of_.insert_or_assign(std::string(fact.machine), std::string(fact.node));
        if (fact.kind == FactKind::pod_arrived)
            created_.insert_or_assign(std::string(fact.pod), fact.at + wall_ahead_);
        if (fact.kind == FactKind::pod_gone)
            if (const auto at = created_.find(fact.pod); at != created_.end()) created_.erase(at);
        if (fact.kind == FactKind::pod_evicted && fact.cause == Cause::autoscaler &&
            pods_.is_ready(fact.node) && !leaving_.contains(fact.node)) {
            const std::string why = why_kept(fact.pod, fact.at);
            if (!why.empty())
                out.push_back("pod " + std::string(fact.pod) + " is evicted from node " +
                              std::string(fact.node) + " although it " + why);
        }
        if (fact.kind == FactKind::fault_began && fact.fault == FaultKind::unobserved)
            is_unobserved_ = true;
        if (fact.kind == FactKind::fault_ended && fact.fault == FaultKind::unobserved)
            is_unobserved_ = false;
        pods_.observe(fact);
        return out;
    }

    std::vector<std::string> on_pass(const Moment& moment) override {
        wall_ahead_ = moment.wall() - moment.now();
        if (meant_.empty()) meant_.push_back(moment.settings());
        leaving_.clear();
        for (const engine::Group& group : moment.groups()) {
            for (const Machine& machine : group.machines) {
                const auto node = node_of_.find(machine.id.value());
                if (machine.leaves && node != node_of_.end()) leaving_.insert(node->second);
            }
        }
        std::vector<std::string> out;
        if (is_unobserved_) return out;
        for (const engine::NodeChange& change : moment.decision().node_changes) {
            const bool marks = std::ranges::any_of(change.set_taints, [](const Taint& taint) {
                return taint.key == engine::to_be_deleted_taint;
            });
            const auto index = moment.cluster().find_node(change.node);
            if (!marks || !index || engine::is_marked(moment.cluster().node(*index)) ||
                !pods_.is_ready(change.node) || leaving_.contains(change.node))
                continue;
            judge_begin(change.node, moment.now(), out);
        }
        return out;
    }

private:
    void judge_begin(const std::string& node, Time now, std::vector<std::string>& out) {
        for (const std::string& name : pods_.on(node)) {
            if (pods_.find(name)->is_ending) continue;
            const std::string why = why_kept(name, now);
            // A mark that fails is requested again.
            if (!why.empty() && reported_.emplace(node, name).second)
                out.push_back("the removal of node " + node + " begins although its pod " + name +
                              " " + why);
        }
    }

    /// The budgets that select the pod, by name the last one that is old enough.
    std::ptrdiff_t count_budgets(const PodObject& pod, Time now) const {
        std::map<std::string, bool> selects;
        for (const auto& [from, budget] : budgets_) {
            if (budget.ns != pod.ns || from > now) continue;
            const bool is_old = from == Time{} || now - from >= budget_age_min;
            selects[budget.name] = is_old && matches(budget.selector, pod.labels);
        }
        return std::ranges::count_if(selects, [](const auto& entry) { return entry.second; });
    }

    std::string why_kept(std::string_view name, Time now) const {
        const TruePod* const pod = pods_.find(name);
        const auto created = created_.find(name);
        if (pod == nullptr || created == created_.end()) return {};
        const PodFacts facts{.pod = *pod->object,
                             .age = now + wall_ahead_ - created->second + clock_error_,
                             .budgets = count_budgets(*pod->object, now),
                             .wanted = pods_.wanted(pod->batch)};
        std::string out;
        for (const auto* list : {&meant_, &reloads_}) {
            for (const engine::Settings& settings : *list) {
                out = why_protected(facts, settings);
                if (out.empty()) return out;
            }
        }
        return out;
    }

    TruePods pods_;
    std::vector<engine::Settings> meant_, reloads_;
    std::vector<std::pair<Time, Budget>> budgets_;             ///< since when
    std::map<std::string, Time, std::less<>> created_;         ///< by pod, on the wall clock
    std::map<std::string, std::string, std::less<>> node_of_;  ///< by machine
    std::set<std::string, std::less<>> leaving_;               ///< nodes with a notice
    Duration wall_ahead_{0};                                   ///< as of the last pass
    Duration clock_error_{0};                                  ///< how far that may be wrong
    bool is_unobserved_ = false;
    std::set<std::pair<std::string, std::string>> reported_;  ///< nodes and pods
};

}  // namespace

std::unique_ptr<Invariant> drains_invariant() { return std::make_unique<Drains>(); }

}  // namespace capstan::simulator::chaos
