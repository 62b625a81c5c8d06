#include "engine/health/readiness.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/node_marks.hpp"
#include "engine/templates/daemons.hpp"
#include "engine/templates/node_taints.hpp"

namespace capstan::engine::health {
namespace {

class Reader {
public:
    Reader(const Snapshot& snapshot, const templates::Membership& membership, const Memory& memory,
           const Settings& settings, NextChange& next_change)
        : snapshot_(snapshot),
          membership_(membership),
          memory_(memory),
          settings_(settings),
          next_change_(next_change) {}

    Readiness read(NodeIndex n) const {
        const snapshot::NodeRow& node = snapshot_.cluster.node(n);
        if (is_deleted(n)) return Readiness::deleted;
        if (node.suspended) return Readiness::suspended;
        const auto is_young = [&] {
            return next_change_.is_younger(
                created_at(memory_, snapshot_.cluster, n, next_change_.time()),
                settings_.max_node_startup_time);
        };
        if (carries_readiness_taint(node, settings_))
            return is_young() ? Readiness::starting : Readiness::long_starting;
        const bool starts = has(
            node, [&](const Taint& t) { return templates::is_starting_taint(t.key, settings_); });
        // A node with pods has started, however young it is: an agent may set its taint again.
        if (node.ready && (!starts || has_been_used(snapshot_.cluster, n))) return Readiness::ready;
        if (has_been_used(snapshot_.cluster, n)) return Readiness::unready;
        if (is_young()) return Readiness::starting;
        return node.ready ? Readiness::long_starting : Readiness::unready;
    }

private:
    template <class Is>
    static bool has(const snapshot::NodeRow& node, Is is_such) {
        return std::ranges::any_of(node.taints, is_such);
    }

    bool is_deleted(NodeIndex n) const {
        const snapshot::NodeRow& node = snapshot_.cluster.node(n);
        const Machine* machine = templates::find_machine(snapshot_, membership_, n);
        if (machine != nullptr && machine->state == MachineState::deleting) return true;
        // ToBeDeleted is not enough: the removal may be undone, and the target still includes the
        // machine.
        return has(node, [](const Taint& t) { return t.key == being_deleted_taint; }) ||
               is_removal_agreed(memory_, snapshot_.cluster.text(node.name));
    }

    const Snapshot& snapshot_;
    const templates::Membership& membership_;
    const Memory& memory_;
    const Settings& settings_;
    NextChange& next_change_;
};

}  // namespace

std::vector<Readiness> find_readiness(const Snapshot& snapshot,
                                      const templates::Membership& membership, const Memory& memory,
                                      const Settings& settings, NextChange& next_change) {
    const Reader reader(snapshot, membership, memory, settings, next_change);
    std::vector<Readiness> out;
    out.reserve(snapshot.cluster.node_count());
    for (NodeIndex n = 0; n < snapshot.cluster.node_count(); ++n) out.push_back(reader.read(n));
    return out;
}

Time created_at(const Memory& memory, const snapshot::Cluster& cluster, NodeIndex node,
                const PassTime& time) {
    const snapshot::NodeRow& row = cluster.node(node);
    const auto known = memory.created.find(cluster.text(row.name));
    return known != memory.created.end() ? known->second : time.measured(row.created);
}

namespace {

bool has_started(const snapshot::NodeRow& node, const Settings& settings) {
    return node.ready && !carries_readiness_taint(node, settings) &&
           std::ranges::none_of(node.taints, [&](const Taint& taint) {
               return templates::is_starting_taint(taint.key, settings);
           });
}

/// Since when the node's machine was seen without a node; absent: it was not.
std::optional<Time> unjoined_before(const Memory& memory, const Snapshot& snapshot,
                                    const templates::Membership& membership, NodeIndex node) {
    const std::optional<templates::MachineIndex>& machine = membership.machine_of[node];
    if (!machine) return std::nullopt;
    const Group& group = (*snapshot.groups)[machine->group];
    const auto of_group = memory.unjoined.find(group.group.id);
    if (of_group == memory.unjoined.end()) return std::nullopt;
    const auto at = of_group->second.find(group.machines[machine->machine].id);
    return at == of_group->second.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace

void record_node_times(Memory& memory, const Snapshot& snapshot,
                       const templates::Membership& membership, const Settings& settings,
                       const PassTime& time) {
    decltype(Memory::created) kept;
    for (NodeIndex n = 0; n < snapshot.cluster.node_count(); ++n) {
        const snapshot::NodeRow& node = snapshot.cluster.node(n);
        if (has_started(node, settings)) continue;
        // If the clock has changed since the node was created, its time may lie in the future, or
        // before its machine existed.
        Time created = std::min(created_at(memory, snapshot.cluster, n, time), time.now);
        if (const auto unjoined = unjoined_before(memory, snapshot, membership, n))
            created = std::max(created, *unjoined);
        kept.emplace_hint(kept.end(), snapshot.cluster.text(node.name), created);
    }
    memory.created = std::move(kept);
}

bool carries_readiness_taint(const snapshot::NodeRow& node, const Settings& settings) {
    return std::ranges::any_of(node.taints, [&](const Taint& taint) {
        const auto& keys = settings.readiness_taints;
        return std::ranges::find(keys, taint.key) != keys.end();
    });
}

bool has_been_used(const snapshot::Cluster& cluster, NodeIndex node) {
    return std::ranges::any_of(cluster.pods_on(node), [&](PodIndex p) {
        return !templates::is_daemon(cluster, cluster.equivalence_group_of(p));
    });
}

bool is_removal_agreed(const Memory& memory, std::string_view node) {
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

}  // namespace capstan::engine::health
