#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <capstan/sentence.hpp>

#include "simulator/chaos/fact_ledger.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

/// What each machine may run longer than needed: it starts, waits for its pods, and is drained.
constexpr double spare_hours = 1.0 / 3;
/// After a fault that keeps machines from being removed, delays of removals may start again.
constexpr Duration after_fault = std::chrono::minutes(20);
/// A node that is used by this share may stay although its pods fit elsewhere.
constexpr std::int64_t used_share_divisor = 2;

constexpr std::array keeps_machines{
    FaultKind::api_error,      FaultKind::throttled,      FaultKind::unauthenticated,
    FaultKind::slow_calls,     FaultKind::silent,         FaultKind::removal_fails,
    FaultKind::flap,           FaultKind::eviction_error, FaultKind::policy_denial,
    FaultKind::lost_lease,     FaultKind::unobserved,     FaultKind::unwritten,
    FaultKind::slow_scheduler, FaultKind::memory_limit,   FaultKind::takeover};

/// What a machine of that size is worth per hour, in cores, so that machines of different sizes can
/// be added: 8 GiB of memory are worth a core, and a GPU 20 cores.
double worth_of(const Resources& size) {
    return static_cast<double>(size.amount("cpu")) / 1000 +
           static_cast<double>(size.amount("memory")) / 0x1p30 / 8 +
           static_cast<double>(size.amount("nvidia.com/gpu")) * 20;
}

/// The groups whose increases another client, or a change of the cloud, makes fail until the end,
/// and since when.
std::map<std::string, Time> refused_until_the_end(const Input& input) {
    std::map<std::string, Time> out;
    Time begin = input.start;
    for (const Step& step : input.steps) {
        for (const Action& action : step.actions) {
            const auto* const change = std::get_if<CloudChange>(&action.what);
            if (change == nullptr) continue;
            if (change->change.find("recover") != nullptr) out.erase(change->group);
            if (change->change.find("fail") != nullptr)
                out.try_emplace(change->group, begin + action.after);
        }
        begin += step.advance.value_or(Duration(0));
    }
    return out;
}

/// Compares what the nodes of the listed groups are worth over time with what a first-fit
/// decreasing of the pods that ran would have used. These nodes count as needed in any case:
///  - nodes with a pod that must not be moved, or with constraints that first-fit does not check
///  - nodes whose pods request half of the cpu or memory
///  - as many nodes of each group as its minimum
/// What is held in excess while a fault keeps machines does not count. First-fit makes no more
/// machines than there are of a group whose increases fail until the end, since the autoscaler
/// cannot have them either.
class NodeHours final : public Invariant {
public:
    std::string_view name() const override { return "node_hours"; }

    void on_start(const JudgedRun& run) override {
        bound_ = run.input.judge.node_hours;
        refused_since_ = refused_until_the_end(run.input);
    }

    std::vector<std::string> on_fact(const Fact& fact) override {
        reach(fact.at);
        if (fact.kind == FactKind::node_joined && !fact.group.empty())
            spare_ += worth_of(fact.node_object->allocatable) * spare_hours;
        ledger_.observe(fact);
        is_outdated_ = true;
        return {};
    }

    std::vector<std::string> on_pass(const Moment& moment) override {
        reach(moment.now());
        ledger_.observe(moment.groups(), moment.now());
        types_.clear();
        for (const engine::Group& group : moment.groups()) {
            if (!group.described) continue;
            types_[group.group.id.value()] = {
                .bin = {.room = room_on_new_node(moment.cluster(), group),
                        .labels = group.described->labels,
                        .taints = group.described->taints},
                .worth = worth_of(group.described->allocatable),
                .min = group.group.min.value_or(0)};
        }
        is_outdated_ = true;
        return {};
    }

    std::vector<std::string> on_end(const Moment& last) override {
        reach(last.now());
        if (held_ <= bound_ * needed_ + spare_) return {};
        return {"nodes ran for " + counted(static_cast<std::int64_t>(held_), "core hour") +
                ", and first-fit with hindsight needs " +
                std::to_string(static_cast<std::int64_t>(needed_)) + " and " +
                std::to_string(static_cast<std::int64_t>(spare_)) +
                " for starting and draining machines (8 GiB count as a core)"};
    }

private:
    struct Type {
        Bin bin{};
        double worth = 0;
        int min = 0;
    };

