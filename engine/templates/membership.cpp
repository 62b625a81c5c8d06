#include "engine/templates/membership.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include <capstan/assert.hpp>
#include <capstan/well_known.hpp>

#include "engine/snapshot/cluster.hpp"
#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine::templates {
namespace {

/// The machines of all groups by id.
class MachinesById {
public:
    explicit MachinesById(const std::vector<Group>& groups) : groups_(groups) {}

    const MachineIndex* find(std::string_view id) const {
        const auto number = ids_.find(snapshot::hash_of(id),
                                      [&](std::uint32_t n) { return machine(n).id.value() == id; });
        return number ? &machines_[*number] : nullptr;
    }
    void add(MachineIndex at) {
        const auto number = static_cast<std::uint32_t>(machines_.size());
        machines_.push_back(at);
        ids_.insert(snapshot::hash_of(machine(number).id.value()), number);
    }

private:
    const Machine& machine(std::uint32_t number) const {
        const MachineIndex& at = machines_[number];
        return groups_[at.group].machines[at.machine];
    }

    const std::vector<Group>& groups_;
    std::vector<MachineIndex> machines_{};
    snapshot::HashIndex ids_{};
};

/// The machines of all groups. Sets `counted_elsewhere` as in Membership.
MachinesById by_id(const std::vector<Group>& groups,
                   std::vector<std::vector<bool>>& counted_elsewhere) {
    MachinesById out(groups);
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
        const auto& machines = groups[g].machines;
        counted_elsewhere.emplace_back(machines.size(), false);
        for (std::uint32_t m = 0; m < machines.size(); ++m) {
            const MachineIndex* const same_id = out.find(machines[m].id.value());
            counted_elsewhere[g][m] = same_id != nullptr && same_id->group != g;
            if (same_id == nullptr) out.add({.group = g, .machine = m});
        }
    }
    return out;
}

/// "aws" of "aws:///zone/i-1"; empty: there is none.
std::string_view scheme_of(std::string_view id) {
    const std::size_t end = id.find("://");
    return end == std::string_view::npos ? std::string_view() : id.substr(0, end);
}

/// "i-1" of "aws:///zone/i-1".
std::string_view last_segment(std::string_view id) { return id.substr(id.rfind('/') + 1); }

/// Whether the segment is that of one machine alone: machines of several groups may have a number.
bool is_unique(std::string_view segment) {
    return segment.find_first_not_of("0123456789") != std::string_view::npos;
}

std::string_view instance_of(std::string_view id) {
    const std::string_view segment = last_segment(id);
    return is_unique(segment) ? segment : std::string_view();
}

bool is_one_of(std::string_view name, const std::array<std::string_view, 3>& names) {
    return !name.empty() && std::ranges::find(names, name) != names.end();
}

/// The provider id and the names of a node.
struct NodeNames {
    NodeNames(const snapshot::Cluster& cluster, const snapshot::NodeRow& node)
        : provider_id(cluster.text(node.provider_id)), names(names_of(cluster, node)) {}
    std::string_view provider_id;
    std::array<std::string_view, 3> names;
};

bool carries_name(const NodeNames& node, const Machine& machine) {
    const auto names = names_of(machine);
    return std::ranges::any_of(node.names,
                               [&](std::string_view name) { return is_one_of(name, names); });
}

/// Whether the provider id names another machine of the same cloud, listed or not.
bool names_another(const NodeNames& node, const Machine& machine) {
    const std::string_view id = machine.id.value(), scheme = scheme_of(node.provider_id);
    const std::string_view segment = last_segment(node.provider_id);
    return !scheme.empty() && scheme == scheme_of(id) && !segment.empty() &&
           (segment != last_segment(id) || !is_unique(segment));
}

/// What is compared with the addresses of machines: the names of a node and its addresses.
std::vector<std::string_view> names_and_addresses(const snapshot::Cluster& cluster,
                                                  const snapshot::NodeRow& node) {
    std::vector<std::string_view> out = snapshot::addresses_of(cluster, node);
    for (const std::string_view name : names_of(cluster, node))
        if (!name.empty()) out.push_back(name);
    return out;
}

/// A new machine may have the address of one that is gone, whose node is still there.
bool is_older(const snapshot::NodeRow& node, const Machine& machine) {
    return machine.launched && node.created != Time() && node.created < *machine.launched;
}

bool carries_address(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                     const Machine& machine) {
    if (machine.addresses.empty() || is_older(node, machine)) return false;
    const auto names = names_and_addresses(cluster, node);
    return std::ranges::find_first_of(names, machine.addresses) != names.end();
}

