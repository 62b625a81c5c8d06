#include "engine/templates/membership.hpp"

#include <string_view>

#include "engine/snapshot/fast_hash.hpp"
#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine {
namespace {

/// The machines of all groups, to be found by id.
class MachinesById {
public:
    explicit MachinesById(const std::vector<Group>& groups) : groups_(groups) {}

    const MachineIndex* find(std::string_view id) const {
        const auto number = index_.find(
            hash_of(id), [&](std::uint32_t n) { return id_of(machines_[n]).value() == id; });
        return number ? &machines_[*number] : nullptr;
    }
    void add(MachineIndex machine) {
        index_.insert(hash_of(id_of(machine).value()),
                      static_cast<std::uint32_t>(machines_.size()));
        machines_.push_back(machine);
    }

private:
    const MachineId& id_of(const MachineIndex& at) const {
        return groups_[at.group].machines[at.machine].id;
    }

    const std::vector<Group>& groups_;
    std::vector<MachineIndex> machines_{};
    HashIndex index_{};
};

/// Notes those that an earlier group has.
MachinesById by_id(const std::vector<Group>& groups, std::vector<std::vector<bool>>& foreign) {
    MachinesById out(groups);
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
        const auto& machines = groups[g].machines;
        foreign.emplace_back(machines.size(), false);
        for (std::uint32_t m = 0; m < machines.size(); ++m) {
            const MachineIndex* const known = out.find(machines[m].id.value());
            foreign[g][m] = known != nullptr && known->group != g;
            if (known == nullptr) out.add({.group = g, .machine = m});
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
        const MachineIndex* const machine = machines.find(name_of_machine(cluster, node));
        if (machine == nullptr) continue;
        out.machine_of[n] = *machine;
        out.nodes[machine->group].push_back(n);
        out.joined[machine->group][machine->machine] = true;
    }
    return out;
}

std::string_view name_of_machine(const Cluster& cluster, const NodeRow& node) {
    const bool is_named = node.provider_id != Symbol::empty;
    return cluster.text(is_named ? node.provider_id : node.name);
}

const Machine* find_machine(const Snapshot& snapshot, const Membership& membership,
                            NodeIndex node) noexcept {
    const std::optional<MachineIndex>& at = membership.machine_of[node];
    return at ? &(*snapshot.groups)[at->group].machines[at->machine] : nullptr;
}

}  // namespace capstan::engine
