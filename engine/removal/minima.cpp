#include "engine/removal/minima.hpp"

#include <algorithm>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/answered_targets.hpp"
#include "engine/health/readiness.hpp"
#include "engine/health/removed_machines.hpp"
#include "engine/removal/phases.hpp"

namespace capstan::engine::removal {
namespace {

/// Whether the cloud has agreed to remove the machine, or removes it already: the group's target
/// does not include it any more.
bool is_machine_going(const Snapshot& snapshot, const templates::Membership& membership,
                      const Memory& memory, NodeIndex node) {
    const Machine* machine = templates::find_machine(snapshot, membership, node);
    if (machine != nullptr && machine->state == MachineState::deleting) return true;
    return health::is_removal_agreed(memory,
                                     snapshot.cluster.text(snapshot.cluster.node(node).name));
}

}  // namespace

Minima::Minima(const Snapshot& snapshot, const templates::Membership& membership,
               const Memory& memory, const health::Repairs& repairs, const Settings& settings)
    : snapshot_(snapshot),
      membership_(membership),
      memory_(memory),
      totals_(limits::make_totals(settings)) {
    for (const Decrease& decrease : repairs.decreases) gone_[decrease.group] += decrease.by;
    for (const MachineRemoval& removal : repairs.removals)
        gone_[removal.group] += static_cast<int>(removal.machines.size());
    for (const auto& [group, machines] : memory.removed_machines)
        gone_[group] += health::count_unanswered(memory, group);
    for (const auto& [id, answer] : memory.answered_targets)
        if (const Group* const group = find_group(snapshot, id))
            gone_[id] += health::count_uncertain(memory, *group);
    std::erase_if(totals_, [](const limits::ResourceTotal& total) { return total.bound.min <= 0; });
    if (totals_.empty()) return;
    const snapshot::Cluster& cluster = snapshot.cluster;
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        if (!limits::counts(cluster, cluster.node(n))) continue;
        if (is_machine_going(snapshot, membership, memory, n)) continue;
        for (limits::ResourceTotal& total : totals_) total.count({cluster, cluster.node(n)}, 1);
    }
}

std::string Minima::take(const std::vector<std::string>& nodes) {
    if (nodes.empty()) return {};
    const NodeGroupId& group = memory_.removals.at(nodes.front()).group;
    const Share share = share_of(nodes);
    std::string because = why_group(group, share.machines);
    if (because.empty()) because = why_cluster(share, nodes.size());
    if (!because.empty()) return because;
    gone_[group] += share.machines;
    for (std::size_t t = 0; t < totals_.size(); ++t) totals_[t].used -= share.totals[t];
    return {};
}

Minima::Share Minima::share_of(const std::vector<std::string>& nodes) const {
    const snapshot::Cluster& cluster = snapshot_.cluster;
    Share out{.totals = std::vector<std::int64_t>(totals_.size())};
    const NodeGroupId& group = memory_.removals.at(nodes.front()).group;
    for (const std::string& name : nodes) {
        CAPSTAN_ASSERT(memory_.removals.at(name).group == group,
                       "nodes of several groups are removed together");
        const auto node = cluster.find_node(name);
        if (!node || is_machine_going(snapshot_, membership_, memory_, *node)) continue;
        ++out.machines;
        if (!limits::counts(cluster, cluster.node(*node))) continue;
        for (std::size_t t = 0; t < totals_.size(); ++t)
            out.totals[t] += totals_[t].of({cluster, cluster.node(*node)});
    }
    return out;
}

std::string Minima::why_group(const NodeGroupId& id, int machines) const {
    const Group* group = find_group(snapshot_, id);
    if (group == nullptr || !group->group.target || machines == 0) return {};
    const auto gone = gone_.find(id);
    const int least = group->group.min.value_or(0);
    const int left = *group->group.target - (gone == gone_.end() ? 0 : gone->second) - machines;
    if (left >= least) return {};
    return "node group min size reached (" + std::to_string(least) + "): group " + id.value();
}

std::string Minima::why_cluster(const Share& share, std::size_t nodes) const {
    for (std::size_t t = 0; t < totals_.size(); ++t) {
        const limits::ResourceTotal& total = totals_[t];
        if (share.totals[t] <= 0 || total.used - share.totals[t] >= total.bound.min) continue;
        return "min cluster " + total.name + " limit reached (" + total.format(total.bound.min) +
               "): the cluster has " + total.format(total.used) +
               (nodes == 1 ? ", the node " : ", its nodes ") + total.format(share.totals[t]);
    }
    return {};
}

}  // namespace capstan::engine::removal
