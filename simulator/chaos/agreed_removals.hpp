/// The machines that clouds have agreed to remove, for as long as the clouds still list them.
#pragma once

#include <map>
#include <vector>

#include <capstan/ids.hpp>

#include "engine/actions.hpp"
#include "engine/decision.hpp"
#include "engine/snapshot.hpp"

namespace capstan::simulator::chaos {

/// A cloud's list may lag behind the cloud's answer: for some passes it shows a removed machine as
/// running, and a target that still includes it. Invariants about bounds subtract such machines.
class AgreedRemovals {
public:
    /// To be called in each pass before its decision is judged. Forgets machines that are gone.
    void observe_lists(const std::vector<engine::Group>& groups);
    void observe_results(const engine::Decision& decision, const engine::Results& results);

    /// Whether the cloud is deleting the machine or has agreed to.
    bool is_going(const Machine& machine) const;
    /// How many machines the listed target includes although the cloud has agreed to remove them. A
    /// target that has fallen since the removal is taken to include none.
    int still_in_target(const engine::Group& group) const;

private:
    std::map<NodeGroupId, int> targets_{};  ///< as listed in the last pass
    /// the group's listed target when the cloud agreed; max(): the target stays
    std::map<MachineId, int> agreed_{};
};

}  // namespace capstan::simulator::chaos
