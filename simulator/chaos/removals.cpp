#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/removal/removal.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

bool sets(const engine::NodeChange& change, std::string_view taint) {
    return std::ranges::any_of(change.set_taints, [&](const Taint& t) { return t.key == taint; });
}

bool carries(const engine::snapshot::NodeRow& node, std::string_view taint) {
    return std::ranges::any_of(node.taints, [&](const Taint& t) { return t.key == taint; });
}

const engine::NodeChange* find_change(const engine::Decision& decision, const std::string& node) {
    const auto found = std::ranges::find(decision.node_changes, node, &engine::NodeChange::node);
    return found == decision.node_changes.end() ? nullptr : &*found;
}

class Removals final : public Invariant {
public:
    std::string_view name() const override { return "removals"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        std::vector<std::string> out;
        for (const engine::NodeChange& change : moment.decision().node_changes) {
            if (sets(change, engine::to_be_deleted_taint)) judge_begin(moment, change.node, out);
        }
        for (const engine::MachineRemoval& removal : moment.decision().removals) {
            if (!removes_working_nodes(removal)) continue;
            for (const std::string& node : removal.nodes) judge_end(moment, node, out);
        }
        return out;
    }

    /// A machine must not be removed if the write of its node's taint failed.
    std::vector<std::string> on_results(const engine::Decision& decision,
                                        const engine::Results& results) override {
        std::vector<std::string> out;
        for (const RemovedMachine& removed : find_removed(decision, results))
            if (!removed.node.empty() && is_marking_failed(decision, results, removed.node))
                out.push_back("the machine of node " + removed.node +
                              " was removed although the taint could not be set");
        return out;
    }

private:
    static bool is_marking_failed(const engine::Decision& decision, const engine::Results& results,
                                  const std::string& node) {
        const engine::NodeChange* change = find_change(decision, node);
        if (change == nullptr || !sets(*change, engine::being_deleted_taint)) return false;
        const auto at = static_cast<std::size_t>(change - decision.node_changes.data());
        return at < results.node_changes.size() && results.node_changes[at].has_value();
    }

    /// Judges a node that the pass marks for removal, if it is not marked already.
    static void judge_begin(const Moment& moment, const std::string& name,
                            std::vector<std::string>& out) {
        const engine::snapshot::Cluster& cluster = moment.cluster();
        const auto index = cluster.find_node(name);
        if (!index || carries(cluster.node(*index), engine::to_be_deleted_taint)) return;
        if (!cluster.node(*index).ready) return;
        if (!moment.settings().scale_down.drain_rules_off.empty()) return;
        for (const engine::PodIndex pod : cluster.pods_on(*index)) {
            if (cluster.pod(pod).deleted) continue;
            const std::string why = why_unmovable(cluster, pod, moment.settings(), moment.wall());
            if (!why.empty())
                out.push_back("the removal of node " + name + " begins although its pod " +
                              name_of_pod(cluster, pod) + " " + why);
        }
    }

    /// Judges a node whose machine the pass removes.
    static void judge_end(const Moment& moment, const std::string& name,
                          std::vector<std::string>& out) {
        const engine::snapshot::Cluster& cluster = moment.cluster();
        const auto index = cluster.find_node(name);
        if (!index) return;
        const engine::snapshot::NodeRow& node = cluster.node(*index);
        if (!carries(node, engine::to_be_deleted_taint))
            out.push_back("the machine of node " + name + " is removed without the taint " +
                          std::string(engine::to_be_deleted_taint));
        const engine::NodeChange* change = find_change(moment.decision(), name);
        const bool is_marked = change != nullptr && sets(*change, engine::being_deleted_taint);
        if (!is_marked && !carries(node, engine::being_deleted_taint))
            out.push_back("the machine of node " + name + " is removed without the taint " +
                          std::string(engine::being_deleted_taint));
    }
};

}  // namespace

std::unique_ptr<Invariant> removals_invariant() { return std::make_unique<Removals>(); }

}  // namespace capstan::simulator::chaos
