/// What pods take of a node or of the cluster besides resources: host ports, ReadWriteOncePod
/// claims, volumes to attach.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/scheduling/inter_pod_index.hpp"

namespace capstan::engine::scheduling {

/// Adds the ports, claims and volumes that pod groups want to an InterPodIndex, and finds out which
/// bound pods take them. Borrows both arguments.
class ExclusiveResources {
public:
    /// Adds everything that any pod group wants.
    ExclusiveResources(InterPodIndex& inter_pod, const InterPodIndexSources& from);

    /// Adds the rules for ports, claims and attached volumes of a pod group to `out`.
    void compile(PodGroupId pod_group, PodRules& out);
    /// Calls `add(what, which)` for everything that a pod of the equivalence group takes and some
    /// pod group wants.
    template <class Add>
    void visit(PodGroupId equivalence_group, Add add) const {
        for (const auto& [what, which] : taken_by(equivalence_group)) add(what, which);
    }
    /// Reads the attach limits of all nodes and template nodes, for the drivers that were added.
    void read_limits();

private:
    using CounterSources = std::vector<std::pair<Counted, std::uint32_t>>;
    CounterSources taken_by(PodGroupId equivalence_group) const;
    CounterSources ports_of(const snapshot::PodSpec& spec) const;
    CounterSources volumes_of(const VolumeNeeds& needs) const;
    std::uint32_t driver(const std::string& name);
    std::uint32_t volume(std::uint32_t driver, const std::string& handle, bool in_tree);
    void enter(const VolumeNeeds& needs);
    void enter(const VolumesByDriver& volumes, bool in_tree);

    InterPodIndex& inter_pod_;
    const InterPodIndexSources& from_;
    std::unordered_map<int, std::vector<std::uint32_t>> ports_by_number_;
    std::map<std::string, std::uint32_t> claims_;
    std::map<std::string, std::uint32_t, std::less<>> drivers_;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> volumes_;
    // Of bound pods and daemons that are not among the pod groups and have volumes.
    std::map<PodGroupId, VolumeNeeds> others_needs_;
};

}  // namespace capstan::engine::scheduling
