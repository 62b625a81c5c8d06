#include "engine/templates/reserves.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include <capstan/sentence.hpp>

#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine::templates {
namespace {

constexpr std::array kept_by_system{std::string_view("cpu"), std::string_view("memory")};

bool is_machines_own(std::string_view resource) {
    return resource.find('/') == std::string_view::npos;
}

void lower_to(Resources& least, const Resources& seen) {
    for (const auto& [resource, amount] : seen) {
        if (!is_machines_own(resource)) continue;
        const std::optional<std::int64_t> before = least.find(resource);
        least.set(resource, before ? std::min(*before, amount) : amount);
    }
}

void raise_to_difference(Resources& most, const Resources& capacity, const Resources& allocatable) {
    for (const std::string_view resource : kept_by_system) {
        const std::optional<std::int64_t> left = allocatable.find(resource);
        if (!left) continue;
        const std::int64_t kept = capacity.amount(resource) - *left;
        most.set(resource, std::max(most.amount(resource), kept));
    }
}

void lower_to(std::map<std::string, std::optional<int>>& least,
              const snapshot::CsiNodeObject& seen) {
    for (const auto& [driver, limit] : seen.limits) {
        const auto [at, is_new] = least.try_emplace(driver, limit);
        if (is_new || !limit) continue;
        at->second = std::min(at->second.value_or(*limit), *limit);
    }
}

bool states_allocatable(const NodeTemplate& node) {
    return std::ranges::any_of(kept_by_system, [&](std::string_view resource) {
        const auto stated = node.allocatable.find(resource);
        return stated && *stated < node.capacity.amount(resource);
    });
}

void overwrite(Resources& figures, const Resources& learned) {
    for (const auto& [resource, amount] : learned) figures.set(resource, amount);
}

/// Nodes with equal figures share the objects that hold them, so only the first such node is read.
using Seen = std::set<std::tuple<snapshot::Symbol, const Resources*, const Resources*>>;

}  // namespace

Reserves learn_reserves(const snapshot::Cluster& cluster) {
    Reserves out;
    Seen seen;
    const auto& csi_nodes = cluster.objects().csi_nodes;
    MachineTypeFinder machine_types(cluster);
    std::map<snapshot::Symbol, MachineFigures*> by_symbol;
    for (NodeIndex n = 0; n < cluster.node_count(); ++n) {
        const snapshot::NodeRow& node = cluster.node(n);
        const std::optional<snapshot::Symbol> type = machine_types.find(node);
        if (!type || node.capacity->empty()) continue;
        MachineFigures*& of_type = by_symbol[*type];
        if (of_type == nullptr) of_type = &out.types[std::string(cluster.text(*type))];
        MachineFigures& figures = *of_type;
        ++figures.nodes;
        const auto csi = csi_nodes.find(cluster.text(node.name));
        if (csi != csi_nodes.end()) {
            lower_to(figures.csi_limits, csi->second);
            figures.csi_migrated.insert(csi->second.migrated.begin(), csi->second.migrated.end());
        }
        if (!seen.insert({*type, node.capacity, node.allocatable}).second) continue;
        lower_to(figures.capacity, *node.capacity);
        lower_to(figures.allocatable, *node.allocatable);
        raise_to_difference(out.reserved, *node.capacity, *node.allocatable);
    }
    return out;
}

std::string apply_reserves(const Reserves& reserves, NodeTemplate& node) {
    if (const auto at = reserves.types.find(node.machine_type); at != reserves.types.end()) {
        overwrite(node.capacity, at->second.capacity);
        overwrite(node.allocatable, at->second.allocatable);
        return "with resources as on " + counted(at->second.nodes, "node") + " of type " +
               at->first;
    }
    if (states_allocatable(node)) return {};
    std::string kept;
    for (const std::string_view resource : kept_by_system) {
        const std::int64_t amount = reserves.reserved.amount(resource);
        const std::optional<std::int64_t> whole = node.capacity.find(resource);
        if (amount <= 0 || !whole) continue;
        node.allocatable.set(resource, std::max<std::int64_t>(0, *whole - amount));
        kept += (kept.empty() ? "" : " and ") + format_amount(resource, amount) + " of " +
                std::string(resource);
    }
    return kept.empty() ? kept : "minus " + kept + " reserved for the system on other nodes";
}

}  // namespace capstan::engine::templates
