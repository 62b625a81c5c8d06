// Predicates about the claims of a pod.
#include <algorithm>
#include <set>

#include "naive/naive_predicates.hpp"

namespace capstan::engine::scheduling::naive {
namespace {

template <class Objects>
const typename Objects::mapped_type* find_object(const Objects& objects, const std::string& name) {
    const auto at = objects.find(name);
    return at != objects.end() ? &at->second : nullptr;
}

/// The existing claims of a pod.
std::vector<const snapshot::ClaimObject*> claims_of(const NaiveCluster& naive_cluster,
                                                    const Pod& pod) {
    std::vector<const snapshot::ClaimObject*> out;
    for (const std::string& name : pod.claims) {
        if (const auto* claim = find_object(naive_cluster.objects.claims, pod.ns + "/" + name)) {
            out.push_back(claim);
        }
    }
    return out;
}

bool has_mode(const std::vector<std::string>& modes, const std::string& mode) {
    return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

/// Driver and handle of volumes that are attached to a node.
using Attached = std::set<std::pair<std::string, std::string>>;

void attach(Attached& attached, const NaiveCluster& naive_cluster, const Pod& pod,
            const Node& node) {
    const auto attach_in_tree = [&](const std::string& driver, const std::string& handle) {
        if (node.migrated.contains(driver)) attached.emplace(driver, handle);
    };
    for (const snapshot::InTreeVolume& volume : pod.spec.in_tree_volumes)
        attach_in_tree(volume.driver, volume.handle);
    for (const snapshot::ClaimObject* claim : claims_of(naive_cluster, pod)) {
        const std::string unbound = "claim " + claim->ns + "/" + claim->name;
        const auto* volume = find_object(naive_cluster.objects.volumes, claim->volume);
        const auto* of = find_object(naive_cluster.objects.storage_classes, claim->storage_class);
        if (volume && volume->in_tree) {
            attach_in_tree(volume->driver, volume->handle);
        } else if (volume) {
            if (!volume->driver.empty()) attached.emplace(volume->driver, volume->handle);
        } else if (of && !of->migrated_to.empty()) {
            attach_in_tree(of->migrated_to, unbound);
        } else if (of) {
            attached.emplace(of->provisioner, unbound);
        }
    }
}

bool reaches(const std::vector<NodeSelectorTerm>& terms, const Node& node) {
    return terms.empty() || matches_any(terms, node.labels, node.name);
}

bool has_free_volume(const NaiveCluster& naive_cluster, const snapshot::ClaimObject& claim,
                     const Node& node) {
    for (const auto& [name, volume] : naive_cluster.objects.volumes) {
        if (volume.storage_class != claim.storage_class) continue;
        if (volume.capacity_bytes < claim.requested_bytes) continue;
        if (volume.claim_ns == claim.ns && volume.claim_name == claim.name) {
            return reaches(volume.node_affinity, node);
        }
    }
    for (const auto& [name, volume] : naive_cluster.objects.volumes) {
        const bool free = volume.claim_name.empty() && volume.claim_ns.empty();
        const bool suits =
            volume.storage_class == claim.storage_class &&
            volume.capacity_bytes >= claim.requested_bytes &&
            std::all_of(claim.access_modes.begin(), claim.access_modes.end(),
                        [&](const auto& mode) { return has_mode(volume.access_modes, mode); });
        if (free && suits && reaches(volume.node_affinity, node)) return true;
    }
    return false;
}

bool has_storage(const NaiveCluster& naive_cluster, const snapshot::ClaimObject& claim,
                 const snapshot::StorageClassObject& of, const Node& node) {
    const auto* driver = find_object(naive_cluster.objects.csi_drivers, of.provisioner);
    if (!driver || !driver->storage_capacity || claim.requested_bytes == 0) return true;
    for (const auto& [name, capacity] : naive_cluster.objects.csi_capacities) {
        if (capacity.storage_class == of.name && capacity.topology &&
            matches(*capacity.topology, node.labels) &&
            capacity.capacity_bytes >= claim.requested_bytes) {
            return true;
        }
    }
    return false;
}

Verdict unbound(const NaiveCluster& naive_cluster, const snapshot::ClaimObject& claim,
                const snapshot::StorageClassObject& of, const Node& node) {
    if (claim.selected_node.empty()) {
        if (has_free_volume(naive_cluster, claim, node)) return std::nullopt;
    } else if (claim.selected_node != node.name) {
        return "another node is selected for " + claim.name;
    }
    const bool provisions =
        !of.provisioner.empty() && of.provisioner != "kubernetes.io/no-provisioner";
    if (!provisions || !reaches(of.allowed_topologies, node)) return "no volume to bind";
    if (!has_storage(naive_cluster, claim, of, node)) return "not enough free storage";
    return std::nullopt;
}

bool waits(const NaiveCluster& naive_cluster, const snapshot::ClaimObject& claim) {
    const auto* of = find_object(naive_cluster.objects.storage_classes, claim.storage_class);
    return of && of->waits_for_consumer;
}

std::set<std::string> zones_of(std::string label) {
    std::set<std::string> out;
    for (std::size_t end = 0; end != std::string::npos;) {
        end = label.find("__");
        out.insert(label.substr(0, end));
        if (end != std::string::npos) label = label.substr(end + 2);
    }
    return out;
}

}  // namespace

Verdict volume_restrictions(const NaiveCluster& naive_cluster, const Pod& pod) {
    for (const snapshot::ClaimObject* claim : claims_of(naive_cluster, pod)) {
        if (!has_mode(claim->access_modes, "ReadWriteOncePod")) continue;
        for (const Node& node : naive_cluster.nodes) {
            for (const Pod& other : node.pods) {
                if (!node.gone && other.ns == pod.ns && has_mode(other.claims, claim->name)) {
                    return "claim " + claim->name + " is in use by " + other.name;
                }
            }
        }
    }
    return std::nullopt;
}

Verdict node_volume_limits(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node) {
    Attached before, wanted;
    for (const Pod& existing : node.pods) attach(before, naive_cluster, existing, node);
    attach(wanted, naive_cluster, pod, node);
    for (const auto& [driver, limit] : node.attach_limits) {
        const auto of_driver = [&](const auto& volume) { return volume.first == driver; };
        const auto is_new = [&](const auto& volume) {
            return of_driver(volume) && !before.contains(volume);
        };
        const auto more = std::count_if(wanted.begin(), wanted.end(), is_new);
        const auto existing = std::count_if(before.begin(), before.end(), of_driver);
        if (limit && more > 0 && existing + more > *limit) return "too many volumes of " + driver;
    }
    return std::nullopt;
}

Verdict volume_binding(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node) {
    if (claims_of(naive_cluster, pod).size() < pod.claims.size()) return "a claim is missing";
    for (const snapshot::ClaimObject* claim : claims_of(naive_cluster, pod)) {
        if (claim->volume.empty() && !waits(naive_cluster, *claim)) return "unbound and immediate";
        if (!claim->volume.empty() && !find_object(naive_cluster.objects.volumes, claim->volume)) {
            return "bound to a volume that is gone";
        }
    }
    for (const snapshot::ClaimObject* claim : claims_of(naive_cluster, pod)) {
        if (claim->volume.empty()) {
            const auto& of = naive_cluster.objects.storage_classes.at(claim->storage_class);
            if (Verdict no = unbound(naive_cluster, *claim, of, node)) return no;
        } else if (!reaches(naive_cluster.objects.volumes.at(claim->volume).node_affinity, node)) {
            return "volume " + claim->volume + " is elsewhere";
        }
    }
    return std::nullopt;
}

Verdict volume_zone(const NaiveCluster& naive_cluster, const Pod& pod, const Node& node) {
    const std::string beta = "failure-domain.beta.kubernetes.io/", ga = "topology.kubernetes.io/";
    const std::vector<std::string> keys{beta + "zone", beta + "region", ga + "zone", ga + "region"};
    if (std::none_of(keys.begin(), keys.end(),
                     [&](const auto& key) { return find_value(node, key); })) {
        return std::nullopt;
    }
    for (const snapshot::ClaimObject* claim : claims_of(naive_cluster, pod)) {
        const auto* volume = find_object(naive_cluster.objects.volumes, claim->volume);
        for (const std::string& key : keys) {
            if (!volume || !volume->labels.contains(key)) continue;
            const std::set<std::string> zones = zones_of(volume->labels.at(key));
            if (zones.contains("")) continue;
            auto has = find_value(node, key);
            if (!has && key.starts_with(beta)) has = find_value(node, ga + key.substr(beta.size()));
            if (!has || !zones.contains(*has)) return "volume " + volume->name + " is elsewhere";
        }
    }
    return std::nullopt;
}

}  // namespace capstan::engine::scheduling::naive
