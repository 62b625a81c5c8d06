#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/sentence.hpp>

#include "engine/each_action.hpp"
#include "engine/health/backoff.hpp"
#include "engine/templates/node_taints.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/picture.hpp"
#include "simulator/pod_predicates.hpp"

namespace capstan::simulator::chaos {
namespace {

/// How many orders of a group may be removed again in calm, even though pods were served.
constexpr std::size_t removed_orders_max = 3;

/// Whether a node (`actual`) is not what the cloud's template promised. The autoscaler could not
/// know that before it bought a machine, so one removal of such a machine is excused.
bool differs_from_template(const engine::Group& group, const NodeTemplate& actual) {
    if (!group.described) return true;
    const NodeTemplate& promised = *group.described;
    const bool has_unknown_taint = std::ranges::any_of(
        actual.taints, [&](const Taint& t) { return std::ranges::count(promised.taints, t) == 0; });
    return has_unknown_taint || !has_all(actual.labels, promised.labels) ||
           actual.allocatable != promised.allocatable;
}

/// Waste in calm shows as an order whose machine is removed again. The invariant remembers the time
/// of each order that a cloud agreed to, and a node belongs to the last order of its group before
/// the node was created. The machine was of use if any pod got a node after that order. The order
/// is excused if a pod without a node was deleted after it, since it may have been for that pod.
class Rest final : public Invariant {
public:
    std::string_view name() const override { return "rest"; }

    std::vector<std::string> on_fact(const Fact& fact) override {
        if (fact.kind == FactKind::pod_deleted && fact.node.empty()) last_served_ = fact.at;
        return {};
    }

    std::vector<std::string> on_pass(const Moment& moment) override {
        observe_served(moment);
        is_calm_ = moment.is_calm();
        now_ = moment.now();
        going_.clear();
        for (const engine::Increase& increase : moment.decision().increases)
            if (probes_backoff(moment, increase)) probes_.emplace(increase.group, now_);
        if (!is_calm_) return {};
        // A back-off is the autoscaler's answer to a failure, so counting starts again.
        std::erase_if(excused_, [&](const auto& group) { return is_backed_off(moment, group); });
        std::erase_if(removed_orders_,
                      [&](const auto& entry) { return is_backed_off(moment, entry.first); });
        for (const engine::MachineRemoval& removal : moment.decision().removals)
            observe(moment, removal);
        return {};
    }

    std::vector<std::string> on_results(const engine::Decision& decision,
                                        const engine::Results& results) override {
        std::vector<std::string> out;
        if (!is_calm_) return out;
        for (const RemovedMachine& removed : find_removed(decision, results))
            judge(removed.node, out);
        for_each_action_of<engine::Increase>(
            decision, results,
            [&](const engine::Increase& increase, const engine::ActionResult& result) {
                if (result.is_done()) ordered_[increase.group].insert(now_);
            });
        return out;
    }

private:
    /// A node that the pass removes, and that was bought in calm.
    struct Bought {
        NodeGroupId group{};
        Time ordered{};
        bool differs_from_template = false;
    };

    static bool is_backed_off(const Moment& moment, const NodeGroupId& id) {
        return engine::health::find_backoff(moment.memory(), id, moment.now()) != nullptr;
    }

    void observe_served(const Moment& moment) {
        std::set<std::string> running = picture_of(moment).running;
        if (!std::ranges::includes(running_, running)) last_served_ = moment.now();
        running_ = std::move(running);
    }

    /// In calm no node loses its readiness, so such a node never had it. Its group is backed off,
    /// and may be tried again after that.
    static bool has_not_started(const Moment& moment, engine::NodeIndex index) {
        const engine::snapshot::NodeRow& node = moment.cluster().node(index);
        return !node.ready || std::ranges::any_of(node.taints, [&](const Taint& taint) {
            return engine::templates::is_starting_taint(taint.key, moment.settings());
        });
    }

    /// Whether expendable pods run on the node. The scheduler tries pods of one priority by age, so
    /// it may have given the node to these in place of the pods that it was ordered for.
    static bool is_taken(const Moment& moment, engine::NodeIndex index) {
        return std::ranges::any_of(moment.cluster().pods_on(index), [&](engine::PodIndex pod) {
            return is_expendable(moment.cluster(), pod, moment.settings());
        });
    }

    void observe(const Moment& moment, const engine::MachineRemoval& removal) {
        const auto orders = ordered_.find(removal.group);
        const engine::Group* const group = moment.find_group(removal.group);
        if (orders == ordered_.end() || group == nullptr) return;
        for (const std::string& name : removal.nodes) {
            const auto index = moment.cluster().find_node(name);
            if (!index || has_not_started(moment, *index) || is_taken(moment, *index)) continue;
            // `created` is on the wall clock, whose distance to `now()` is constant in calm.
            const Time created =
                moment.cluster().node(*index).created - (moment.wall() - moment.now());
            const auto after = orders->second.upper_bound(created);
            if (after == orders->second.begin()) continue;
            if (probes_.contains({removal.group, *std::prev(after)})) continue;
            going_[name] = {
                removal.group, *std::prev(after),
                differs_from_template(*group, template_from_node(moment.cluster(), *index))};
        }
    }

    void judge(const std::string& node, std::vector<std::string>& out) {
        const auto at = going_.find(node);
        if (at == going_.end()) return;
        const Bought& bought = at->second;
        const std::string group = bought.group.value();
        const bool is_excused =
            bought.differs_from_template && excused_.insert(bought.group).second;
        if (last_served_ <= bought.ordered && !is_excused)
            out.push_back("without faults, node " + node + " of group " + group +
                          " was added and removed, and no pod was bound in between");
        std::set<Time>& orders = removed_orders_[bought.group];
        if (orders.insert(bought.ordered).second && orders.size() == removed_orders_max + 1)
            out.push_back("without faults, group " + group +
                          " grows and shrinks repeatedly: machines of " +
                          counted(std::ssize(orders), "request") + " were removed again");
    }

    bool is_calm_ = false;
    Time now_{};
    Time last_served_{};             ///< when a pod last had got a node, or needed none any more
    std::set<std::string> running_;  ///< Picture::running of the last pass
    /// The times of the orders in calm that clouds agreed to.
    std::map<NodeGroupId, std::set<Time>> ordered_;
    /// Orders that end a back-off, which are made without a pod.
    std::set<std::pair<NodeGroupId, Time>> probes_;
    std::map<std::string, Bought> going_;  ///< by node, of this pass
    std::set<NodeGroupId> excused_;        ///< groups that have used up their one excuse
    /// The orders that had a machine removed.
    std::map<NodeGroupId, std::set<Time>> removed_orders_;
};

}  // namespace

std::unique_ptr<Invariant> rest_invariant() { return std::make_unique<Rest>(); }

}  // namespace capstan::simulator::chaos
