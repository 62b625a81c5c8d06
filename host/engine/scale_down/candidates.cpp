#include "engine/scale_down/candidates.hpp"

namespace capstan::engine {

std::vector<ClassId> Candidates::classes() const { return {}; }

Candidates find_candidates(const Snapshot&, const Membership&, const Health&, const Memory&,
                           const DisruptionBudgets&, const Settings&, Time) {
    return {};
}

}  // namespace capstan::engine
