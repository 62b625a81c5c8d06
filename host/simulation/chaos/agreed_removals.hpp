/// NodeRegistrar that clouds have agreed to remove, as long as their lists show them.
#pragma once

#include <map>
#include <vector>

#include <capstan/ids.hpp>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace capstan::simulation::chaos {

class AgreedRemovals {
public:
    /// The lists of a pass, before its decision is judged.
    void see_lists(const std::vector<engine::Group>& groups);
    void see_results(const engine::Decision& decision, const engine::Results& results);

    bool is_going(const Machine& machine) const;
    /// NodeRegistrar that are going, and that the group's listed target still has.
    int still_in_target(const engine::Group& group) const;

private:
    std::map<NodeGroupId, int> targets_{};
    std::map<MachineId, int> agreed_{};  ///< with its group's target then
};

}  // namespace capstan::simulation::chaos
