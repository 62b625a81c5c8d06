#include "engine/scale_up/progress.hpp"

namespace capstan::engine {

Progress::Progress(const Scene& scene)
    : left(scene.rules->subjects().size(), 0), fit(left.size(), 0), ledger(scene) {
    for (Subject s = 0; s < scene.pending_count(); ++s) {
        left[s] = static_cast<int>(scene.pending.classes[s].count);
    }
}

HelpedPods count_helped(const Placement& placement, const Progress& progress, Slot first_new) {
    HelpedPods out;
    for (auto at = progress.seats.lower_bound(first_new); at != progress.seats.end(); ++at) {
        const auto& [slot, seats] = *at;
        auto& on_group = out[*placement.shape(slot)];
        for (const Seat& seat : seats) {
            on_group[seat.subject] += seat.per_node * placement.nodes(slot);
        }
    }
    return out;
}

}  // namespace capstan::engine
