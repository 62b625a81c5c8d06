#include "engine/scheduling/standing.hpp"

#include <algorithm>

namespace capstan::engine {
namespace {

bool may_matter(const Cluster& cluster, std::span<const ClassId> subjects) {
    const auto looks = [&](ClassId id) {
        const ClassRow& row = cluster.equivalence_group(id);
        return !row.spec->pod_affinity.empty() || !cluster.spread(id).empty() ||
               !row.spec->ports.empty() || !row.claims.empty();
    };
    if (std::any_of(subjects.begin(), subjects.end(), looks)) return true;
    for (ClassId id = 0; id < cluster.class_count(); ++id) {
        if (!cluster.equivalence_group(id).spec->pod_anti_affinity.empty()) return true;
    }
    return false;
}

}  // namespace

std::vector<ClassId> find_others(const Cluster& cluster, std::span<const ClassId> subjects,
                                 std::span<const NodeShape> shapes,
                                 const std::vector<bool>& absent) {
    if (!may_matter(cluster, subjects)) return {};
    std::vector<bool> there(cluster.class_count());
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        for (const PodIndex pod : cluster.pods_on(node)) there[cluster.class_of(pod)] = true;
    }
    for (ClassId id = 0; id < absent.size(); ++id) {
        if (absent[id]) there[id] = false;
    }
    for (const NodeShape& shape : shapes) {
        for (const ClassId daemon : shape.daemons) there[daemon] = true;
    }
    for (const ClassId subject : subjects) there[subject] = false;
    std::vector<ClassId> out;
    for (ClassId id = 0; id < there.size(); ++id) {
        if (there[id]) out.push_back(id);
    }
    return out;
}

void count_bound(Tally& tally, const Cluster& cluster, const PodBook& book, NodeIndex node,
                 const Tally::Place& place, int times) {
    for (const PodIndex pod : cluster.pods_on(node)) {
        const auto counters = book.added_by(cluster.class_of(pod));
        if (counters.empty() || book.is_absent(cluster.class_of(pod))) continue;
        const bool deleted = cluster.pod(pod).deleted;
        for (const CounterId id : counters) {
            if (!deleted || !book.counters[id].spread) tally.count(id, place, times);
        }
    }
}

void count_daemons(Tally& tally, const PodBook& book, const NodeShape& shape,
                   const Tally::Place& place, int times) {
    for (const ClassId daemon : shape.daemons) {
        for (const CounterId id : book.added_by(daemon)) tally.count(id, place, times);
    }
}

Tally count_standing(const Cluster& cluster, const PodBook& book, const NodeProfiles& profiles) {
    Tally tally(book.counters, book.lanes);
    if (book.counters.size() == 0) return tally;
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        const Tally::Place place{.slot = node, .profile = profiles.of_node(node)};
        tally.push(place);
        count_bound(tally, cluster, book, node, place, 1);
    }
    return tally;
}

}  // namespace capstan::engine
