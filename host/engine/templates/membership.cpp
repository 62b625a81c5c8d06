#include "engine/templates/membership.hpp"

#include <string_view>
#include <unordered_map>

namespace capstan::engine {
namespace {

using MachinesById = std::unordered_map<std::string_view, MachineIndex>;

/// Notes those that an earlier group has.
MachinesById by_id(const std::vector<Group>& groups, std::vector<std::vector<bool>>& foreign) {
    MachinesById out;
    std::size_t count = 0;
    for (const Group& group : groups) count += group.machines.size();
    out.reserve(count);
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
        const auto& machines = groups[g].machines;
        foreign.emplace_back(machines.size(), false);
        for (std::uint32_t m = 0; m < machines.size(); ++m) {
            const auto [at, is_new] =
                out.try_emplace(machines[m].id.value(), MachineIndex{.group = g, .machine = m});
            foreign[g][m] = !is_new && at->second.group != g;
        }
    }
    return out;
}

}  // namespace

Membership make_membership(const Snapshot& snapshot) {
    const Cluster& cluster = snapshot.cluster;
    const std::vector<Group>& groups = *snapshot.groups;
    Membership out;
    const MachinesById machines = by_id(groups, out.foreign);
    out.machine_of.resize(cluster.node_count());
    out.nodes.resize(groups.size());
    for (const Group& group : groups) out.joined.emplace_back(group.machines.size(), false);
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const NodeRow& node = cluster.node(n);
        const bool named = node.provider_id != Symbol::empty;
        const auto at = machines.find(cluster.text(named ? node.provider_id : node.name));
        if (at == machines.end()) continue;
        out.machine_of[n] = at->second;
        out.nodes[at->second.group].push_back(n);
        out.joined[at->second.group][at->second.machine] = true;
    }
    return out;
}

const Machine* find_machine(const Snapshot& snapshot, const Membership& membership,
                            NodeIndex node) noexcept {
    const std::optional<MachineIndex>& at = membership.machine_of[node];
    return at ? &(*snapshot.groups)[at->group].machines[at->machine] : nullptr;
}

}  // namespace capstan::engine
