#include "engine/templates/membership.hpp"

#include <string_view>

#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine::templates {
namespace {

/// The machines of all groups, found by id or by Machine::node_name.
class MachinesById {
public:
    explicit MachinesById(const std::vector<Group>& groups) : groups_(groups) {}

    const MachineIndex* find(std::string_view id) const {
        const auto number = ids_.find(snapshot::hash_of(id),
                                      [&](std::uint32_t n) { return machine(n).id.value() == id; });
        return number ? &machines_[*number] : nullptr;
    }
    const MachineIndex* find_by_node(std::string_view name) const {
        const auto number = nodes_.find(
            snapshot::hash_of(name), [&](std::uint32_t n) { return machine(n).node_name == name; });
        return number ? &machines_[*number] : nullptr;
    }
    const MachineIndex* find(const snapshot::Cluster& cluster,
                             const snapshot::NodeRow& node) const {
        if (node.provider_id != snapshot::Symbol::empty)
            return find(cluster.text(node.provider_id));
        const std::string_view name = cluster.text(node.name);
        const MachineIndex* const named = find_by_node(name);
        return named != nullptr ? named : find(name);
    }
    void add(MachineIndex at) {
        const auto number = static_cast<std::uint32_t>(machines_.size());
        machines_.push_back(at);
        ids_.insert(snapshot::hash_of(machine(number).id.value()), number);
        const std::string& node = machine(number).node_name;
        if (!node.empty()) nodes_.insert(snapshot::hash_of(node), number);
    }

private:
    const Machine& machine(std::uint32_t number) const {
        const MachineIndex& at = machines_[number];
        return groups_[at.group].machines[at.machine];
    }

    const std::vector<Group>& groups_;
    std::vector<MachineIndex> machines_{};
    snapshot::HashIndex ids_{};
    snapshot::HashIndex nodes_{};
};

/// The machines of all groups. Sets `foreign` as in Membership.
MachinesById by_id(const std::vector<Group>& groups, std::vector<std::vector<bool>>& foreign) {
    MachinesById out(groups);
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
        const auto& machines = groups[g].machines;
        foreign.emplace_back(machines.size(), false);
        for (std::uint32_t m = 0; m < machines.size(); ++m) {
            const MachineIndex* const same_id = out.find(machines[m].id.value());
            foreign[g][m] = same_id != nullptr && same_id->group != g;
            if (same_id == nullptr) out.add({.group = g, .machine = m});
        }
    }
    return out;
}

}  // namespace

Membership make_membership(const Snapshot& snapshot) {
    const snapshot::Cluster& cluster = snapshot.cluster;
    const std::vector<Group>& groups = *snapshot.groups;
    Membership out;
    const MachinesById machines = by_id(groups, out.foreign);
    out.machine_of.resize(cluster.node_count());
    out.nodes.resize(groups.size());
    for (const Group& group : groups) out.joined.emplace_back(group.machines.size(), false);
    for (snapshot::NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const snapshot::NodeRow& node = cluster.node(n);
        const MachineIndex* const machine = machines.find(cluster, node);
        if (machine == nullptr) continue;
        out.machine_of[n] = *machine;
        out.nodes[machine->group].push_back(n);
        out.joined[machine->group][machine->machine] = true;
    }
    return out;
}

bool is_node_of(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                const Machine& machine) {
    if (node.provider_id != snapshot::Symbol::empty)
        return cluster.text(node.provider_id) == machine.id.value();
    const std::string_view name = cluster.text(node.name);
    return name == machine.id.value() || name == machine.node_name;
}

const Machine* find_machine(const Snapshot& snapshot, const Membership& membership,
                            snapshot::NodeIndex node) noexcept {
    const std::optional<MachineIndex>& at = membership.machine_of[node];
    return at ? &(*snapshot.groups)[at->group].machines[at->machine] : nullptr;
}

}  // namespace capstan::engine::templates
