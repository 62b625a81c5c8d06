#include <map>
#include <string>
#include <utility>

#include "simulator/chaos/agreed_removals.hpp"
#include "simulator/chaos/invariant.hpp"
#include "simulator/chaos/sums.hpp"

namespace capstan::simulator::chaos {
namespace {

/// Subtracts machines from a listed target that the cloud has agreed to remove: its list may lag.
class Limits final : public Invariant {
public:
    std::string_view name() const override { return "limits"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        agreed_.observe_lists(moment.groups());
        std::vector<std::string> out;
        if (!moment.decision().increases.empty()) find_above(moment, out);
        return out;
    }

    std::vector<std::string> on_results(const engine::Decision& decision,
                                        const engine::Results& results) override {
        agreed_.observe_results(decision, results);
        return {};
    }

private:
    /// Decreases and removals of the same pass do not count, because no cloud has agreed to them
    /// yet.
    void find_above(const Moment& moment, std::vector<std::string>& out) const {
        Sums sums = sums_of(moment, DeletingMachines::excluded);
        std::map<NodeGroupId, int> asked_for;
        for (const engine::Increase& increase : moment.decision().increases)
            asked_for[increase.group] += increase.by;
        for (const engine::Group& group : moment.groups())
            sums.add(size_of(group),
                     std::exchange(asked_for[group.group.id], 0) - agreed_.still_in_target(group));
        // Increases of groups that the same pass makes.
        for (const autoscaler::PlannedGroupAnswer& candidate_group :
             moment.result.candidate_groups) {
            if (candidate_group.group)
                sums.add(candidate_group.group->planned.node.capacity,
                         std::exchange(asked_for[candidate_group.group->planned.group.id], 0));
        }
        for (const auto& [what, bound] : bounds_of(moment.settings())) {
            if (bound.max && sums.of(what) > *bound.max)
                out.push_back("total of " + what + " would grow to " +
                              std::to_string(sums.of(what)) + ", above the limit " +
                              std::to_string(*bound.max));
        }
    }

    AgreedRemovals agreed_{};
};

}  // namespace

std::unique_ptr<Invariant> limits_invariant() { return std::make_unique<Limits>(); }

namespace {

/// Subtracts such machines, too.
class Bounds final : public Invariant {
public:
    std::string_view name() const override { return "bounds"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        agreed_.observe_lists(moment.groups());
        std::map<NodeGroupId, int> more;
        for (const engine::Increase& increase : moment.decision().increases)
            more[increase.group] += increase.by;
        std::vector<std::string> out;
        for (const auto& [id, by] : more) {
            const engine::Group* group = moment.find_group(id);
            if (group == nullptr || !group->group.max) continue;
            const int target =
                group->group.target.value_or(0) - agreed_.still_in_target(*group) + by;
            if (target > *group->group.max)
                out.push_back("group " + id.value() + " would grow to " + std::to_string(target) +
                              ", above its maximum " + std::to_string(*group->group.max));
        }
        return out;
    }

    std::vector<std::string> on_results(const engine::Decision& decision,
                                        const engine::Results& results) override {
        agreed_.observe_results(decision, results);
        return {};
    }

private:
    AgreedRemovals agreed_{};
};

}  // namespace

std::unique_ptr<Invariant> bounds_invariant() { return std::make_unique<Bounds>(); }

}  // namespace capstan::simulator::chaos
