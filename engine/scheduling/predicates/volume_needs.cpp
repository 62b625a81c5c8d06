#include "engine/scheduling/predicates/volume_needs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/quantity.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "engine/scheduling/predicates/selector_text.hpp"

namespace capstan::engine::scheduling {
namespace {

template <class Objects>
auto find_in(const Objects& objects, std::string_view key) {
    const auto at = objects.find(key);
    return at != objects.end() ? &at->second : nullptr;
}

std::string claim_key(const snapshot::Cluster& cluster, const snapshot::PodGroupRow& row,
                      snapshot::Symbol claim) {
    return std::string(cluster.text(row.ns)) + "/" + std::string(cluster.text(claim));
}

bool is_exclusive(const snapshot::ClaimObject& claim) {
    return std::find(claim.access_modes.begin(), claim.access_modes.end(), "ReadWriteOncePod") !=
           claim.access_modes.end();
}

const snapshot::StorageClassObject* find_waiting_class(const snapshot::ClaimObject& claim,
                                                       const snapshot::ClusterObjects& objects) {
    const snapshot::StorageClassObject* found =
        find_in(objects.storage_classes, claim.storage_class);
    return found && found->waits_for_consumer ? found : nullptr;
}

/// A volume that does not exist yet counts for the driver that will provision it, under the claim's
/// name.
void attach(VolumeNeeds& needs, const snapshot::ClusterObjects& objects, const std::string& key,
            const snapshot::ClaimObject& claim) {
    if (const snapshot::VolumeObject* volume = find_in(objects.volumes, claim.volume)) {
        VolumesByDriver& volumes = volume->in_tree ? needs.in_tree : needs.attached;
        if (!volume->driver.empty()) volumes[volume->driver].insert(volume->handle);
        return;
    }
    const snapshot::StorageClassObject* of = find_in(objects.storage_classes, claim.storage_class);
    if (!of) return;
    if (!of->migrated_to.empty())
        needs.in_tree[of->migrated_to].insert("claim " + key);
    else if (!of->provisioner.empty())
        needs.attached[of->provisioner].insert("claim " + key);
}

void refuse(VolumeNeeds& needs, std::string sentence) {
    if (!needs.refusal) needs.refusal = Refusal{Predicate::volume_binding, std::move(sentence)};
}

void add_conditions(std::vector<VolumeCondition>& all, std::vector<VolumeCondition> more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
}

void add_claim(VolumeNeeds& needs, const snapshot::ClusterObjects& objects,
               const snapshot::ClaimObject& claim) {
    if (!claim.volume.empty()) {
        if (const snapshot::VolumeObject* volume = find_in(objects.volumes, claim.volume)) {
            add_conditions(needs.conditions, conditions_of(*volume));
        } else {
            refuse(needs,
                   "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s): "
                   "claim " +
                       in_quotes(claim.name) + " to " + in_quotes(claim.volume));
        }
    } else if (const snapshot::StorageClassObject* of = find_waiting_class(claim, objects)) {
        add_conditions(needs.conditions, conditions_of(claim, *of, objects));
    }
}

/// Conditions of VolumeBinding before those of VolumeZone, as the scheduler evaluates them.
std::vector<VolumeCondition> binding_first(std::vector<VolumeCondition> conditions) {
    std::vector<VolumeCondition> out;
    for (const Predicate asked : {Predicate::volume_binding, Predicate::volume_zone}) {
        for (VolumeCondition& condition : conditions) {
            if (condition.predicate == asked) out.push_back(std::move(condition));
        }
    }
    return out;
}

/// What the scheduler refuses before it looks at any node.
void refuse_beforehand(VolumeNeeds& needs, const snapshot::Cluster& cluster,
                       const snapshot::PodGroupRow& row) {
    std::string immediate;
    for (const snapshot::Symbol symbol : row.claims) {
        const std::string name = in_quotes(cluster.text(symbol));
        const auto* claim = find_in(cluster.objects().claims, claim_key(cluster, row, symbol));
        if (!claim) return refuse(needs, "persistentvolumeclaim " + name + " not found");
        if (claim->volume.empty() && !find_waiting_class(*claim, cluster.objects())) {
            immediate += (immediate.empty() ? ": " : ", ") + name;
            if (!claim->storage_class.empty() &&
                !find_in(cluster.objects().storage_classes, claim->storage_class))
                immediate += " (StorageClass " + in_quotes(claim->storage_class) + " not found)";
        }
    }
    if (!immediate.empty()) {
        refuse(needs, "pod has unbound immediate PersistentVolumeClaims" + immediate);
    }
}

}  // namespace

VolumeNeeds find_volume_needs(const snapshot::Cluster& cluster, PodGroupId equivalence_group) {
    const snapshot::PodGroupRow& row = cluster.equivalence_group(equivalence_group);
    VolumeNeeds needs;
    refuse_beforehand(needs, cluster, row);
    for (const snapshot::Symbol symbol : row.claims) {
        const std::string key = claim_key(cluster, row, symbol);
        needs.claims.insert(key);
        const snapshot::ClaimObject* claim = find_in(cluster.objects().claims, key);
        if (!claim) continue;
        if (is_exclusive(*claim)) needs.exclusive.insert(key);
        attach(needs, cluster.objects(), key, *claim);
        add_claim(needs, cluster.objects(), *claim);
    }
    for (const snapshot::InTreeVolume& volume : row.spec->in_tree_volumes)
        needs.in_tree[volume.driver].insert(volume.handle);
    needs.conditions = binding_first(std::move(needs.conditions));
    return needs;
}

bool has_volumes(const snapshot::PodGroupRow& row) noexcept {
    return !row.claims.empty() || !row.spec->in_tree_volumes.empty();
}

const snapshot::CsiNodeObject* find_csi_node(const snapshot::Cluster& cluster, NodeIndex node) {
    return find_in(cluster.objects().csi_nodes, cluster.text(cluster.node(node).name));
}

// Conditions of a bound claim: the node has to reach the volume.

namespace {

struct TopologyLabel {
    std::string_view key, successor;  // both the same, but for the beta labels
};
constexpr std::array<TopologyLabel, 4> topology_labels{{
    {well_known::beta_zone_label, well_known::zone_label},
    {well_known::beta_region_label, well_known::region_label},
    {well_known::zone_label, well_known::zone_label},
    {well_known::region_label, well_known::region_label},
}};

/// "a__b" is a and b; absent: one of them is empty, and the label is ignored.
std::optional<std::vector<std::string>> find_zones(std::string_view joined) {
    std::vector<std::string> out;
    while (true) {
        const std::size_t end = joined.find("__");
        if (joined.substr(0, end).empty()) return std::nullopt;
        out.emplace_back(joined.substr(0, end));
        if (end == std::string_view::npos) return out;
        joined.remove_prefix(end + 2);
    }
}

NodeSelectorTerm without_topology() {
    NodeSelectorTerm term;
    for (const TopologyLabel& label : topology_labels) {
        term.labels.push_back({std::string(label.key), Operator::does_not_exist, {}});
    }
    return term;
}

VolumeCondition zone_condition(const snapshot::VolumeObject& volume, const TopologyLabel& label,
                               const std::vector<std::string>& zones) {
    const Requirement in_zone{std::string(label.key), Operator::in, zones};
    VolumeCondition out{.predicate = Predicate::volume_zone,
                        .sentence = "node(s) had no available volume zone: volume " +
                                    in_quotes(volume.name) + " wants " + describe(in_zone)};
    out.any_of = {without_topology(), {.labels = {in_zone}}};
    if (label.key != label.successor) {
        out.any_of.push_back({.labels = {{in_zone.key, Operator::does_not_exist, {}},
                                         {std::string(label.successor), Operator::in, zones}}});
    }
    return out;
}

}  // namespace

std::vector<VolumeCondition> conditions_of(const snapshot::VolumeObject& volume) {
    std::vector<VolumeCondition> out;
    if (!volume.node_affinity.empty()) {
        out.push_back({Predicate::volume_binding, volume.node_affinity,
                       "node(s) didn't match PersistentVolume's node affinity: volume " +
                           in_quotes(volume.name) + " wants " + describe(volume.node_affinity)});
    }
    for (const TopologyLabel& label : topology_labels) {
        const auto at = volume.labels.find(label.key);
        if (at == volume.labels.end()) continue;
        if (const auto zones = find_zones(at->second)) {
            out.push_back(zone_condition(volume, label, *zones));
        }
    }
    return out;
}

// Conditions of an unbound claim: a volume is free there, or can be provisioned there.

namespace {

/// Nodes that match one of the terms, or all nodes.
struct Places {
    bool everywhere = false;
    std::vector<NodeSelectorTerm> terms{};

