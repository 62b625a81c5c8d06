/// What pods take of a node or of the cluster beside resources: host ports, claims that are for one
/// pod alone, volumes to attach.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/scheduling/inter_pod_index.hpp"

namespace capstan::engine::scheduling {

/// Enters into an index what pod groups want of these, and says which pod has it. Borrows both.
class ExclusiveResources {
public:
    /// Enters everything that any pod group wants.
    ExclusiveResources(InterPodIndex& inter_pod, const InterPodIndexSources& from);

    /// The rules of a pod group.
    void compile(snapshot::PodGroupId pod_group, PodRules& out);
    /// Calls `add(what, which)` for everything that a pod of the class has of what pod groups want.
    template <class Add>
    void visit(snapshot::PodGroupId equivalence_group, Add add) const {
        for (const auto& [what, which] : had_by(equivalence_group)) add(what, which);
    }
    /// The attach limits of all nodes and shapes, for the drivers entered.
    void read_limits();

private:
    using Things = std::vector<std::pair<Counted, std::uint32_t>>;
    Things had_by(snapshot::PodGroupId equivalence_group) const;
    Things ports_of(const snapshot::PodSpec& spec) const;
    Things volumes_of(const VolumeNeeds& needs) const;
    std::uint32_t driver(const std::string& name);
    std::uint32_t volume(std::uint32_t driver, const std::string& handle);
    void enter(const VolumesByDriver& volumes);

    InterPodIndex& book_;
    const InterPodIndexSources& from_;
    std::unordered_map<int, std::vector<std::uint32_t>> ports_by_number_;
    std::map<std::string, std::uint32_t> claims_;
    std::map<std::string, std::uint32_t, std::less<>> drivers_;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> volumes_;
    std::map<snapshot::PodGroupId, VolumeNeeds>
        others_needs_;  // of classes that are there, where it matters
};

}  // namespace capstan::engine::scheduling