/// The machines for which no node has been found, by each of their names. A name that two machines
/// have finds neither.
class MachinesByName {
public:
    MachinesByName(const std::vector<Group>& groups, const Membership& membership)
        : groups_(groups) {
        for (std::uint32_t g = 0; g < groups.size(); ++g)
            for (std::uint32_t m = 0; m < groups[g].machines.size(); ++m)
                if (!membership.joined[g][m] && !membership.counted_elsewhere[g][m]) add({g, m});
    }
    const MachineIndex* find(const NodeNames& node) const {
        for (const std::string_view name : node.names) {
            const auto found = names_.find(name);
            if (found == names_.end() || found->second.is_ambiguous) continue;
            const MachineIndex& at = found->second.at;
            if (!names_another(node, groups_[at.group].machines[at.machine])) return &at;
        }
        return nullptr;
    }

private:
    struct Named {
        MachineIndex at{};
        bool is_ambiguous = false;
    };
    void add(MachineIndex at) {
        for (const std::string_view name : names_of(groups_[at.group].machines[at.machine])) {
            if (name.empty()) continue;
            const auto [known, is_new] = names_.try_emplace(name, Named{at});
            if (!is_new && known->second.at != at) known->second.is_ambiguous = true;
        }
    }

    const std::vector<Group>& groups_;
    std::unordered_map<std::string_view, Named> names_{};
};

/// The addresses of machines for which no node has been found, and the nodes that have them. An
/// address that another machine or two nodes have finds nothing.
class MachinesByAddress {
public:
    MachinesByAddress(const snapshot::Cluster& cluster, const std::vector<Group>& groups,
                      const Membership& membership)
        : groups_(groups) {
        for (const bool joined : {false, true})
            for (std::uint32_t g = 0; g < groups.size(); ++g)
                for (std::uint32_t m = 0; m < groups[g].machines.size(); ++m)
                    if (membership.joined[g][m] == joined && !membership.counted_elsewhere[g][m])
                        add_machine({g, m}, joined);
        if (addresses_.empty()) return;
        for (NodeIndex n = 0; n < cluster.node_count(); ++n)
            for (const std::string_view name : names_and_addresses(cluster, cluster.node(n)))
                add_node(name, n);
    }

    /// Calls `act` with each node and the machine that has one of its addresses.
    template <class Act>
    void for_each_match(const snapshot::Cluster& cluster, Act act) const {
        for (const auto& [address, owners] : addresses_) {
            if (owners.is_ambiguous || owners.node == snapshot::no_node) continue;
            const Machine& machine = groups_[owners.at.group].machines[owners.at.machine];
            const snapshot::NodeRow& node = cluster.node(owners.node);
            if (!is_older(node, machine) && !names_another({cluster, node}, machine))
                act(owners.node, owners.at);
        }
    }

private:
    struct Owners {
        MachineIndex at{};
        NodeIndex node = snapshot::no_node;
        bool is_ambiguous = false;
    };
    /// Of a machine that has its node, addresses count only if another machine has them, too.
    void add_machine(MachineIndex at, bool joined) {
        for (const std::string& address : groups_[at.group].machines[at.machine].addresses) {
            const auto known = addresses_.find(address);
            if (known == addresses_.end()) {
                if (!joined) addresses_.emplace(address, Owners{at});
            } else if (known->second.at != at) {
                known->second.is_ambiguous = true;
            }
        }
    }
    void add_node(std::string_view name, NodeIndex node) {
        const auto known = addresses_.find(name);
        if (known == addresses_.end()) return;
        Owners& owners = known->second;
        if (owners.node != snapshot::no_node && owners.node != node) owners.is_ambiguous = true;
        owners.node = node;
    }

    const std::vector<Group>& groups_;
    std::map<std::string_view, Owners> addresses_{};  // in order, so that matches are, too
};

void join(Membership& out, NodeIndex node, MachineIndex machine) {
    out.machine_of[node] = machine;
    out.nodes[machine.group].push_back(node);
    out.joined[machine.group][machine.machine] = true;
}

/// Which of two nodes is that of the machine whose provider id both have, for example after a
/// change of its host name: the one that is ready, then the one with pods, then the younger one.
/// The other is in no group, since its unused state says nothing about the machine.
NodeIndex preferred(const snapshot::Cluster& cluster, NodeIndex a, NodeIndex b) {
    const auto rank = [&](NodeIndex n) {
        const snapshot::NodeRow& node = cluster.node(n);
        return std::tuple(node.ready, !cluster.pods_on(n).empty(), node.created);
    };
    return rank(b) > rank(a) ? b : a;
}

