#include "engine/removal/returning_pods.hpp"

#include <map>
#include <optional>
#include <string>

#include "engine/drainability/pods_on_node.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/pods/pod_group_key.hpp"
#include "engine/removal/phases.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::removal {
namespace {

/// Whether pods of the removal have been evicted, and its machine is still there.
bool may_take_back(const NodeRemoval& removal) {
    return !removal.empty && removal.ready && !removal.places.empty() &&
           (removal.phase == RemovalPhase::draining || removal.phase == RemovalPhase::delayed);
}

/// By pod_group_key: how many pods the plan moves.
std::map<std::string, int> moved_pods(const NodeRemoval& removal) {
    std::map<std::string, int> out;
    for (const auto& [node, pods] : removal.places)
        for (const auto& [key, count] : pods) out[key] += count;
    return out;
}

class Returning {
public:
    Returning(const PassView& view, PodNumbers without_room)
        : cluster_(view.snapshot.cluster),
          time_(view.time),
          without_room_(std::move(without_room)) {}

    /// The first pod that returns to the node of the removal; absent: none does.
    std::optional<PodIndex> find(const NodeRemoval& removal) {
        std::map<std::string, int> moved = moved_pods(removal);
        std::optional<PodIndex> first;
        for (const PodIndex pod : cluster_.unbound()) {
            const snapshot::PodRow row = cluster_.pod(pod);
            const auto room = without_room_.find(row.equivalence_group);
            if (room == without_room_.end() || room->second <= 0 || !replaces(row, removal))
                continue;
            const auto place = moved.find(pods::pod_group_key(cluster_, row.equivalence_group));
            if (place == moved.end() || place->second <= 0) continue;
            --place->second;
            --room->second;
            ++out_[row.equivalence_group];
            if (!first) first = pod;
        }
        return first;
    }
    PodNumbers take() { return std::move(out_); }

private:
    /// Whether the pod is younger than the removal and the scheduler has found no node for it.
    bool replaces(const snapshot::PodRow& pod, const NodeRemoval& removal) const {
        return !pod.gated && !pod.deleted && !cluster_.text(pod.unscheduled_reason).empty() &&
               time_.measured(pod.created) >= removal.since;
    }

    const snapshot::Cluster& cluster_;
    const PassTime& time_;
    PodNumbers without_room_;
    PodNumbers out_{};
};

/// Backs off the nodes that have taken pods of the removal.
void postpone_drains_of_moved_pods(const PassView& view, const NodeRemoval& removal,
                                   const std::string& because, Memory& memory) {
    const snapshot::Cluster& cluster = view.snapshot.cluster;
    const std::map<std::string, int> moved = moved_pods(removal);
    for (PodIndex pod = 0; pod < cluster.pod_count(); ++pod) {
        const snapshot::PodRow row = cluster.pod(pod);
        if (row.node == snapshot::no_node || view.time.measured(row.created) < removal.since ||
            !moved.contains(pods::pod_group_key(cluster, row.equivalence_group)))
            continue;
        if (const Machine* const machine =
                templates::find_machine(view.snapshot, view.membership, row.node))
            health::postpone_drain(memory, machine->group, machine->id, because, drain_rest,
                                   view.time.now);
    }
}

}  // namespace

PodNumbers give_up_for_evicted_pods(const PassView& view, PodNumbers without_room, Memory& memory) {
    Returning returning(view, std::move(without_room));
    for (auto& [name, removal] : memory.removals) {
        if (!may_take_back(removal) || !view.snapshot.cluster.find_node(name) ||
            memory.leaving.contains(name) ||
            is_unreadable(find_group(view.snapshot, removal.group)))
            continue;
        const std::optional<PodIndex> pod = returning.find(removal);
        if (!pod) continue;
        std::string because = "pod " + drainability::full_name(view.snapshot.cluster, *pod) +
                              " was evicted and fits on no other node";
        health::postpone_drain(memory, removal.group, removal.machine, because, drain_rest,
                               view.time.now);
        postpone_drains_of_moved_pods(view, removal, because, memory);
        give_up(memory, removal, std::move(because), view.time.now);
    }
    return returning.take();
}

}  // namespace capstan::engine::removal
