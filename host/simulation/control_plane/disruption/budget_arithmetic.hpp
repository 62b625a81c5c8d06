/// What a disruption budget asks for, in numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <capstan/result.hpp>

#include "simulation/control_plane/control_context.hpp"

namespace capstan::simulation {

struct BudgetNumbers {
    std::int64_t expected = 0;  ///< pods there should be
    std::int64_t desired = 0;   ///< of them, healthy ones
    bool operator==(const BudgetNumbers&) const = default;
};

/// By the pods that it selects: as many as there are, or, for percentages and maxUnavailable, as
/// their controllers want. `not_found`: a controller that does not say how many it wants.
Result<BudgetNumbers> budget_numbers(const ControlContext& context, const json::object& budget,
                                     const std::vector<ApiObject>& pods);

}  // namespace capstan::simulation
