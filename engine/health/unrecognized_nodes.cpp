#include "engine/health/unrecognized_nodes.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "engine/health/readiness.hpp"
#include "engine/node_marks.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine::health {
namespace {

/// What is known of a node that has not been found yet.
struct ExpectedNode {
    Time since{};                        ///< the node registered later
    std::string machine_type{}, zone{};  ///< empty: any
    bool operator<(const ExpectedNode& other) const {
        return std::tie(since, machine_type, zone) <
               std::tie(other.since, other.machine_type, other.zone);
    }
};

/// When this host last requested machines of the group; absent: it did not.
std::optional<Time> find_last_scale_up(const Memory& memory, const NodeGroupId& group) {
    const auto last = memory.last_by_group.find(group);
    return last != memory.last_by_group.end() ? last->second.scale_up : std::nullopt;
}

/// Before that moment the machine did not exist.
Time launched_after(const Memory& memory, const GroupCounts& group, const Machine& machine,
                    const PassTime& time) {
    if (const auto launched = launched_at(memory, group.id(), machine, time)) return *launched;
    const Time seen = unjoined_since(memory, group.id(), machine, time.now);
    const auto known = memory.templates.find(group.id());
    // A machine that was there when the group was first seen may have been launched at any time.
    if (known == memory.templates.end() || seen <= known->second.since) return Time::min();
    // Its node may have registered before a list showed it, but not before this host requested it.
    const Time earliest = seen - std::min(group.limit, seen - Time());
    const std::optional<Time> own = find_last_scale_up(memory, group.id());
    return own && *own <= seen ? std::max(earliest, *own) : earliest;
}

/// Before that moment the machines that are requested, or not listed yet, did not exist.
Time requested_after(const Memory& memory, const GroupCounts& group, Time now) {
    if (const auto own = find_last_scale_up(memory, group.id())) return *own;
    const auto request = memory.requests.find(group.id());
    return request != memory.requests.end() ? request->second.since : now;
}

class Expectations {
public:
    Expectations(const GroupCounts& group, const Memory& memory, const PassTime& time) {
        if (group.group->described != nullptr && group.group->described->variants == 1) {
            template_ = *group.group->described;
            templates::fill_fields(template_);
            // The template of a group in several zones is in one of them.
            if (group.group->group.zones.size() > 1) template_.zone.clear();
        }
        for (std::size_t m = 0; m < group.fates.size(); ++m) {
            if (group.fates[m] != MachineFate::begun) continue;
            const Machine& machine = group.group->machines[m];
            add(launched_after(memory, group, machine, time), machine.machine_type, machine.zone);
            for (const std::string_view name : templates::names_of(machine)) names_.insert(name);
            names_.insert(machine.addresses.begin(), machine.addresses.end());
        }
        if (group.target() > group.machines.real())
            add(requested_after(memory, group, time.now), {}, {});
        names_.erase(std::string_view());
    }

    bool is_empty() const { return nodes_.empty(); }
    bool has_name(std::string_view name) const { return names_.contains(name); }
    /// `machine_type`, `zone`: empty: the node does not say.
    bool include(Time created, std::string_view machine_type, std::string_view zone) const {
        const auto fits = [](std::string_view expected, std::string_view actual) {
            return expected.empty() || actual.empty() || expected == actual;
        };
        return std::ranges::any_of(nodes_, [&](const ExpectedNode& node) {
            return created >= node.since && fits(node.machine_type, machine_type) &&
                   fits(node.zone, zone);
        });
    }

private:
    void add(Time since, const std::string& machine_type, const std::string& zone) {
        nodes_.insert({.since = since,
                       .machine_type = machine_type.empty() ? template_.machine_type : machine_type,
                       .zone = zone.empty() ? template_.zone : zone});
    }

    NodeTemplate template_{};
    std::set<ExpectedNode> nodes_{};
    std::set<std::string_view> names_{};
};

bool is_control_plane(const snapshot::Cluster& cluster, const snapshot::NodeRow& node) {
    return has_taint(node, well_known::control_plane_taint) ||
           snapshot::find_label(cluster, node.labels, well_known::control_plane_label);
}

/// Whether new machines of the group may become nodes of the control plane.
bool may_be_control_plane(const Group& group) {
    return group.described == nullptr ||
           group.described->labels.contains(well_known::control_plane_label) ||
           std::ranges::count(group.described->taints, well_known::control_plane_taint,
                              &Taint::key) > 0;
}

std::string_view label_of(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                          std::string_view key, std::string_view old_key) {
    auto value = snapshot::find_label(cluster, node.labels, key);
    if (!value) value = snapshot::find_label(cluster, node.labels, old_key);
    return value ? cluster.text(*value) : std::string_view();
}

}  // namespace

UnrecognizedNodes::UnrecognizedNodes(const Snapshot& snapshot,
                                     const templates::Membership& membership, const Memory& memory,
                                     const PassTime& time)
    : snapshot_(snapshot), memory_(memory), time_(time) {
    const snapshot::Cluster& cluster = snapshot.cluster;
    for (NodeIndex n = 0; n < cluster.node_count(); ++n)
        if (!membership.machine_of[n] &&
            !memory.removals.contains(cluster.text(cluster.node(n).name)))
            strays_.push_back(n);
}

std::vector<std::string> UnrecognizedNodes::of(const GroupCounts& group) const {
    std::vector<std::string> out;
    if (strays_.empty()) return out;
    const Expectations expected(group, memory_, time_);
    if (expected.is_empty()) return out;
    const snapshot::Cluster& cluster = snapshot_.cluster;
    for (const NodeIndex n : strays_) {
        const snapshot::NodeRow& node = cluster.node(n);
        const auto is_expected = [&](std::string_view name) { return expected.has_name(name); };
        const bool is_named =
            std::ranges::any_of(templates::names_of(cluster, node), is_expected) ||
            std::ranges::any_of(snapshot::addresses_of(cluster, node), is_expected);
        if (!is_named && is_control_plane(cluster, node) && !may_be_control_plane(*group.group))
            continue;
        const bool is_its =
            is_named || expected.include(created_at(memory_, cluster, n, time_),
                                         label_of(cluster, node, well_known::instance_type_label,
                                                  well_known::beta_instance_type_label),
                                         label_of(cluster, node, well_known::zone_label,
                                                  well_known::beta_zone_label));
        if (is_its) out.emplace_back(cluster.text(node.name));
    }
    return out;
}

std::vector<std::string> describe_unrecognized(const Snapshot& snapshot, Time now) {
    const Memory memory;
    const PassTime time(now);
    const templates::Membership membership = templates::make_membership(snapshot);
    const UnrecognizedNodes nodes(snapshot, membership, memory, time);
    const std::vector<Readiness> readiness(snapshot.cluster.node_count(), Readiness::ready);
    std::vector<std::string> out;
    for (const GroupCounts& group :
         count_groups(snapshot, membership, readiness, memory, Settings{})) {
        const int unjoined = group.machines.begun;
        const std::vector<std::string> its = unjoined > 0 ? nodes.of(group) : decltype(out)();
        if (its.empty()) continue;
        out.push_back("group " + group.id().value() + ": " + counted(unjoined, "machine") +
                      (unjoined == 1 ? " has" : " have") + " no node; " + describe_strays(its) +
                      " may belong to the group");
    }
    return out;
}

std::string describe_strays(const std::vector<std::string>& nodes) {
    const bool is_one = nodes.size() == 1;
    return std::string(is_one ? "node " : "nodes ") +
           listed(nodes, [](const std::string& name) { return name; }) +
           " (spec.providerID matches no machine)";
}

}  // namespace capstan::engine::health
