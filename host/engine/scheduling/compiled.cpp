#include "engine/scheduling/compiled.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "engine/scheduling/standing.hpp"
#include "engine/snapshot/fast_hash.hpp"
#include "engine/snapshot/hash_index.hpp"

namespace capstan::engine {
namespace {

/// What the pods of absent classes hold, a row per node.
std::vector<std::int64_t> held_by(const Cluster& cluster, const std::vector<bool>& absent) {
    if (std::ranges::find(absent, true) == absent.end()) return {};
    const std::size_t resources = cluster.resource_count();
    std::vector<std::int64_t> out(cluster.node_count() * resources, 0);
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        for (const PodIndex pod : cluster.pods_on(node)) {
            const ClassId id = cluster.class_of(pod);
            if (!absent[id]) continue;
            for (const Request& request : cluster.equivalence_group(id).requests)
                out[node * resources + request.resource] += request.amount;
            ++out[node * resources + pods_index];
        }
    }
    return out;
}

std::vector<std::int64_t> rows_of(const Cluster& cluster, const std::vector<NodeShape>& shapes,
                                  std::span<const ResourceIndex> columns) {
    std::vector<std::int64_t> rows;
    rows.reserve(shapes.size() * columns.size());
    for (const NodeShape& shape : shapes) {
        for (const ResourceIndex resource : columns)
            rows.push_back(free_on(cluster, shape, resource));
    }
    return rows;
}

/// What packing compares, beside what is free.
std::array<std::int64_t, 2> sizes_of(const NodeShape& shape) {
    return {shape.allocatable.amount("cpu"), shape.allocatable.amount("memory")};
}

bool is_kin(const Rules::Compiled& rules, ShapeId a, ShapeId b) {
    const NodeShape& one = rules.shapes[a];
    const NodeShape& other = rules.shapes[b];
    return rules.profiles.of_shape(a) == rules.profiles.of_shape(b) &&
           one.daemons == other.daemons && one.csi_limits == other.csi_limits;
}

bool is_alike(const Rules::Compiled& rules, ShapeId a, ShapeId b) {
    return is_kin(rules, a, b) && std::ranges::equal(rules.shape_row(a), rules.shape_row(b)) &&
           sizes_of(rules.shapes[a]) == sizes_of(rules.shapes[b]);
}

std::vector<ShapeId> find_kin(const Rules::Compiled& rules) {
    std::vector<ShapeId> kin;
    std::map<ProfileId, std::vector<ShapeId>> lowest;  // of each kind
    for (ShapeId shape = 0; shape < rules.shapes.size(); ++shape) {
        std::vector<ShapeId>& kinds = lowest[rules.profiles.of_shape(shape)];
        const auto found =
            std::ranges::find_if(kinds, [&](ShapeId other) { return is_kin(rules, shape, other); });
        kin.push_back(found == kinds.end() ? kinds.emplace_back(shape) : *found);
    }
    return kin;
}

std::vector<ShapeId> find_alike_shapes(const Rules::Compiled& rules) {
    std::vector<ShapeId> alike;
    alike.reserve(rules.shapes.size());
    HashIndex lowest;
    for (ShapeId shape = 0; shape < rules.shapes.size(); ++shape) {
        FastHash hash;
        hash.add(std::uint64_t{rules.profiles.of_shape(shape)});
        for (const std::int64_t free : rules.shape_row(shape))
            hash.add(static_cast<std::uint64_t>(free));
        const auto same = [&](std::uint32_t other) { return is_alike(rules, shape, other); };
        const auto found = lowest.find(hash.value(), same);
        if (!found) lowest.insert(hash.value(), shape);
        alike.push_back(found.value_or(shape));
    }
    return alike;
}

}  // namespace

Rules::Compiled::Compiled(Cluster the_cluster, std::vector<ClassId> the_subjects,
                          std::vector<NodeShape> the_shapes, std::vector<bool> the_absent)
    : cluster(std::move(the_cluster)),
      subjects(std::move(the_subjects)),
      shapes(std::move(the_shapes)),
      absent(std::move(the_absent)),
      vacated(held_by(cluster, absent)),
      requests(cluster, subjects),
      standing(pods.counters, pods.lanes) {
    std::map<ClassId, VolumeNeeds> volumes;
    demand_of.reserve(subjects.size());
    for (const ClassId subject : subjects) {
        const ClassRow& row = cluster.equivalence_group(subject);
        NodeDemand demand{.spec = row.spec};
        if (!row.claims.empty()) {
            demand.volumes = find_volume_needs(cluster, subject);
            volumes.emplace(subject, demand.volumes);
        }
        demand_of.push_back(demands.add(std::move(demand)));
    }
    const auto others = find_others(cluster, subjects, shapes, absent);
    PodTerms terms(cluster, subjects, others);
    NodeReading reading;
    demands.read_by(reading);
    terms.read_by(cluster, subjects, reading);
    profiles = NodeProfiles(cluster, shapes, reading);
    demands.set_profiles(profiles);
    pods = PodBook(std::move(terms), {.cluster = cluster,
                                      .subjects = subjects,
                                      .others = others,
                                      .shapes = shapes,
                                      .profiles = profiles,
                                      .volumes = volumes});
    pods.absent = absent;
    standing = count_standing(cluster, pods, profiles);
    shape_rows = rows_of(cluster, shapes, requests.columns());
    alike = find_alike_shapes(*this);
    kin = find_kin(*this);
}

}  // namespace capstan::engine
