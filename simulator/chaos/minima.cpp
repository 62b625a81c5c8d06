#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "engine/each_action.hpp"
#include "simulator/chaos/agreed_removals.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/sums.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

/// A cloud's list may lag behind its answers in both directions. Machines that the cloud has agreed
/// to remove are subtracted from the listed target; a target that it has agreed to grow to counts
/// until the list shows it.
class Minima final : public Invariant {
public:
    std::string_view name() const override { return "minima"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        observe_lists(moment);
        std::vector<std::string> out;
        judge_groups(moment, out);
        if (std::ranges::any_of(moment.decision().removals, removes_working_nodes))
            judge_cluster(moment, out);
        return out;
    }

    std::vector<std::string> on_results(const engine::Decision& decision,
                                        const engine::Results& results) override {
        for_each_action_of<engine::Decrease>(
            decision, results,
            [&](const engine::Decrease& decrease, const engine::ActionResult& result) {
                if (result.is_done()) lower(decrease.group, decrease.by);
            });
        agreed_.observe_results(decision, results);
        for (const RemovedMachine& removed : find_removed(decision, results))
            lower(removed.group, 1);
        for_each_action_of<engine::Increase>(
            decision, results,
            [&](const engine::Increase& increase, const engine::ActionResult& result) {
                if (!result.is_done()) return;
                int& grown = grown_[increase.group];
                grown = std::max(grown, increase.from + increase.by);
            });
        return {};
    }

private:
    void lower(const NodeGroupId& group, int by) {
        const auto at = grown_.find(group);
        if (at != grown_.end()) at->second -= by;
    }
    void observe_lists(const Moment& moment) {
        agreed_.observe_lists(moment.groups());
        for (const engine::Group& group : moment.groups()) {
            const auto grown = grown_.find(group.group.id);
            if (grown != grown_.end() && grown->second <= group.group.target.value_or(0))
                grown_.erase(grown);
        }
    }

    /// The machines of a removal that are not already being deleted.
    int counted_in(const engine::Group& group, const engine::MachineRemoval& removal) const {
        return static_cast<int>(std::ranges::count_if(group.machines, [&](const Machine& machine) {
            return !agreed_.is_going(machine) &&
                   std::ranges::count(removal.machines, machine.id) > 0;
        }));
    }

    void judge_groups(const Moment& moment, std::vector<std::string>& out) const {
        std::map<NodeGroupId, int> fewer;
        for (const engine::Decrease& decrease : moment.decision().decreases)
            fewer[decrease.group] += decrease.by;
        for (const engine::MachineRemoval& removal : moment.decision().removals) {
            const engine::Group* const group = moment.find_group(removal.group);
            if (group != nullptr && !removal.force && !removal.keep_target)
                fewer[removal.group] += counted_in(*group, removal);
        }
        for (const auto& [id, by] : fewer) {
            const engine::Group* const group = moment.find_group(id);
            if (group == nullptr || by == 0) continue;
            const auto grown = grown_.find(id);
            const int listed = group->group.target.value_or(0) - agreed_.still_in_target(*group);
            const int target =
                (grown == grown_.end() ? listed : std::max(listed, grown->second)) - by;
            const int least = group->group.min.value_or(0);
            if (target < least)
                out.push_back("group " + id.value() + " would shrink to " + std::to_string(target) +
                              ", below its minimum " + std::to_string(least));
        }
    }

    /// Judges the nodes that remain once all machines being removed are gone.
    void judge_cluster(const Moment& moment, std::vector<std::string>& out) const {
        std::set<MachineId> going;
        for (const engine::Group& group : moment.groups())
            for (const Machine& machine : group.machines)
                if (agreed_.is_going(machine)) going.insert(machine.id);
        std::set<std::string> nodes;
        for (const engine::MachineRemoval& removal : moment.decision().removals)
            if (removes_working_nodes(removal))
                nodes.insert(removal.nodes.begin(), removal.nodes.end());
        Sums sums;
        const engine::snapshot::Cluster& cluster = moment.cluster();
        for (engine::NodeIndex i = 0; i < cluster.node_count(); ++i) {
            const engine::snapshot::NodeRow& node = cluster.node(i);
            const bool is_left = !nodes.contains(std::string(cluster.text(node.name))) &&
                                 !going.contains(MachineId(cluster.text(node.provider_id)));
            if (is_left && is_limited(cluster, node)) sums.add(*node.capacity, 1);
        }
        for (const auto& [what, bound] : bounds_of(moment.settings())) {
            if (sums.of(what) < bound.min)
                out.push_back("total of " + what + " would shrink to " +
                              std::to_string(sums.of(what)) + ", below the limit " +
                              std::to_string(bound.min));
        }
    }

    AgreedRemovals agreed_{};
    std::map<NodeGroupId, int> grown_{};  ///< agreed targets that lists do not show yet
};

}  // namespace

std::unique_ptr<Invariant> minima_invariant() { return std::make_unique<Minima>(); }

}  // namespace capstan::simulator::chaos
