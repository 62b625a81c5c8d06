// An unbound claim goes where a volume is free, or where one can be made.
#include <algorithm>
#include <string_view>

#include <capstan/quantity.hpp>
#include <capstan/sentence.hpp>

#include "engine/scheduling/predicates/claim_conditions.hpp"

namespace capstan::engine {
namespace {

constexpr std::string_view no_provisioner = "kubernetes.io/no-provisioner";

struct Places {
    bool everywhere = false;
    std::vector<NodeSelectorTerm> terms{};

    /// No term: everywhere, as node affinity and allowed topologies have it.
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

bool is_for(const VolumeObject& volume, const ClaimObject& claim) {
    return volume.claim_name == claim.name && volume.claim_ns == claim.ns;
}

bool is_free_for(const VolumeObject& volume, const ClaimObject& claim) {
    const std::vector<std::string>& has = volume.access_modes;
    return volume.claim_name.empty() && matches(claim.selector, volume.labels) &&
           std::all_of(claim.access_modes.begin(), claim.access_modes.end(),
                       [&](const std::string& mode) {
                           return std::find(has.begin(), has.end(), mode) != has.end();
                       });
}

/// Where a volume of the class, size and mode is free. One set aside for the claim goes before all
/// others, wherever it is and whatever the claim selects.
Places with_free_volume(const ClaimObject& claim, const ClusterObjects& objects) {
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

/// Where the driver says that it has room for the claim.
Places with_storage(const ClaimObject& claim, const StorageClassObject& of,
                    const ClusterObjects& objects) {
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

std::vector<VolumeCondition> conditions_of(const ClaimObject& claim, const StorageClassObject& of,
                                           const ClusterObjects& objects) {
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
                unbindable + about + " waits for node " + in_quotes(claim.selected_node));
    }
    if (of.provisioner.empty() || of.provisioner == no_provisioner) {
        require(out, free, unbindable + about + ", which provisions none");
        return out;
    }
    Places allowed;
    allowed.add(of.allowed_topologies);
    require(out, free | allowed, unbindable + about + " is provisioned in its topologies only");
    require(out, free | with_storage(claim, of, objects),
            "node(s) did not have enough free storage" + about + " needs " +
                format_amount("memory", claim.requested_bytes));
    return out;
}

}  // namespace capstan::engine
