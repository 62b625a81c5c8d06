#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/next_change.hpp"
#include "simulator/chaos/fact_ledger.hpp"
#include "simulator/chaos/invariant.hpp"

namespace capstan::simulator::chaos {
namespace {

/// The time within which evictions of a replica are counted.
constexpr Duration window = std::chrono::hours(2);
/// From the plan of a removal to its evictions: the taint is written, and kube-scheduler sees it.
constexpr Duration plan_time = std::chrono::minutes(2);
/// How long the last faults have effects: back-offs, soft taints that could not be written.
constexpr Duration aftermath = std::chrono::minutes(10);

bool switches_soft_taints_off(const Input& input) {
    for (const Step& step : input.steps)
        for (const Action& action : step.actions)
            if (const auto* const reload = std::get_if<Reload>(&action.what);
                reload != nullptr && reload->scale_down.max_bulk_soft_taint_count == 0)
                return true;
    return false;
}

/// Users count how often their replica is moved, whatever the name of its pod. A replica is a chain
/// of pods: a pod that its controller creates in place of an evicted or lost one inherits the
/// evictions of that pod. If several pods of a batch have gone, the first to be replaced is the
/// first that went.
///
/// Two bounds apply to any two hours. From a while after the last fault on the lower one counts
/// evictions without a cause, and the first of the replica. An eviction has a cause if
///  - a pod ended by itself since the replica was last evicted, or shortly before that, when the
///    removal had begun: its node, or another one, has become less used, which no plan could know
///  - a system pod came to its node since then: such a pod, also one that a removal moved, protects
///    its node from drains for a while, so the node could not go together with the one before
///  - an expendable pod has a node: the autoscaler expects kube-scheduler to preempt it for the
///    pods that are moved, which the simulated scheduler does not
///  - the scenario switches soft taints off by a reload: the scheduler then does not know which
///    nodes are removed next, and moves pods to them
/// The higher bound counts also evictions with a cause, and those during faults. An eviction after
/// a pod of the same node has ended by itself counts half: with a short unneeded_time, every node
/// that has become less used is drained.
class Churn final : public Invariant {
public:
    std::string_view name() const override { return "churn"; }

    void on_start(const JudgedRun& run) override {
        calm_ = engine::later(run.calm, aftermath);
        bound_ = run.input.judge.evictions;
        bound_in_storm_ = run.input.judge.evictions_in_storm;
        has_soft_taints_ = !switches_soft_taints_off(run.input);
    }

    std::vector<std::string> on_fact(const Fact& fact) override {
        std::vector<std::string> out;
        if (fact.kind == FactKind::pod_evicted) out = evict(fact);
        if (fact.kind == FactKind::pod_lost) leave(fact);
        if (has_ended(fact)) {
            last_end_ = fact.at;
            last_ends_[std::string(fact.node)] = fact.at;
        }
        if (fact.kind == FactKind::pod_arrived && fact.cause == Cause::controller) replace(fact);
        if (fact.kind == FactKind::pod_gone) replicas_.erase(std::string(fact.pod));
        ledger_.observe(fact);
        return out;
    }

    std::vector<std::string> on_pass(const Moment& moment) override {
        ledger_.observe(moment.groups(), moment.now());
        return {};
    }

private:
    struct Eviction {
        Time at{};
        bool has_cause = false;
        bool is_wanted = false;  ///< a pod of the same node had ended by itself
    };
    using Evictions = std::vector<Eviction>;

    /// Whether a pod ends that was not moved.
    bool has_ended(const Fact& fact) const {
        if (fact.kind != FactKind::pod_completed && fact.kind != FactKind::pod_deleted &&
            fact.kind != FactKind::pod_lost)
            return false;
        const LedgerPod* const pod = ledger_.find_pod(fact.pod);
        return pod == nullptr || !pod->belongs_to_node;
    }
    bool has_expendable_pods() const {
        return std::ranges::any_of(ledger_.pods(), [](const auto& entry) {
            return !entry.second.node.empty() && entry.second.spec.priority.value_or(0) < 0;
        });
    }

