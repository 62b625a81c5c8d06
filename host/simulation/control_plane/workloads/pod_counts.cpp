#include "simulation/control_plane/workloads/pod_counts.hpp"

#include <algorithm>

#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {

PodCounts count_pods(const std::vector<ApiObject>& pods, Duration min_ready, Time now) {
    PodCounts out;
    for (const ApiObject& pod : pods) {
        const Availability is = availability(*pod, min_ready, now);
        ++out.all;
        out.ready += is_ready(*pod) ? 1 : 0;
        out.available += is.is_available ? 1 : 0;
        if (is.still)
            out.next_available = std::min(out.next_available.value_or(*is.still), *is.still);
    }
    return out;
}

}  // namespace capstan::simulation
