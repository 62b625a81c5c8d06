#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "config/toml_values.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/true_pods.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

/// For how long after its end a fault, or an act of another client, may explain that a machine
/// ends: lists of the cloud may show it late.
constexpr Duration explains_for = std::chrono::minutes(30);

/// Whether the settings of a group, or a change of them, may end machines.
bool ends_machines(const config::TomlValue& change) {
    return std::ranges::any_of(std::vector<std::string_view>{"target", "lose", "take"},
                               [&](std::string_view key) { return change.find(key) != nullptr; });
}

/// A machine and its node are matched by the facts of its joining, never by what a decision says.
class Endings final : public Invariant {
public:
    std::string_view name() const override { return "endings"; }

    void on_start(const JudgedRun& run) override {
        if (run.input.own_settings)
            cutoff_ = run.input.own_settings->expendable_pods_priority_cutoff;
        for (const SimulatedCloud& cloud : run.clouds) {
            const auto* const groups = cloud.settings.find("groups");
            if (groups == nullptr) continue;
            for (const auto& group : groups->children) add_changes(group, run.input.start);
        }
        Time begin = run.input.start;
        for (const Step& step : run.input.steps) {
            for (const Action& action : step.actions) add(action, begin + action.after);
            begin += step.advance.value_or(Duration(0));
        }
    }

    std::vector<std::string> on_pass(const Moment& moment) override {
        last_pass_ = moment.now();
        for (const engine::MachineRemoval& removal : moment.decision().removals)
            for (const MachineId& machine : removal.machines) decided_.insert(machine.value());
        return {};
    }

    std::vector<std::string> on_fact(const Fact& fact) override {
        std::vector<std::string> out;
        switch (fact.kind) {
            case FactKind::machine_joined:
                node_of_.insert_or_assign(std::string(fact.machine), std::string(fact.node));
                break;
            case FactKind::removal_agreed: judge_agreed(fact, out); break;
            case FactKind::machine_ended: judge_end(fact, out); break;
            case FactKind::fault_began:
            case FactKind::fault_ended: observe_fault(fact); break;
            default: break;
        }
        pods_.observe(fact);
        return out;
    }

private:
    void add_changes(const config::TomlValue& group, Time start) {
        const auto* const changes = group.find("changes");
        if (changes == nullptr) return;
        for (const auto& change : changes->children)
            if (ends_machines(change))
                acts_.emplace(text_of(group, "id"),
                              start + parse_duration(text_of(change, "at")).value_or(Duration(0)));
    }
    void add(const Action& action, Time at) {
        if (const auto* change = std::get_if<CloudChange>(&action.what)) {
            if (ends_machines(change->change)) acts_.emplace(change->group, at);
        } else if (const auto* removed = std::get_if<RemoveGroup>(&action.what)) {
            acts_.emplace(removed->id, at);
        } else if (const auto* added = std::get_if<AddGroup>(&action.what)) {
            acts_.emplace(text_of(added->group, "id"), at);
            add_changes(added->group, at);
        } else if (std::get_if<CloudEdit>(&action.what) != nullptr) {
            acts_.emplace("", at);
        }
    }

    void observe_fault(const Fact& fact) {
        if (!fact.fault || spares_machines(*fact.fault)) return;
        const std::string group(fact.group);
        faults_[group] = fact.at;
        if (is_brief(*fact.fault)) return;
        active_[group] += fact.kind == FactKind::fault_began ? 1 : -1;
    }

    /// Whether something other than the autoscaler may have ended a machine of the group. The lists
    /// of clouds are read by passes alone, so what happened since the last pass is seen only now.
    bool is_explained(const std::string& group, Time now) const {
        const Time read = std::min(now, last_pass_.value_or(now));
        for (const std::string& of : {group, std::string()}) {
            const auto fault = faults_.find(of);
            if (fault != faults_.end() && read - fault->second <= explains_for) return true;
            if (const auto at = active_.find(of); at != active_.end() && at->second > 0)
                return true;
            const auto [from, to] = acts_.equal_range(of);
            for (auto act = from; act != to; ++act)
                if (act->second <= now && read - act->second <= explains_for) return true;
        }
        return false;
    }

    /// The machine that the cloud agreed to remove is that of the node that was meant, and no pod
    /// counts on that node any more.
    void judge_agreed(const Fact& fact, std::vector<std::string>& out) {
        const auto at = node_of_.find(fact.machine);
        if (at == node_of_.end() || !pods_.is_ready(at->second)) return;
        const std::string machine(fact.machine);
        if (!fact.node.empty() && fact.node != at->second)
            out.push_back("the removal of node " + std::string(fact.node) + " ends machine " +
                          machine + ", which is that of node " + at->second);
        if (fact.removal == engine::RemovalCause::failed ||
            fact.removal == engine::RemovalCause::never_joined ||
            fact.removal == engine::RemovalCause::unready)
            return;
        std::vector<std::string> left;
        for (const std::string& name : pods_.on(at->second)) {
            const TruePod& pod = *pods_.find(name);
            if (!pod.is_ending && !stays_on_node(*pod.object) &&
                !is_preemptible(*pod.object, cutoff_))
                left.push_back(name);
        }
        if (!left.empty())
            out.push_back("machine " + machine + " is removed while its node " + at->second +
                          " runs " + counted(std::ssize(left), "pod") + ": " + left.front());
    }

    void judge_end(const Fact& fact, std::vector<std::string>& out) {
        const std::string machine(fact.machine);
        const bool is_decided = decided_.erase(machine) > 0;
        node_of_.erase(machine);
        if (is_decided || fact.node.empty() || is_explained(std::string(fact.group), fact.at))
            return;
        out.push_back("machine " + machine + " of node " + std::string(fact.node) +
                      " ended, and neither a removal nor the cloud had a reason for it");
    }

    TruePods pods_;
    std::optional<Time> last_pass_{};
    int cutoff_ = engine::Settings{}.expendable_pods_priority_cutoff;
    std::set<std::string> decided_;                            ///< machines that a decision removes
    std::map<std::string, std::string, std::less<>> node_of_;  ///< by machine
    std::multimap<std::string, Time> acts_;  ///< of other clients, by group; empty: all groups
    std::map<std::string, Time> faults_;     ///< likewise: the last beginning or end of one
    std::map<std::string, int> active_;      ///< likewise: faults under way
};

}  // namespace

std::unique_ptr<Invariant> endings_invariant() { return std::make_unique<Endings>(); }

}  // namespace capstan::simulator::chaos