    /// An empty list stands for all nodes, as in node affinity and allowedTopologies.
    void add(const std::vector<NodeSelectorTerm>& more) {
        everywhere |= more.empty();
        terms.insert(terms.end(), more.begin(), more.end());
    }
};

Places operator|(Places a, const Places& b) {
    a.everywhere |= b.everywhere;
    a.terms.insert(a.terms.end(), b.terms.begin(), b.terms.end());
    return a;
}

bool is_for(const snapshot::VolumeObject& volume, const snapshot::ClaimObject& claim) {
    return volume.claim_name == claim.name && volume.claim_ns == claim.ns;
}

bool is_free_for(const snapshot::VolumeObject& volume, const snapshot::ClaimObject& claim) {
    const std::vector<std::string>& has = volume.access_modes;
    return volume.claim_name.empty() && matches(claim.selector, volume.labels) &&
           std::all_of(claim.access_modes.begin(), claim.access_modes.end(),
                       [&](const std::string& mode) {
                           return std::find(has.begin(), has.end(), mode) != has.end();
                       });
}

/// Where a free volume has the claim's storage class, size and mode. If the claimRef of a
/// volume names the claim, only this volume counts, wherever it is and whatever the claim selects.
Places with_free_volume(const snapshot::ClaimObject& claim,
                        const snapshot::ClusterObjects& objects) {
    Places free;
    for (const auto& [name, volume] : objects.volumes) {
        if (volume.storage_class != claim.storage_class || volume.block != claim.block) continue;
        if (volume.capacity_bytes < claim.requested_bytes) continue;
        if (is_for(volume, claim)) {
            Places reserved;
            reserved.add(volume.node_affinity);
            return reserved;
        }
        if (is_free_for(volume, claim)) free.add(volume.node_affinity);
    }
    return free;
}

/// A label selector as a term; a selector for every node has no requirement.
NodeSelectorTerm to_term(const LabelSelector& selector) {
    NodeSelectorTerm term{.labels = selector.match_expressions};
    for (const auto& [key, value] : selector.match_labels) {
        term.labels.push_back({key, Operator::in, {value}});
    }
    return term;
}

/// Where the driver's CSIStorageCapacity objects have room for the claim.
Places with_storage(const snapshot::ClaimObject& claim, const snapshot::StorageClassObject& of,
                    const snapshot::ClusterObjects& objects) {
    const auto driver = objects.csi_drivers.find(of.provisioner);
    if (driver == objects.csi_drivers.end() || !driver->second.storage_capacity ||
        claim.requested_bytes == 0) {
        return {.everywhere = true};
    }
    Places out;
    for (const auto& [name, capacity] : objects.csi_capacities) {
        if (capacity.storage_class != of.name || !capacity.topology ||
            capacity.capacity_bytes < claim.requested_bytes) {
            continue;
        }
        NodeSelectorTerm term = to_term(*capacity.topology);
        out.everywhere |= term.labels.empty();
        out.terms.push_back(std::move(term));
    }
    return out;
}

void require(std::vector<VolumeCondition>& conditions, Places places, std::string sentence) {
    if (places.everywhere) return;
    conditions.push_back({Predicate::volume_binding, std::move(places.terms), std::move(sentence)});
}

}  // namespace

std::vector<VolumeCondition> conditions_of(const snapshot::ClaimObject& claim,
                                           const snapshot::StorageClassObject& of,
                                           const snapshot::ClusterObjects& objects) {
    const std::string about =
        ": claim " + in_quotes(claim.name) + " of class " + in_quotes(of.name);
    const std::string unbindable = "node(s) didn't find available persistent volumes to bind";
    std::vector<VolumeCondition> out;
    Places free;
    if (claim.selected_node.empty()) {
        free = with_free_volume(claim, objects);
    } else {
        Places selected;
        selected.terms.push_back(
            {.fields = {{"metadata.name", Operator::in, {claim.selected_node}}}});
        require(out, selected,
                unbindable + about + " is waiting for node " + in_quotes(claim.selected_node));
    }
    if (of.provisioner.empty() || of.provisioner == well_known::no_provisioner) {
        require(out, free, unbindable + about + ", which has no provisioner");
        return out;
    }
    Places allowed;
    allowed.add(of.allowed_topologies);
    require(out, free | allowed,
            unbindable + about + " is provisioned only in the topologies of its class");
    require(out, free | with_storage(claim, of, objects),
            "node(s) did not have enough free storage" + about + " needs " +
                format_amount("memory", claim.requested_bytes));
    return out;
}

}  // namespace capstan::engine::scheduling
