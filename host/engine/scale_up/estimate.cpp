#include "engine/scale_up/estimate.hpp"

#include <algorithm>

#include "engine/scale_up/packing.hpp"
#include "engine/scale_up/size_order.hpp"

namespace capstan::engine {

Estimate estimate(Placement& placement, ShapeId shape, std::span<const Demand> pods,
                  int max_nodes) {
    std::vector<int> counts(placement.rules().subjects().size(), 0);
    for (const Demand& demand : pods) counts[demand.subject] += demand.count;
    const SizeOrder order = SizeOrders(placement.rules()).of(shape);
    std::vector<Demand> ordered;
    for (const Subject subject : *order) {
        if (counts[subject] > 0) ordered.push_back({subject, counts[subject]});
    }

    Supply supply{shape, std::max(max_nodes, 0)};
    Packed packed = Packing(placement).pack({&supply, 1}, ordered);
    std::ranges::sort(packed.helped, {}, &Demand::subject);
    return {std::max(max_nodes, 0) - supply.nodes, std::move(packed.helped)};
}

}  // namespace capstan::engine
