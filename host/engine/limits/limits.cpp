#include "engine/limits/limits.hpp"

#include <algorithm>

namespace capstan::engine::limits {

Budget::Budget(const Snapshot& snapshot, const std::vector<NodesToCome>& to_come,
               const Settings& settings)
    : totals_(make_totals(settings)) {
    std::erase_if(totals_, [](const ResourceTotal& total) { return !total.bound.max; });
    if (totals_.empty()) return;
    const snapshot::Cluster& cluster = snapshot.cluster;
    for (snapshot::NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const snapshot::NodeRow& node = cluster.node(n);
        if (counts(cluster, node)) use(*node.capacity, 1);
    }
    for (const NodesToCome& more : to_come) use(more.node.capacity, more.nodes);
}

Allowed Budget::allows(const NodeTemplate& node, int wanted) const {
    Allowed out{.nodes = wanted};
    for (const ResourceTotal& total : totals_) {
        const std::int64_t needed = total.of(node.capacity);
        if (needed <= 0) continue;
        const std::int64_t left = std::max<std::int64_t>(0, *total.bound.max - total.used);
        if (left / needed >= out.nodes) continue;
        out.nodes = static_cast<int>(left / needed);
        out.total = total.name;
        out.because = "cluster limit of " + total.name + ": " + total.shown(total.used) + " of " +
                      total.shown(*total.bound.max) + " used, a node takes " + total.shown(needed);
    }
    return out;
}

Resources Budget::left() const {
    Resources out;
    for (const ResourceTotal& total : totals_)
        out.set(total.name, std::max<std::int64_t>(0, *total.bound.max - total.used));
    return out;
}

void Budget::take(const NodeTemplate& node, int nodes) { use(node.capacity, nodes); }

bool Budget::counts_in(const NodeTemplate& node, std::string_view total) const {
    return std::ranges::any_of(totals_, [&](const ResourceTotal& one) {
        return one.name == total && one.of(node.capacity) > 0;
    });
}

void Budget::use(const Resources& capacity, std::int64_t nodes) {
    for (ResourceTotal& total : totals_) {
        total.count(capacity, nodes);
    }
}

}  // namespace capstan::engine::limits
