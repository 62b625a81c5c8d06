#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "simulation/chaos/fact_ledger.hpp"
#include "simulation/chaos/invariant.hpp"

namespace capstan::simulation::chaos {
namespace {

/// The time within which evictions of a replica are counted.
constexpr Duration window = std::chrono::hours(2);

/// Users count how often their replica is moved, whatever the name of its pod. A replica is a chain
/// of pods: a pod that its controller creates in place of an evicted or lost one inherits the
/// evictions of that pod. If several pods of a batch have gone, the first to be replaced is the
/// first that went.
class Churn final : public Invariant {
public:
    std::string_view name() const override { return "churn"; }

    void on_start(const JudgedRun& run) override {
        calm_ = run.calm;
        bound_ = run.input.judge.evictions;
        bound_in_storm_ = run.input.judge.evictions_in_storm;
    }

    std::vector<std::string> on_fact(const Fact& fact) override {
        std::vector<std::string> out;
        if (fact.kind == FactKind::pod_evicted) out = evict(fact);
        if (fact.kind == FactKind::pod_lost) leave(fact);
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
    using Evictions = std::vector<Time>;

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
        evictions.push_back(fact.at);
        const Time from = std::max(fact.at - window, fact.at >= calm_ ? calm_ : Time::min());
        const auto count = std::ranges::count_if(evictions, [&](Time at) { return at >= from; });
        const double bound = fact.at >= calm_ ? bound_ : bound_in_storm_;
        if (static_cast<double>(count) <= bound) return {};
        return {"a replica of " + std::string(fact.batch) + ", now pod " + std::string(fact.pod) +
                " on node " + std::string(fact.node) + ", is evicted " + counted(count, "time") +
                " in " + format_duration(fact.at - *std::ranges::lower_bound(evictions, from))};
    }

    FactLedger ledger_;
    Time calm_ = Time::max();
    double bound_ = Judge().evictions, bound_in_storm_ = Judge().evictions_in_storm;
    std::map<std::string, Evictions> replicas_;             ///< by pod
    std::map<std::string, std::deque<Evictions>> waiting_;  ///< by batch
};

}  // namespace

std::unique_ptr<Invariant> churn_invariant() { return std::make_unique<Churn>(); }

}  // namespace capstan::simulation::chaos
