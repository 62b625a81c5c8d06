#include "engine/scheduling/predicate_data.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include <capstan/assert.hpp>

#include "engine/scheduling/placement_state.hpp"
#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine::scheduling {
namespace {

/// What the bound pods of absent equivalence groups request, a row per node.
std::vector<std::int64_t> sum_absent_requests(const snapshot::Cluster& cluster,
                                              const std::vector<bool>& absent) {
    if (std::ranges::find(absent, true) == absent.end()) return {};
    const std::size_t resources = cluster.resource_count();
    std::vector<std::int64_t> out(cluster.node_count() * resources, 0);
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        for (const PodIndex pod : cluster.pods_on(node)) {
            const PodGroupId id = cluster.equivalence_group_of(pod);
            if (!absent[id]) continue;
            for (const snapshot::Request& request : cluster.equivalence_group(id).requests)
                out[node * resources + request.resource] += request.amount;
            ++out[node * resources + snapshot::pods_index];
        }
    }
    return out;
}

/// What a new node has free of the columns' resources, a row per template node.
std::vector<std::int64_t> free_rows(const snapshot::Cluster& cluster,
                                    const std::vector<TemplateNode>& template_nodes,
                                    std::span<const ResourceIndex> columns) {
    std::vector<std::int64_t> rows;
    rows.reserve(template_nodes.size() * columns.size());
    for (const TemplateNode& template_node : template_nodes) {
        for (const ResourceIndex resource : columns)
            rows.push_back(free_on(cluster, template_node, resource));
    }
    return rows;
}

/// The sizes that bin packing compares besides what is free.
std::array<std::int64_t, 2> sizes_of(const TemplateNode& template_node) {
    return {template_node.allocatable.amount("cpu"), template_node.allocatable.amount("memory")};
}

bool is_same_except_capacity(const CompiledPredicates::PredicateData& predicates, TemplateNodeId a,
                             TemplateNodeId b) {
    const TemplateNode& one = predicates.template_nodes[a];
    const TemplateNode& other = predicates.template_nodes[b];
    return predicates.profiles.of_template_node(a) == predicates.profiles.of_template_node(b) &&
           one.daemons == other.daemons && one.csi_limits == other.csi_limits &&
           one.csi_migrated == other.csi_migrated;
}

bool is_equivalent(const CompiledPredicates::PredicateData& predicates, TemplateNodeId a,
                   TemplateNodeId b) {
    return is_same_except_capacity(predicates, a, b) &&
           std::ranges::equal(predicates.template_node_row(a), predicates.template_node_row(b)) &&
           sizes_of(predicates.template_nodes[a]) == sizes_of(predicates.template_nodes[b]);
}

std::vector<TemplateNodeId> find_same_except_capacity(
    const CompiledPredicates::PredicateData& predicates) {
    std::vector<TemplateNodeId> same_except_capacity;
    std::map<ProfileId, std::vector<TemplateNodeId>>
        lowest;  // of each set of the same template nodes
    for (TemplateNodeId template_node = 0; template_node < predicates.template_nodes.size();
         ++template_node) {
        std::vector<TemplateNodeId>& candidates =
            lowest[predicates.profiles.of_template_node(template_node)];
        const auto found = std::ranges::find_if(candidates, [&](TemplateNodeId other) {
            return is_same_except_capacity(predicates, template_node, other);
        });
        same_except_capacity.push_back(
            found == candidates.end() ? candidates.emplace_back(template_node) : *found);
    }
    return same_except_capacity;
}

std::vector<TemplateNodeId> find_equivalent_template_nodes(
    const CompiledPredicates::PredicateData& predicates) {
    std::vector<TemplateNodeId> equivalent;
    equivalent.reserve(predicates.template_nodes.size());
    snapshot::HashIndex lowest;
    for (TemplateNodeId template_node = 0; template_node < predicates.template_nodes.size();
         ++template_node) {
        snapshot::FastHash hash;
        hash.add(std::uint64_t{predicates.profiles.of_template_node(template_node)});
        for (const std::int64_t free : predicates.template_node_row(template_node))
            hash.add(static_cast<std::uint64_t>(free));
        const auto same = [&](std::uint32_t other) {
            return is_equivalent(predicates, template_node, other);
        };
        const auto found = lowest.find(hash.value(), same);
        if (!found) lowest.insert(hash.value(), template_node);
        equivalent.push_back(found.value_or(template_node));
    }
    return equivalent;
}