    /// Adds up the state since the last call.
    void reach(Time now) {
        if (now <= at_) return;
        if (at_ != Time() && !types_.empty()) {
            if (std::exchange(is_outdated_, false)) compute();
            const std::chrono::duration<double, std::ratio<3600>> hours = now - at_;
            const bool is_kept = std::ranges::any_of(keeps_machines, [&](FaultKind kind) {
                return ledger_.had_fault(kind, at_ - after_fault);
            });
            held_ += (is_kept ? std::min(held_now_, needed_now_) : held_now_) * hours.count();
            needed_ += needed_now_ * hours.count();
        }
        at_ = now;
    }

    void compute() {
        held_now_ = 0;
        nodes_there_.clear();
        for (const auto& [name, node] : ledger_.nodes()) {
            if (!types_.contains(node.group)) continue;
            held_now_ += worth_of(node.allocatable);
            ++nodes_there_[node.group];
        }
        needed_now_ = needed();
    }

    /// What is on one node.
    struct Load {
        Resources used{}, kept{};  ///< of all pods; of those that stay on the node
        bool is_needed = false;
        std::vector<const LedgerPod*> movable{};
    };
    Load load_of(const LedgerNode& node) const {
        Load out;
        for (const std::string& name : node.pods) {
            const LedgerPod* const pod = ledger_.find_pod(name);
            if (pod == nullptr) continue;
            const bool stays = pod->is_unmovable || pod->is_constrained;
            out.used += pod->requests;
            out.is_needed = out.is_needed || (stays && !pod->belongs_to_node);
            if (stays || pod->belongs_to_node) {
                out.kept += pod->requests;
            } else {
                out.movable.push_back(pod);
            }
        }
        for (const char* const resource : {"cpu", "memory"}) {
            if (out.used.amount(resource) * used_share_divisor >= node.allocatable.amount(resource))
                out.is_needed = true;
        }
        return out;
    }

    double needed() const {
        double out = 0;
        std::map<std::string, int> nodes;  ///< by group
        std::vector<Bin> bins;
        std::vector<const LedgerPod*> pods;
        for (const auto& [name, node] : ledger_.nodes()) {
            if (!types_.contains(node.group)) continue;
            const Load load = load_of(node);
            pods.insert(pods.end(), load.movable.begin(), load.movable.end());
            if (!load.is_needed) continue;
            out += worth_of(node.allocatable);
            ++nodes[node.group];
            bins.push_back(
                {node.allocatable - load.kept, node.labels, types_.at(node.group).bin.taints});
        }
        std::ranges::stable_sort(pods, [](const LedgerPod* a, const LedgerPod* b) {
            return worth_of(a->requests) > worth_of(b->requests);
        });
        for (const LedgerPod* const pod : pods) out += place(*pod, bins, nodes);
        for (const auto& [id, type] : types_) out += std::max(0, type.min - nodes[id]) * type.worth;
        return out;
    }

    /// What the pod costs: nothing if a bin has room, else the smallest machine that it fits.
    double place(const LedgerPod& pod, std::vector<Bin>& bins,
                 std::map<std::string, int>& nodes) const {
        const auto takes = [&](const Bin& bin) { return fits_bin(pod, bin); };
        const auto at = std::ranges::find_if(bins, takes);
        if (at != bins.end()) {
            at->room -= pod.requests;
            return 0;
        }
        const std::pair<const std::string, Type>* best = nullptr;
        for (const auto& entry : types_) {
            const bool is_smaller = best == nullptr || entry.second.worth < best->second.worth;
            if (is_smaller && takes(entry.second.bin) && may_take(entry.first, nodes))
                best = &entry;
        }
        if (best == nullptr) return worth_of(pod.requests);
        ++nodes[best->first];
        bins.push_back(best->second.bin);
        bins.back().room -= pod.requests;
        return best->second.worth;
    }

    /// Whether first-fit may have one more machine of the group. `nodes`: those that it has, by
    /// group.
    bool may_take(const std::string& group, const std::map<std::string, int>& nodes) const {
        const auto since = refused_since_.find(group);
        if (since == refused_since_.end() || since->second > at_) return true;
        const auto has = nodes.find(group), there = nodes_there_.find(group);
        return there != nodes_there_.end() &&
               (has == nodes.end() ? 0 : has->second) < there->second;
    }

    FactLedger ledger_;
    double bound_ = Judge().node_hours;
    std::map<std::string, Time> refused_since_;  ///< by group
    std::map<std::string, int> nodes_there_;     ///< by group
    Time at_{};
    std::map<std::string, Type> types_;  ///< by group, as its cloud describes it
    bool is_outdated_ = true;
    double held_now_ = 0, needed_now_ = 0;
    double held_ = 0, needed_ = 0, spare_ = 0;  ///< over the run so far
};

}  // namespace

std::unique_ptr<Invariant> node_hours_invariant() { return std::make_unique<NodeHours>(); }

}  // namespace capstan::simulator::chaos
