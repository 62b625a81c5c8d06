#include "simulation/workload.hpp"

#include <set>

namespace capstan::simulation {
namespace {

/// Empty: the owner is of another kind.
std::string_view workload_name(const engine::snapshot::PodOwner& owner, std::string_view kind) {
    const std::string_view name = owner.name;
    if (owner.kind == kind) return name;
    const std::size_t hash = name.rfind('-');
    const bool is_deployments = kind == "Deployment" && owner.kind == "ReplicaSet";
    return is_deployments && hash != std::string_view::npos ? name.substr(0, hash)
                                                            : std::string_view();
}

}  // namespace

bool is_of_workload(const engine::snapshot::PodOwner& owner, std::string_view kind,
                    std::string_view name) {
    return !name.empty() && workload_name(owner, kind) == name;
}

std::vector<std::string> workloads(const engine::snapshot::Cluster& cluster, std::string_view kind,
                                   std::string_view ns) {
    std::set<std::string> out;
    for (engine::snapshot::PodGroupId id = 0; id < cluster.pod_group_count(); ++id) {
        const engine::snapshot::PodGroupRow& pods = cluster.equivalence_group(id);
        const std::string_view name = workload_name(*pods.owner, kind);
        if (!name.empty() && cluster.text(pods.ns) == ns) out.emplace(name);
    }
    return {out.begin(), out.end()};
}

}  // namespace capstan::simulation
