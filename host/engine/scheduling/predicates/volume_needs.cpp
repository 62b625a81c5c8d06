#include "engine/scheduling/predicates/volume_needs.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <capstan/sentence.hpp>

#include "engine/scheduling/predicates/claim_conditions.hpp"

namespace capstan::engine {
namespace {

template <class Objects>
auto find_in(const Objects& objects, std::string_view key) {
    const auto at = objects.find(key);
    return at != objects.end() ? &at->second : nullptr;
}

std::string claim_key(const Cluster& cluster, const ClassRow& row, Symbol claim) {
    return std::string(cluster.text(row.ns)) + "/" + std::string(cluster.text(claim));
}

bool is_exclusive(const ClaimObject& claim) {
    return std::find(claim.access_modes.begin(), claim.access_modes.end(), "ReadWriteOncePod") !=
           claim.access_modes.end();
}

const StorageClassObject* find_waiting_class(const ClaimObject& claim,
                                             const ClusterObjects& objects) {
    const StorageClassObject* found = find_in(objects.storage_classes, claim.storage_class);
    return found && found->waits_for_consumer ? found : nullptr;
}

/// A volume that is not there yet is the driver's that will make it, under the claim's name.
void attach(VolumesByDriver& attached, const ClusterObjects& objects, const std::string& key,
            const ClaimObject& claim) {
    if (const VolumeObject* volume = find_in(objects.volumes, claim.volume)) {
        if (!volume->driver.empty()) attached[volume->driver].insert(volume->handle);
        return;
    }
    const StorageClassObject* of = find_in(objects.storage_classes, claim.storage_class);
    if (of && !of->provisioner.empty()) attached[of->provisioner].insert("claim " + key);
}

void refuse(VolumeNeeds& needs, std::string sentence) {
    if (!needs.refusal) needs.refusal = Refusal{Predicate::volume_binding, std::move(sentence)};
}

void add_conditions(std::vector<VolumeCondition>& all, std::vector<VolumeCondition> more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
}

void add_claim(VolumeNeeds& needs, const ClusterObjects& objects, const ClaimObject& claim) {
    if (!claim.volume.empty()) {
        if (const VolumeObject* volume = find_in(objects.volumes, claim.volume)) {
            add_conditions(needs.conditions, conditions_of(*volume));
        } else {
            refuse(needs,
                   "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s): "
                   "claim " +
                       in_quotes(claim.name) + " to " + in_quotes(claim.volume));
        }
    } else if (const StorageClassObject* of = find_waiting_class(claim, objects)) {
        add_conditions(needs.conditions, conditions_of(claim, *of, objects));
    }
}

/// As the predicates are asked.
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
void refuse_beforehand(VolumeNeeds& needs, const Cluster& cluster, const ClassRow& row) {
    std::string immediate;
    for (const Symbol symbol : row.claims) {
        const std::string name = in_quotes(cluster.text(symbol));
        const auto* claim = find_in(cluster.objects().claims, claim_key(cluster, row, symbol));
        if (!claim) return refuse(needs, "persistentvolumeclaim " + name + " not found");
        if (claim->volume.empty() && !find_waiting_class(*claim, cluster.objects())) {
            immediate += (immediate.empty() ? ": " : ", ") + name;
        }
    }
    if (!immediate.empty()) {
        refuse(needs, "pod has unbound immediate PersistentVolumeClaims" + immediate);
    }
}

}  // namespace

VolumeNeeds find_volume_needs(const Cluster& cluster, ClassId equivalence_group) {
    const ClassRow& row = cluster.equivalence_group(equivalence_group);
    VolumeNeeds needs;
    refuse_beforehand(needs, cluster, row);
    for (const Symbol symbol : row.claims) {
        const std::string key = claim_key(cluster, row, symbol);
        needs.claims.insert(key);
        const ClaimObject* claim = find_in(cluster.objects().claims, key);
        if (!claim) continue;
        if (is_exclusive(*claim)) needs.exclusive.insert(key);
        attach(needs.attached, cluster.objects(), key, *claim);
        add_claim(needs, cluster.objects(), *claim);
    }
    needs.conditions = binding_first(std::move(needs.conditions));
    return needs;
}

std::set<std::string> claims_in_use(const Cluster& cluster) {
    std::set<std::string> out;
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        for (const PodIndex pod : cluster.pods_on(node)) {
            const ClassRow& row = cluster.equivalence_group(cluster.class_of(pod));
            for (const Symbol claim : row.claims) out.insert(claim_key(cluster, row, claim));
        }
    }
    return out;
}

VolumesByDriver volumes_attached(const Cluster& cluster, NodeIndex node) {
    VolumesByDriver out;
    for (const PodIndex pod : cluster.pods_on(node)) {
        const ClassRow& row = cluster.equivalence_group(cluster.class_of(pod));
        for (const Symbol symbol : row.claims) {
            const std::string key = claim_key(cluster, row, symbol);
            const ClaimObject* claim = find_in(cluster.objects().claims, key);
            if (claim) attach(out, cluster.objects(), key, *claim);
        }
    }
    return out;
}

std::map<std::string, std::optional<int>> attach_limits(const Cluster& cluster, NodeIndex node) {
    const std::string_view name = cluster.text(cluster.node(node).name);
    const CsiNodeObject* csi = find_in(cluster.objects().csi_nodes, name);
    return csi ? csi->limits : std::map<std::string, std::optional<int>>{};
}

}  // namespace capstan::engine
