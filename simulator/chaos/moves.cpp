#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/picture.hpp"
#include "simulator/chaos/true_pods.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

/// The removal of a node with pods, and what became of the plan for these.
struct MovedNode {
    Time since{};
    std::map<std::string, int> places{};  ///< by node: pods that the plan moves there
    bool has_several_kinds = false;       ///< the plan moves pods that differ to several nodes
    std::map<std::string, int> taken{};   ///< by node: moved pods that the scheduler has put there
};

/// In calm, pods wait for a node only because the autoscaler has moved them. A removal is judged if
/// nothing but removals has happened since it began, so that its plan still holds.
class Moves final : public Invariant {
public:
    std::string_view name() const override { return "moves"; }

    std::vector<std::string> on_fact(const Fact& fact) override {
        switch (fact.kind) {
            case FactKind::pod_evicted: on_evicted(fact); break;
            case FactKind::pod_arrived: on_arrived(fact); break;
            case FactKind::pod_bound: on_bound(fact); break;
            case FactKind::pod_deleted:
            case FactKind::pod_lost:
            case FactKind::node_ready:
            case FactKind::node_unready:
            case FactKind::machine_failed:
            case FactKind::order_refused:
            case FactKind::orders_withdrawn:
            case FactKind::fault_began:
            case FactKind::fault_ended: last_change_ = fact.at; break;
            case FactKind::pod_gone:
                if (const auto at = moved_.find(fact.pod); at != moved_.end()) moved_.erase(at);
                break;
            default: break;
        }
        return {};
    }
    void on_restart() override { has_restarted_ = true; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        if (has_restarted_) last_change_ = moment.now();
        has_restarted_ = false;
        observe_removals(moment);
        std::vector<std::string> out;
        const std::string node = moment.is_calm() ? find_moved_node(moment) : "";
        for (const engine::Increase& increase : moment.decision().increases) {
            const engine::Group* const group = moment.find_group(increase.group);
            if (node.empty() || group == nullptr || probes_backoff(moment, increase) ||
                group->group.target.value_or(0) < group->group.min.value_or(0))
                continue;
            out.push_back("without faults, group " + increase.group.value() + " grows by " +
                          std::to_string(increase.by) + " only for pods that the removal of node " +
                          node + " moves to other nodes: " + increase.because);
        }
        if (!moment.decision().increases.empty()) last_change_ = moment.now();
        return out;
    }

private:
    void on_evicted(const Fact& fact) {
        if (fact.pod_object == nullptr || stays_on_node(*fact.pod_object)) return;
        const auto at = nodes_.find(fact.node);
        if (at == nodes_.end()) {
            last_change_ = fact.at;
        } else {
            owed_[std::string(fact.batch)].emplace_back(fact.node);
        }
    }
    void on_arrived(const Fact& fact) {
        if (fact.pod_object == nullptr || stays_on_node(*fact.pod_object)) return;
        const auto owed = owed_.find(fact.batch);
        if (owed == owed_.end() || owed->second.empty()) {
            last_change_ = fact.at;
            return;
        }
        moved_[std::string(fact.pod)] = owed->second.front();
        owed->second.pop_front();
    }
    void on_bound(const Fact& fact) {
        const auto at = moved_.find(fact.pod);
        if (at == moved_.end()) return;
        MovedNode& from = nodes_[at->second];
        const std::string to(fact.node);
        const auto planned = from.places.find(to);
        const int places = planned == from.places.end() ? 0 : planned->second;
        // The scheduler, which does not know the plan, may have put the pod elsewhere: into a place
        // of other pods of this removal or of another one.
        if (from.has_several_kinds || ++from.taken[to] > places) last_change_ = fact.at;
        moved_.erase(at);
    }

    void observe_removals(const Moment& moment) {
        for (const auto& [name, removal] : moment.memory().removals) {
            if (removal.empty) continue;
            MovedNode& node = nodes_[name];
            if (node.since != removal.since) node = {.since = removal.since};
            if (removal.places.empty()) continue;
            node.places.clear();
            std::set<std::string> kinds;
            for (const auto& [to, pods] : removal.places) {
                for (const auto& [kind, count] : pods) {
                    node.places[to] += count;
                    kinds.insert(kind);
                }
            }
            node.has_several_kinds = kinds.size() > 1 && node.places.size() > 1;
        }
    }

    /// Whether the plan of the node's removal must still hold.
    bool holds(const std::string& name, const Moment& moment) const {
        const auto at = nodes_.find(name);
        return at != nodes_.end() && at->second.since >= moment.calm &&
               at->second.since > last_change_;
    }

    /// A node whose removal moves the only pods that lack a place; empty: there is none, or other
    /// pods, or a plan that no longer holds, may need a machine.
    std::string find_moved_node(const Moment& moment) const {
        if (has_failures(moment)) return {};
        std::string out;
        for (const engine::PodIndex pod : moment.cluster().unbound()) {
            if (!counts(moment.cluster(), pod, moment.settings())) continue;
            const auto at = moved_.find(name_of_pod(moment.cluster(), pod));
            if (at == moved_.end() || !holds(at->second, moment)) return {};
            out = at->second;
        }
        for (const auto& [name, removal] : moment.input.memory.removals) {
            if (removal.empty || removal.phase > engine::RemovalPhase::draining) continue;
            if (!holds(name, moment)) return {};
            out = name;
        }
        return out;
    }

    std::map<std::string, MovedNode, std::less<>> nodes_;  ///< nodes being removed, also before
    /// By batch: the nodes of evicted pods whose controllers are to replace them.
    std::map<std::string, std::deque<std::string>, std::less<>> owed_;
    std::map<std::string, std::string, std::less<>> moved_;  ///< pods without a node: their old one
    /// By anything but removals that go as planned.
    Time last_change_{};
    bool has_restarted_ = false;
};

}  // namespace

std::unique_ptr<Invariant> moves_invariant() { return std::make_unique<Moves>(); }

}  // namespace capstan::simulator::chaos