std::map<std::pair<NodeIndex, ResourceIndex>, std::int64_t> promised_amounts(
    const snapshot::Cluster& cluster, std::span<const NodePromise> promises) {
    std::map<std::pair<NodeIndex, ResourceIndex>, std::int64_t> out;
    for (const NodePromise& promise : promises)
        for (const auto& [resource, amount] : promise.allocatable)
            if (const auto index = cluster.find_resource(resource))
                out.emplace(std::pair(promise.node, *index), amount);
    return out;
}

}  // namespace

CompiledPredicates::PredicateData::PredicateData(snapshot::Cluster the_cluster,
                                                 std::vector<PodGroupId> the_pod_groups,
                                                 std::vector<TemplateNode> the_template_nodes,
                                                 std::vector<bool> the_absent,
                                                 std::span<const NodePromise> promises,
                                                 std::span<const RefusedShape> refused)
    : cluster(std::move(the_cluster)),
      pod_groups(std::move(the_pod_groups)),
      template_nodes(std::move(the_template_nodes)),
      absent(std::move(the_absent)),
      absent_requests(sum_absent_requests(cluster, absent)),
      promised(promised_amounts(cluster, promises)),
      requests(cluster, pod_groups),
      bound_counts(pods.counters, pods.topologies) {
    std::map<PodGroupId, VolumeNeeds> volumes;
    demand_of.reserve(pod_groups.size());
    std::map<PodGroupIndex, std::map<TemplateNodeId, Refusal>> refused_by;
    for (const RefusedShape& pods : refused)
        refused_by[pods.pod_group].emplace(pods.template_node, pods.refusal);
    for (const PodGroupId pod_group : pod_groups) {
        const snapshot::PodGroupRow& row = cluster.equivalence_group(pod_group);
        leaves_absent.push_back(row.spec->never_preempts && !absent_requests.empty());
        NodeDemand demand{.spec = row.spec};
        if (auto at = refused_by.find(static_cast<PodGroupIndex>(demand_of.size()));
            at != refused_by.end())
            demand.refused = std::move(at->second);
        if (has_volumes(row)) {
            demand.volumes = find_volume_needs(cluster, pod_group);
            volumes.emplace(pod_group, demand.volumes);
        }
        demand_of.push_back(demands.add(std::move(demand)));
    }
    const auto others = find_others(cluster, pod_groups, template_nodes, absent);
    PodTerms terms(cluster, pod_groups, others);
    NodeReading reading;
    demands.read_by(reading);
    terms.read_by(cluster, pod_groups, reading);
    profiles = NodeProfiles(cluster, template_nodes, reading, promises);
    demands.set_profiles(profiles);
    pods = InterPodIndex(std::move(terms), {.cluster = cluster,
                                            .pod_groups = pod_groups,
                                            .others = others,
                                            .template_nodes = template_nodes,
                                            .profiles = profiles,
                                            .volumes = volumes});
    pods.absent = absent;
    bound_counts = count_bound_on_all_nodes(cluster, pods, profiles);
    template_node_rows = free_rows(cluster, template_nodes, requests.columns());
    equivalent = find_equivalent_template_nodes(*this);
    same_except_capacity = find_same_except_capacity(*this);
}

