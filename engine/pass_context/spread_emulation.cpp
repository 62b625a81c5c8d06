#include "engine/pass_context/spread_emulation.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/well_known.hpp>

#include "engine/scheduling/water_fill.hpp"
#include "engine/snapshot/spread_timeout.hpp"

namespace capstan::engine::pass_context {
namespace {

/// The value of the one label that the constraint selects by; NULL: the constraint is not emulated.
const std::string* find_selected_value(const snapshot::SpreadConstraint& constraint,
                                       const std::string& label) {
    if (constraint.topology_key != well_known::zone_label || constraint.max_skew != 1)
        return nullptr;
    if (constraint.min_domains.value_or(1) > 1 || !constraint.match_label_keys.empty())
        return nullptr;
    // Without a selector it counts nothing.
    if (!constraint.selector || !constraint.selector->match_expressions.empty()) return nullptr;
    const Labels& labels = constraint.selector->match_labels;
    if (labels.size() != 1 || labels.begin()->first != label) return nullptr;
    return &labels.begin()->second;
}

/// Pods that are counted together: the same namespace and the same value of the label.
using Bucket = std::pair<snapshot::Symbol, std::string>;

Bucket bucket_of(const snapshot::Cluster& cluster, PodGroupId id, const Settings& settings) {
    return {cluster.equivalence_group(id).ns,
            *find_selected_value(cluster.spread(id).front(), settings.emulated_spread_label)};
}

}  // namespace

bool is_emulated(const snapshot::Cluster& cluster, PodGroupId equivalence_group,
                 const Settings& settings) {
    const std::string& label = settings.emulated_spread_label;
    const auto spread = cluster.spread(equivalence_group);
    if (label.empty() || spread.size() != 1) return false;
    const std::string* value = find_selected_value(spread.front(), label);
    if (value == nullptr || value->empty()) return false;
    const std::optional<snapshot::Symbol> own =
        snapshot::find_label(cluster, cluster.equivalence_group(equivalence_group).labels, label);
    return own && cluster.text(*own) == *value;
}

std::optional<snapshot::Symbol> pinned_zone(const snapshot::Cluster& cluster,
                                            PodGroupId equivalence_group, NodeIndex node,
                                            const Settings& settings) {
    if (!is_emulated(cluster, equivalence_group, settings)) return std::nullopt;
    return snapshot::find_label(cluster, cluster.node(node).labels, well_known::zone_label);
}

bool restrict_to_zone(scheduling::Placement& placement, PodGroupIndex pod_group,
                      std::string_view zone, int pods) {
    const std::optional<scheduling::SpreadDomains> spread = placement.spread(pod_group);
    if (!spread) return false;
    const auto& domains = spread->domains;
    const auto at = std::ranges::find(domains, zone, &scheduling::SpreadDomains::Domain::value);
    // Drops what was allowed before, in whichever zone.
    placement.disallow(pod_group);
    const bool is_there = at != domains.end();
    if (!domains.empty()) {
        placement.allow(pod_group, is_there ? static_cast<std::uint32_t>(at - domains.begin()) : 0,
                        is_there ? pods : 0);
    }
    return is_there;
}

std::vector<bool> assign_zones(const PassContext& context, scheduling::Placement& placement) {
    const snapshot::Cluster& cluster = context.snapshot->cluster;
    std::vector<bool> given(context.predicates->pod_groups().size(), false);
    // Pod groups that share a bucket are assigned zones one after the other, and each counts the
    // pods that were promised to the zones before.
    std::map<Bucket, std::map<std::string, int>> promised;
    for (PodGroupIndex s = 0; s < context.pending_count(); ++s) {
        const PodCount& pods = context.pending.pod_groups[s];
        if (!is_emulated(cluster, pods.equivalence_group, *context.settings)) continue;
        const std::optional<scheduling::SpreadDomains> spread = placement.spread(s);
        const std::vector<bool> open = placement.feasible_domains(s);
        if (!spread || std::ranges::find(open, true) == open.end()) continue;
        CAPSTAN_ASSERT(open.size() == spread->domains.size(),
                       "the domains are of another constraint");
        auto& more = promised[bucket_of(cluster, pods.equivalence_group, *context.settings)];
        std::vector<scheduling::DomainLoad> zones;
        for (std::size_t d = 0; d < open.size(); ++d) {
            const scheduling::SpreadDomains::Domain& zone = spread->domains[d];
            zones.push_back({.count = zone.count + more[zone.value]});
            if (!open[d]) zones.back().most = 0;
        }
        const std::vector<int> shares = scheduling::water_fill(zones, static_cast<int>(pods.count));
        for (std::uint32_t d = 0; d < shares.size(); ++d) {
            placement.allow(s, d, shares[d]);
            more[spread->domains[d].value] += shares[d];
        }
        given[s] = true;
    }
    return given;
}

}  // namespace capstan::engine::pass_context
