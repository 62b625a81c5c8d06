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
#include "simulation/chaos/invariant.hpp"
#include "simulation/chaos/picture.hpp"
#include "simulation/pod_predicates.hpp"

namespace capstan::simulation::chaos {
namespace {

/// How often a group may be grown for machines that go again in calm, though pods were served.
constexpr std::size_t turns_max = 3;

/// Why a machine that was bought in calm and went again may have been a lesson: its node is not
/// what the cloud had said it would be.
bool is_a_surprise(const engine::Group& group, const NodeTemplate& look) {
    if (!group.described) return true;
    const NodeTemplate& said = *group.described;
    const bool has_strange_taint = std::ranges::any_of(
        look.taints, [&](const Taint& t) { return std::ranges::count(said.taints, t) == 0; });
    return has_strange_taint || !has_all(look.labels, said.labels) ||
           look.allocatable != said.allocatable;
}

class Rest final : public Invariant {
public:
    std::string_view name() const override { return "rest"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        see_served(moment);
        is_calm_ = moment.is_calm();
        now_ = moment.now();
        going_.clear();
        if (!is_calm_) return {};
        // A group that is backed off after a failure has learned from it: it begins anew.
        std::erase_if(learned_, [&](const auto& group) { return is_backed_off(moment, group); });
        std::erase_if(turns_,
                      [&](const auto& entry) { return is_backed_off(moment, entry.first); });
        for (const engine::MachineRemoval& removal : moment.decision().removals)
            see(moment, removal);
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
    /// A node that is to go, and that was bought in calm.
    struct Bought {
        NodeGroupId group{};
        Time ordered{};
        bool is_surprise = false;
    };

    static bool is_backed_off(const Moment& moment, const NodeGroupId& id) {
        return engine::health::find_backoff(moment.memory(), id, moment.now()) != nullptr;
    }

    void see_served(const Moment& moment) {
        std::set<std::string> running = picture_of(moment).running;
        if (!std::ranges::includes(running_, running)) served_ = moment.now();
        running_ = std::move(running);
    }

    void see(const Moment& moment, const engine::MachineRemoval& removal) {
        const auto orders = ordered_.find(removal.group);
        const engine::Group* const group = moment.find_group(removal.group);
        if (orders == ordered_.end() || group == nullptr) return;
        for (const std::string& name : removal.nodes) {
            const auto index = moment.cluster().find_node(name);
            if (!index) continue;
            // Nodes tell when they were created by the wall clock, which is not set in calm.
            const Time created =
                moment.cluster().node(*index).created - (moment.wall() - moment.now());
            const auto after = orders->second.upper_bound(created);
            if (after == orders->second.begin()) continue;
            going_[name] = {removal.group, *std::prev(after),
                            is_a_surprise(*group, look_of(moment.cluster(), *index))};
        }
    }

    void judge(const std::string& node, std::vector<std::string>& out) {
        const auto at = going_.find(node);
        if (at == going_.end()) return;
        const Bought& bought = at->second;
        const std::string group = bought.group.value();
        const bool is_lesson = bought.is_surprise && learned_.insert(bought.group).second;
        if (served_ <= bought.ordered && !is_lesson)
            out.push_back("in calm node " + node + " of group " + group +
                          " was bought and thrown away, and no pod got a node in between");
        std::set<Time>& turns = turns_[bought.group];
        if (turns.insert(bought.ordered).second && turns.size() == turns_max + 1)
            out.push_back("in calm group " + group +
                          " grows and shrinks again and again: machines of " +
                          counted(std::ssize(turns), "order") + " have gone");
    }

    bool is_calm_ = false;
    Time now_{}, served_{};
    std::set<std::string> running_;
    std::map<NodeGroupId, std::set<Time>> ordered_;  ///< in calm, that clouds agreed to
    std::map<std::string, Bought> going_;            ///< by this pass
    std::set<NodeGroupId> learned_;                  ///< those that had their surprise
    std::map<NodeGroupId, std::set<Time>> turns_;    ///< orders of which machines have gone
};

}  // namespace

std::unique_ptr<Invariant> rest_invariant() { return std::make_unique<Rest>(); }

}  // namespace capstan::simulation::chaos