/// Finds the machines of nodes by their provider ids. Returns which nodes have that of a machine
/// whose node is another one.
std::vector<bool> join_by_id(const snapshot::Cluster& cluster, const MachinesById& machines,
                             Membership& out) {
    std::vector<bool> is_twin(cluster.node_count());
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const snapshot::Symbol id = cluster.node(n).provider_id;
        if (id == snapshot::Symbol::empty) continue;
        const MachineIndex* const machine = machines.find(cluster.text(id));
        if (machine == nullptr) continue;
        if (!out.joined[machine->group][machine->machine]) {
            join(out, n, *machine);
            continue;
        }
        const auto other = std::ranges::find(out.machine_of, std::optional(*machine));
        CAPSTAN_ASSERT(other != out.machine_of.end(), "a machine has joined without a node");
        const auto first = static_cast<NodeIndex>(other - out.machine_of.begin());
        const NodeIndex chosen = preferred(cluster, first, n);
        is_twin[chosen == n ? first : n] = true;
        if (chosen != n) continue;
        out.machine_of[first].reset();
        std::erase(out.nodes[machine->group], first);
        join(out, n, *machine);
    }
    return is_twin;
}

/// Sets ready_twins, from what join_by_id has found.
void note_ready_twins(const snapshot::Cluster& cluster, const MachinesById& machines,
                      const std::vector<bool>& is_twin, Membership& out) {
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        if (!is_twin[n] || !cluster.node(n).ready) continue;
        const MachineIndex* const machine =
            machines.find(cluster.text(cluster.node(n).provider_id));
        CAPSTAN_ASSERT(machine != nullptr, "a twin has no machine");
        const auto node = std::ranges::find(out.machine_of, std::optional(*machine));
        CAPSTAN_ASSERT(node != out.machine_of.end(), "a machine has joined without a node");
        out.ready_twins.emplace(static_cast<NodeIndex>(node - out.machine_of.begin()), n);
    }
}

/// Finds machines of nodes whose provider id is not that of a machine.
void look_again(const snapshot::Cluster& cluster, const std::vector<Group>& groups,
                const std::vector<bool>& is_twin, Membership& out) {
    if (std::ranges::all_of(out.machine_of, [](const auto& at) { return at.has_value(); })) return;
    const auto join_free = [&](NodeIndex node, MachineIndex at) {
        if (!out.machine_of[node] && !is_twin[node] && !out.joined[at.group][at.machine])
            join(out, node, at);
    };
    const MachinesByName by_name(groups, out);
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        if (out.machine_of[n] || is_twin[n]) continue;
        const MachineIndex* const at = by_name.find({cluster, cluster.node(n)});
        if (at != nullptr) join_free(n, *at);
    }
    MachinesByAddress(cluster, groups, out).for_each_match(cluster, join_free);
    for (auto& nodes : out.nodes) std::ranges::sort(nodes);
}

}  // namespace

Membership make_membership(const Snapshot& snapshot) {
    const snapshot::Cluster& cluster = snapshot.cluster;
    const std::vector<Group>& groups = *snapshot.groups;
    Membership out;
    const MachinesById machines = by_id(groups, out.counted_elsewhere);
    out.machine_of.resize(cluster.node_count());
    out.nodes.resize(groups.size());
    for (const Group& group : groups) out.joined.emplace_back(group.machines.size(), false);
    const std::vector<bool> is_twin = join_by_id(cluster, machines, out);
    note_ready_twins(cluster, machines, is_twin, out);
    look_again(cluster, groups, is_twin, out);
    return out;
}

bool is_node_of(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                const Machine& machine) {
    const NodeNames names(cluster, node);
    if (names.provider_id == machine.id.value()) return true;
    return !names_another(names, machine) &&
           (carries_name(names, machine) || carries_address(cluster, node, machine));
}

std::array<std::string_view, 3> names_of(const Machine& machine) {
    return {machine.id.value(), machine.node_name, instance_of(machine.id.value())};
}

std::array<std::string_view, 3> names_of(const snapshot::Cluster& cluster,
                                         const snapshot::NodeRow& node) {
    const auto hostname = snapshot::find_label(cluster, node.labels, well_known::hostname_label);
    return {instance_of(cluster.text(node.provider_id)), cluster.text(node.name),
            hostname ? cluster.text(*hostname) : std::string_view()};
}

const Machine* find_machine(const Snapshot& snapshot, const Membership& membership,
                            NodeIndex node) noexcept {
    CAPSTAN_ASSERT(node < membership.machine_of.size(), "there is no such node");
    const std::optional<MachineIndex>& at = membership.machine_of[node];
    return at ? &(*snapshot.groups)[at->group].machines[at->machine] : nullptr;
}

}  // namespace capstan::engine::templates
