#include "engine/scale_down/scale_down.hpp"

namespace capstan::engine {

ScaleDown plan_scale_down(const Scene&, Placement&, const Candidates&, DisruptionBudgets, bool,
                          Memory&) {
    return {};
}

}  // namespace capstan::engine
