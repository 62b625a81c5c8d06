#include "engine/health/readiness.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/removal/removal.hpp"
#include "engine/templates/daemons.hpp"
#include "engine/templates/node_taints.hpp"

namespace capstan::engine {
namespace {

class Reader {
public:
    Reader(const Snapshot& snapshot, const Membership& membership, const Memory& memory,
           const Settings& settings, Alarm& alarm)
        : snapshot_(snapshot),
          membership_(membership),
          memory_(memory),
          settings_(settings),
          alarm_(alarm) {}

    Readiness read(NodeIndex n) const {
        const NodeRow& node = snapshot_.cluster.node(n);
        if (is_deleted(n)) return Readiness::deleted;
        if (node.suspended) return Readiness::suspended;
        const auto is_young = [&] {
            return alarm_.is_younger(node.created, settings_.max_node_startup_time);
        };
        if (carries_readiness_taint(node, settings_))
            return is_young() ? Readiness::starting : Readiness::long_starting;
        const bool starts =
            has(node, [&](const Taint& t) { return is_starting_taint(t.key, settings_); });
        if (node.ready && !starts) return Readiness::ready;
        // A node that fails while it is young has started all the same.
        if (!node.ready && has_been_used(snapshot_.cluster, n)) return Readiness::unready;
        return is_young() ? Readiness::starting : Readiness::unready;
    }

private:
    template <class Is>
    static bool has(const NodeRow& node, Is is_such) {
        return std::ranges::any_of(node.taints, is_such);
    }

    bool is_deleted(NodeIndex n) const {
        const NodeRow& node = snapshot_.cluster.node(n);
        const Machine* machine = find_machine(snapshot_, membership_, n);
        if (machine != nullptr && machine->state == MachineState::deleting) return true;
        // ToBeDeleted is not enough: the removal may be undone, and the target still holds it.
        return has(node, [](const Taint& t) { return t.key == being_deleted_taint; }) ||
               is_agreed_to_go(memory_, snapshot_.cluster.text(node.name));
    }

    const Snapshot& snapshot_;
    const Membership& membership_;
    const Memory& memory_;
    const Settings& settings_;
    Alarm& alarm_;
};

}  // namespace

std::vector<Readiness> read_nodes(const Snapshot& snapshot, const Membership& membership,
                                  const Memory& memory, const Settings& settings, Alarm& alarm) {
    const Reader reader(snapshot, membership, memory, settings, alarm);
    std::vector<Readiness> out;
    out.reserve(snapshot.cluster.node_count());
    for (NodeIndex n = 0; n < snapshot.cluster.node_count(); ++n) out.push_back(reader.read(n));
    return out;
}

bool carries_readiness_taint(const NodeRow& node, const Settings& settings) {
    return std::ranges::any_of(node.taints, [&](const Taint& taint) {
        const auto& keys = settings.readiness_taints;
        return std::ranges::find(keys, taint.key) != keys.end();
    });
}

bool has_been_used(const Cluster& cluster, NodeIndex node) {
    return std::ranges::any_of(cluster.pods_on(node), [&](PodIndex p) {
        return !is_daemon(cluster, cluster.class_of(p));
    });
}

bool is_agreed_to_go(const Memory& memory, std::string_view node) {
    if (memory.removals.empty()) return false;
    const auto at = memory.removals.find(node);
    return at != memory.removals.end() && at->second.phase == RemovalPhase::removed;
}

void add_node(Readiness readiness, NodeCounts& counts) noexcept {
    switch (readiness) {
        case Readiness::deleted: ++counts.deleted; return;
        case Readiness::suspended: ++counts.suspended; return;
        case Readiness::long_starting: ++counts.long_starting; return;
        case Readiness::starting: ++counts.starting; return;
        case Readiness::ready: ++counts.ready; return;
        case Readiness::unready: ++counts.unready; return;
    }
}

}  // namespace capstan::engine
