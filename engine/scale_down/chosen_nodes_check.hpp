/// Checks that the pods of the nodes that are chosen for removal have places now.
///
/// The plan was made for the removal of all unneeded nodes, one after another. Now only some of
/// them are removed, at the same time, and the others are still there: they are domains of spread
/// constraints, and they can take pods if no node that stays does.
#pragma once

#include <optional>
#include <vector>

#include "engine/memory.hpp"
#include "engine/scale_down/relocation.hpp"
#include "engine/scale_down/unneeded.hpp"

namespace capstan::engine::scale_down {

/// Borrows its arguments. Undoes its changes of the placement when destroyed.
class ChosenNodesCheck {
public:
    ChosenNodesCheck(const pass_context::PassContext& context, scheduling::Placement& placement,
                     const drainability::Candidates& candidates, const UnneededNodes& unneeded);
    ChosenNodesCheck(const ChosenNodesCheck&) = delete;
    ChosenNodesCheck& operator=(const ChosenNodesCheck&) = delete;
    ~ChosenNodesCheck() { placement_.undo(start_); }

    /// Chooses the unit, in addition to those chosen before. Returns a pod that would find no place
    /// then; the unit is not chosen in this case. Absent: it is chosen.
    std::optional<PodIndex> choose(const RemovalUnit& unit);
    /// Where the pods of a chosen node move, ascending.
    std::vector<NodeIndex> destinations_of(const drainability::Candidate& node) const;
    PodPlaces places_of(const drainability::Candidate& node) const;

private:
    const pass_context::PassContext& context_;
    scheduling::Placement& placement_;
    const drainability::Candidates& candidates_;
    const UnneededNodes& unneeded_;
    const scheduling::Placement::Mark start_;
    std::optional<Relocation> relocation_{};  ///< absent: nothing was chosen yet
};

}  // namespace capstan::engine::scale_down
