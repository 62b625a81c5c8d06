#include "autoscaler/questions/workload_names.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include <capstan/sentence.hpp>

#include "config/text.hpp"

namespace capstan::autoscaler::questions {

std::vector<std::string> names_beginning_with(const std::string& start,
                                              const std::vector<std::string>& names) {
    const auto first = std::ranges::lower_bound(names, start);
    const auto last = std::find_if(first, names.end(),
                                   [&](const auto& name) { return !name.starts_with(start); });
    return {first, last};
}

namespace {

std::string named(const std::vector<std::string>& names) {
    return listed(names, std::identity(), 8);
}

}  // namespace

Result<std::string> search_name(std::string_view typed, const std::vector<std::string>& names,
                                std::string_view unknown) {
    std::string name(typed);
    if (std::ranges::binary_search(names, name)) return name;
    for (const std::string& start : {name + ".", name}) {
        const std::vector<std::string> found = names_beginning_with(start, names);
        if (found.size() == 1) return found.front();
        if (found.size() > 1)
            return fail(ErrorCode::not_found,
                        std::string(unknown) + "; several match: " + named(found));
    }
    const std::string meant = config::suggestion(typed, names);
    if (!meant.empty()) return fail(ErrorCode::not_found, std::string(unknown) + meant);
    return fail(
        ErrorCode::not_found,
        std::string(unknown) + (names.empty() ? "; known: none" : "; known: " + named(names)));
}

namespace {

/// The name of the workload of that kind that the owner belongs to; empty: the owner is of another
/// kind.
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
    for (engine::PodGroupId id = 0; id < cluster.pod_group_count(); ++id) {
        const engine::snapshot::PodGroupRow& pods = cluster.equivalence_group(id);
        const std::string_view name = workload_name(*pods.owner, kind);
        if (!name.empty() && cluster.text(pods.ns) == ns) out.emplace(name);
    }
    for (const auto& [key, object] : cluster.objects().controllers) {
        const engine::snapshot::PodOwner as_owner{.kind = object.kind, .name = object.name};
        const std::string_view name = workload_name(as_owner, kind);
        if (!name.empty() && object.ns == ns) out.emplace(name);
    }
    return {out.begin(), out.end()};
}

}  // namespace capstan::autoscaler::questions
