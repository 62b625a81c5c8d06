#include <map>
#include <set>

#include "simulation/chaos/invariant.hpp"

namespace capstan::simulation {
namespace {

/// Machines of the removal that still count in the group's target.
int counted_machines(const engine::Group& group, const engine::MachineRemoval& removal) {
    int out = 0;
    for (const Machine& machine : group.machines) {
        for (const MachineId& id : removal.machines) {
            if (machine.id == id && machine.state != MachineState::deleting) ++out;
        }
    }
    return out;
}

class Bounds final : public Invariant {
public:
    std::string_view name() const override { return "bounds"; }

    std::vector<std::string> on_pass(const Moment& moment) override {
        std::map<NodeGroupId, int> more, fewer;
        for (const engine::Increase& increase : moment.decision().increases)
            more[increase.group] += increase.by;
        for (const engine::Decrease& decrease : moment.decision().decreases)
            fewer[decrease.group] += decrease.by;
        for (const engine::MachineRemoval& removal : moment.decision().removals) {
            const engine::Group* group = moment.find_group(removal.group);
            if (group != nullptr && !removal.force)
                fewer[removal.group] += counted_machines(*group, removal);
        }
        std::vector<std::string> out;
        for (const auto& [id, by] : more) {
            const engine::Group* group = moment.find_group(id);
            if (group == nullptr || !group->group.max) continue;
            const int target = group->group.target.value_or(0) + by;
            if (target > *group->group.max)
                out.push_back("group " + id.value() + " is to grow to " + std::to_string(target) +
                              ", above its maximum " + std::to_string(*group->group.max));
        }
        for (const auto& [id, by] : fewer) {
            const engine::Group* group = moment.find_group(id);
            if (group == nullptr || by == 0) continue;
            const int target = group->group.target.value_or(0) - by;
            if (target < group->group.min.value_or(0))
                out.push_back("group " + id.value() + " is to shrink to " + std::to_string(target) +
                              ", below its minimum " +
                              std::to_string(group->group.min.value_or(0)));
        }
        return out;
    }
};

}  // namespace

std::unique_ptr<Invariant> bounds_invariant() { return std::make_unique<Bounds>(); }

}  // namespace capstan::simulation
