/// Which classes are packed before which.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/scheduling/rules.hpp"

namespace capstan::engine {

/// Subjects, largest first.
using SizeOrder = std::shared_ptr<const std::vector<Subject>>;

/// Orders the subjects of `rules` by the sum of their shares of allocatable cpu and memory; a tie
/// goes to the lower subject. Shapes with as much memory per core have one order, which is worked
/// out once. Borrows the rules.
class SizeOrders {
public:
    explicit SizeOrders(const Rules& rules);
    SizeOrder of(ShapeId shape);

private:
    struct Size {
        std::int64_t cpu = 0, memory = 0;
    };
    const Rules* rules_;
    std::vector<Size> sizes_;  // by subject
    std::map<std::pair<std::int64_t, std::int64_t>, SizeOrder> by_ratio_;
};

}  // namespace capstan::engine