    /// Whether a pod of kube-system came to the node since then.
    bool has_system_pod(std::string_view node, Time since) const {
        const LedgerNode* const found = ledger_.find_node(node);
        return found != nullptr && std::ranges::any_of(found->pods, [&](const std::string& name) {
                   const LedgerPod* const pod = ledger_.find_pod(name);
                   return name.starts_with("kube-system/") && pod != nullptr &&
                          !pod->belongs_to_node && pod->arrived >= since;
               });
    }

    /// Whether the pod would have ended in any case, or yields to all others: its node is not
    /// ready, its machine has a termination notice, or its priority is negative.
    bool is_excused(const Fact& fact) const {
        const LedgerPod* const pod = ledger_.find_pod(fact.pod);
        const LedgerNode* const node = ledger_.find_node(fact.node);
        const LedgerMachine* const machine = ledger_.machine_of(fact.node);
        return pod == nullptr || pod->belongs_to_node || pod->spec.priority.value_or(0) < 0 ||
               node == nullptr || !node->is_ready || (machine != nullptr && machine->is_announced);
    }

    /// The replica of the pod waits for its next pod.
    Evictions& leave(const Fact& fact) {
        std::deque<Evictions>& waiting = waiting_[std::string(fact.batch)];
        auto replica = replicas_.extract(std::string(fact.pod));
        waiting.push_back(replica ? std::move(replica.mapped()) : Evictions());
        return waiting.back();
    }

    void replace(const Fact& fact) {
        std::deque<Evictions>& waiting = waiting_[std::string(fact.batch)];
        if (waiting.empty()) return;
        replicas_[std::string(fact.pod)] = std::move(waiting.front());
        waiting.pop_front();
    }

    std::vector<std::string> evict(const Fact& fact) {
        const bool is_excused = this->is_excused(fact);
        Evictions& evictions = leave(fact);
        if (is_excused) return {};
        evictions.push_back(judged(fact, evictions));
        const Time from = fact.at - window;
        std::vector<Time> all, causeless;
        double weight = 0;
        for (const Eviction& eviction : evictions) {
            if (eviction.at < from) continue;
            all.push_back(eviction.at);
            weight += eviction.is_wanted ? 0.5 : 1;
            if (eviction.at >= calm_ && !eviction.has_cause) causeless.push_back(eviction.at);
        }
        if (fact.at >= calm_ && static_cast<double>(std::ssize(causeless)) > bound_)
            return {text_of(fact, causeless, ", while no pod ended by itself")};
        if (weight > bound_in_storm_) return {text_of(fact, all, "")};
        return {};
    }

    Eviction judged(const Fact& fact, const Evictions& before) const {
        Eviction out{.at = fact.at, .has_cause = !has_soft_taints_ || has_expendable_pods()};
        if (before.empty()) return out;
        const Time last = before.back().at - plan_time;
        out.has_cause = out.has_cause || last_end_ >= last || has_system_pod(fact.node, last);
        const auto end = last_ends_.find(fact.node);
        out.is_wanted = end != last_ends_.end() && end->second >= last;
        return out;
    }

    static std::string text_of(const Fact& fact, const std::vector<Time>& evictions,
                               const char* meanwhile) {
        return "a replica of " + std::string(fact.batch) + ", now pod " + std::string(fact.pod) +
               " on node " + std::string(fact.node) + ", is evicted " +
               counted(std::ssize(evictions), "time") + " in " +
               format_duration(fact.at - evictions.front()) + meanwhile;
    }

    FactLedger ledger_;
    Time calm_ = Time::max();
    Time last_end_{};                                     ///< of a pod that was not moved
    std::map<std::string, Time, std::less<>> last_ends_;  ///< the same, by node
    bool has_soft_taints_ = true;
    double bound_ = Judge().evictions, bound_in_storm_ = Judge().evictions_in_storm;
    std::map<std::string, Evictions> replicas_;             ///< by pod
    std::map<std::string, std::deque<Evictions>> waiting_;  ///< by batch
};

}  // namespace

std::unique_ptr<Invariant> churn_invariant() { return std::make_unique<Churn>(); }

}  // namespace capstan::simulator::chaos
