#include "engine/scale_up/progress.hpp"

namespace capstan::engine {

Progress::Progress(const Scene& scene)
    : left(scene.rules->subjects().size(), 0), fit(left.size(), 0), ledger(scene) {
    for (Subject s = 0; s < scene.pending_count(); ++s) {
        left[s] = static_cast<int>(scene.pending.classes[s].count);
    }
}

HelpedPods count_helped(const Placement& placement, Slot first_new) {
    HelpedPods out;
    for (Slot slot = first_new; slot < placement.slot_count(); ++slot) {
        auto& on_group = out[*placement.shape(slot)];
        for (const Seat& seat : placement.seats(slot)) {
            on_group[seat.subject] += seat.per_node * placement.nodes(slot);
        }
    }
    return out;
}

}  // namespace capstan::engine
