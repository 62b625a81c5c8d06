#include "engine/removal/removal.hpp"

namespace capstan::engine {

Memory remember_removals(Memory memory, const Snapshot&, const Membership&, const Settings&, Time) {
    return memory;
}

RemovalSteps step_removals(const Snapshot&, const Membership&, const Candidates&, const ScaleDown&,
                           DisruptionBudgets, Memory&, const Settings&, Time) {
    return {};
}

std::vector<PodIndex> displaced_pods(const Snapshot&, const Memory&, const Settings&, Time) {
    return {};
}

}  // namespace capstan::engine
