#include "engine/removal/soft_taints.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/node_marks.hpp"
#include "engine/removal/phases.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::removal {

std::vector<NodeChange> plan_soft_taints(const PassView& view,
                                         std::span<const std::string> wanted) {
    const snapshot::Cluster& cluster = view.snapshot.cluster;
    const ScaleDownSettings& settings = view.settings.scale_down;
    const bool is_off = settings.max_bulk_soft_taint_count == 0;
    const std::set<std::string_view> candidates(wanted.begin(), wanted.end());
    std::vector<NodeChange> drops, sets;
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        const snapshot::NodeRow& row = cluster.node(node);
        const std::optional<templates::MachineIndex>& machine = view.membership.machine_of[node];
        const bool is_tainted = has_taint(row, deletion_candidate_taint);
        const bool is_wanted = !is_off && candidates.contains(cluster.text(row.name));
        if (is_tainted == is_wanted || !machine) continue;
        // While a group cannot be read, it is not known whether its nodes are still needed.
        if (!is_off && is_unreadable(&(*view.snapshot.groups)[machine->group])) continue;
        if (view.memory.removals.contains(cluster.text(row.name))) continue;
        std::string name(cluster.text(row.name));
        if (is_tainted) {
            drops.push_back({.node = std::move(name),
                             .drop_taints = {std::string(deletion_candidate_taint)},
                             .because = is_off ? "soft taints are off" : "needed again"});
        } else {
            sets.push_back({.node = std::move(name),
                            .set_taints = {dated_taint(deletion_candidate_taint,
                                                       Effect::prefer_no_schedule, view.time.wall)},
                            .because = "may be removed soon"});
        }
    }
    if (!is_off) {
        const auto most = static_cast<std::size_t>(settings.max_bulk_soft_taint_count);
        drops.resize(std::min(drops.size(), most));
        sets.resize(std::min(sets.size(), most - drops.size()));
    }
    drops.insert(drops.end(), std::make_move_iterator(sets.begin()),
                 std::make_move_iterator(sets.end()));
    std::ranges::sort(drops, {}, &NodeChange::node);
    return drops;
}

}  // namespace capstan::engine::removal
