#include "engine/scale_down/utilization.hpp"

namespace capstan::engine {

Result<Utilization> utilization(const Cluster&, NodeIndex, const Group*, const ScaleDownSettings&,
                                Time) {
    return Utilization{};
}

}  // namespace capstan::engine