namespace {

/// By pod group, the lowest equivalent one of those for which `takes_part` is true. The other pod
/// groups are equivalent to themselves alone.
template <class TakesPart>
std::vector<PodGroupIndex> lowest_equivalent(const CompiledPredicates& predicates,
                                             TakesPart takes_part) {
    const CompiledPredicates::PredicateData& data = predicates.data();
    const auto before = [&](PodGroupIndex a, PodGroupIndex b) {
        if (data.demand_of[a] != data.demand_of[b]) return data.demand_of[a] < data.demand_of[b];
        if (data.leaves_absent[a] != data.leaves_absent[b]) return bool(data.leaves_absent[b]);
        const auto as_pair = [](const snapshot::Request& r) {
            return std::pair(r.resource, r.amount);
        };
        const auto of_a = predicates.requests(a), of_b = predicates.requests(b);
        return std::ranges::lexicographical_compare(of_a, of_b, {}, as_pair, as_pair);
    };
    std::vector<PodGroupIndex> lowest(predicates.pod_groups().size());
    std::iota(lowest.begin(), lowest.end(), 0u);
    std::vector<PodGroupIndex> sorted;
    std::ranges::copy_if(lowest, std::back_inserter(sorted), takes_part);
    std::ranges::sort(sorted, [&](PodGroupIndex a, PodGroupIndex b) {
        if (before(a, b) || before(b, a)) return before(a, b);
        return a < b;
    });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (!before(sorted[i - 1], sorted[i])) lowest[sorted[i]] = lowest[sorted[i - 1]];
    }
    return lowest;
}

}  // namespace

std::vector<PodGroupIndex> find_equivalent(const CompiledPredicates& predicates) {
    return lowest_equivalent(predicates, [](PodGroupIndex) { return true; });
}

std::vector<PodGroupIndex> find_equivalent_pods(const CompiledPredicates& predicates) {
    return lowest_equivalent(
        predicates, [&](PodGroupIndex p) { return !predicates.has_inter_pod_constraints(p); });
}

bool passes_node_predicates(const CompiledPredicates& predicates, PodGroupIndex pod_group,
                            NodeIndex node) {
    const CompiledPredicates::PredicateData& data = predicates.data();
    const ProfileId profile = data.profiles.of_node(node);
    return data.demands.verdict(data.demand_of[pod_group], profile) == Predicate::none;
}

bool is_only_spread(const CompiledPredicates& predicates, PodGroupIndex pod_group) noexcept {
    const PodRules* own = predicates.data().pods.find(pod_group);
    if (own == nullptr || !own->wide || own->spread.size() != 1) return false;
    return own->ports.empty() && own->claims.empty() && own->anti_affinity.empty() &&
           own->affinity.counters.empty() && own->attach.empty();
}

RequestTable::RequestTable(const snapshot::Cluster& cluster,
                           std::span<const PodGroupId> pod_groups) {
    std::vector<bool> asked(cluster.resource_count());
    asked[snapshot::pods_index] = true;
    first_.reserve(pod_groups.size() + 1);
    for (const PodGroupId pod_group : pod_groups) {
        first_.push_back(static_cast<std::uint32_t>(requests_.size()));
        const auto own = cluster.equivalence_group(pod_group).requests;
        const auto rest =
            std::find_if(own.begin(), own.end(), [](const snapshot::Request& request) {
                return request.resource > snapshot::pods_index;
            });
        requests_.insert(requests_.end(), own.begin(), rest);
        requests_.push_back({snapshot::pods_index, 1});
        requests_.insert(requests_.end(), rest, own.end());
        for (const snapshot::Request& request : own) asked[request.resource] = true;
    }
    first_.push_back(static_cast<std::uint32_t>(requests_.size()));

    column_of_.resize(asked.size());
    for (ResourceIndex resource = 0; resource < asked.size(); ++resource) {
        if (!asked[resource]) continue;
        column_of_[resource] = static_cast<std::uint32_t>(columns_.size());
        columns_.push_back(resource);
    }
    needs_.reserve(requests_.size());
    for (const snapshot::Request& request : requests_) {
        const std::optional<std::uint32_t>& column = column_of_[request.resource];
        CAPSTAN_ASSERT(column, "a requested resource has no column");
        needs_.push_back({*column, request.amount});
    }
}

std::optional<std::uint32_t> RequestTable::find_column(ResourceIndex resource) const noexcept {
    return resource < column_of_.size() ? column_of_[resource] : std::nullopt;
}

std::int64_t free_on(const snapshot::Cluster& cluster, const TemplateNode& template_node,
                     ResourceIndex resource) {
    std::int64_t free = template_node.allocatable.amount(cluster.resource_name(resource));
    for (const PodGroupId daemon : template_node.daemons) {
        if (resource == snapshot::pods_index) --free;
        for (const snapshot::Request& request : cluster.equivalence_group(daemon).requests) {
            if (request.resource == resource) free -= request.amount;
        }
    }
    return free;
}

}  // namespace capstan::engine::scheduling
