#include "engine/scale_down/utilization.hpp"

#include <algorithm>
#include <string>

#include <capstan/sentence.hpp>

#include "engine/scale_down/drain_rules.hpp"
#include "engine/scale_up/limits.hpp"
#include "engine/scale_up/nominated.hpp"
#include "engine/templates/daemons.hpp"

namespace capstan::engine {
namespace {

std::int64_t requested_by(const ClassRow& row, ResourceIndex resource) {
    const auto at = std::ranges::find(row.requests, resource, &Request::resource);
    return at == row.requests.end() ? 0 : at->amount;
}

double share_of(std::int64_t used, std::int64_t room) {
    if (room > 0) return static_cast<double>(used) / static_cast<double>(room);
    return used > 0 ? 1 : 0;
}

}  // namespace

/// Used and room, by place in the list of resources that are looked at.
struct UtilizationMeter::Sides {
    std::vector<std::int64_t> used, room;
};

UtilizationMeter::UtilizationMeter(const Cluster& cluster, const Settings& settings, Time now)
    : cluster_(cluster),
      settings_(settings),
      now_(now),
      parts_(cluster.class_count()),
      ends_on_(cluster.node_count()) {
    for (ResourceIndex r = 0; r < cluster.resource_count(); ++r) {
        const std::string name(cluster.resource_name(r));
        if (is_gpu(name) || settings.gpu_types.contains(name)) gpus_.push_back(r);
    }
    for (ClassId id = 0; id < parts_.size(); ++id) {
        parts_[id] = part_of(id);
        has_part_[static_cast<std::size_t>(parts_[id])] = true;
    }
    for (PodIndex p = 0; p < cluster.pod_count(); ++p) {
        if (!cluster.is_deleted(p)) continue;
        if (const NodeIndex node = cluster.pod(p).node; node != no_node) ends_on_[node] = true;
    }
}

UtilizationMeter::Part UtilizationMeter::part_of(ClassId pod_class) const {
    const ClassRow& row = cluster_.pod_class(pod_class);
    return is_expendable(*row.spec, settings_) ? Part::nothing
           : is_mirror(cluster_, row)          ? Part::mirror
           : is_of_daemon_set(cluster_, row)   ? Part::daemon
                                               : Part::counts;
}

/// False: every pod of the node counts for what it asks, and none need be looked at.
bool UtilizationMeter::may_leave_out(NodeIndex node, bool no_daemons, bool no_mirrors) const {
    const auto has = [this](Part part) { return has_part_[static_cast<std::size_t>(part)]; };
    return ends_on_[node] || has(Part::nothing) || (no_daemons && has(Part::daemon)) ||
           (no_mirrors && has(Part::mirror));
}

/// A node of which the driver is not up yet has GPUs all the same.
bool UtilizationMeter::has_gpu(NodeIndex node, ResourceIndex gpu) const {
    return cluster_.allocatable(node)[gpu] > 0 ||
           cluster_.node(node).capacity->amount(cluster_.resource_name(gpu)) > 0;
}

UtilizationMeter::Sides UtilizationMeter::sides(NodeIndex node,
                                                const std::vector<ResourceIndex>& of,
                                                const Group* group) {
    Sides out;
    for (const ResourceIndex r : of) {
        out.used.push_back(cluster_.requested(node)[r]);
        out.room.push_back(cluster_.allocatable(node)[r]);
    }
    bool no_daemons = settings_.scale_down.ignore_daemonsets_utilization;
    if (group != nullptr) {
        no_daemons = group->options.ignore_daemonsets_utilization.value_or(no_daemons);
    }
    const bool no_mirrors = settings_.scale_down.ignore_mirror_pods_utilization;
    if (!may_leave_out(node, no_daemons, no_mirrors)) return out;
    for (const PodIndex p : cluster_.pods_on(node)) {
        const ClassId id = cluster_.class_of(p);
        const ClassRow& row = cluster_.pod_class(id);
        const Part part = parts_[id];
        const bool is_gone =
            part == Part::nothing ||
            (cluster_.is_deleted(p) && is_long_terminating(cluster_.pod(p), row, now_));
        const bool is_left_out = !is_gone && ((part == Part::daemon && no_daemons) ||
                                              (part == Part::mirror && no_mirrors));
        if (!is_gone && !is_left_out) continue;
        for (std::size_t i = 0; i < of.size(); ++i) {
            const std::int64_t amount = requested_by(row, of[i]);
            out.used[i] -= amount;
            if (is_left_out) out.room[i] -= amount;
        }
    }
    return out;
}

Result<Utilization> UtilizationMeter::of(NodeIndex node, const Group* group) {
    std::vector<ResourceIndex> resources;
    std::ranges::copy_if(gpus_, std::back_inserter(resources),
                         [&](ResourceIndex gpu) { return has_gpu(node, gpu); });
    const bool has_gpus = !resources.empty();
    if (!has_gpus) resources = {cpu_index, memory_index};
    for (const ResourceIndex r : resources) {
        if (has_gpus || cluster_.allocatable(node)[r] > 0) continue;
        return fail(ErrorCode::unavailable,
                    "the node reports no allocatable " + std::string(cluster_.resource_name(r)));
    }

    const Sides found = sides(node, resources, group);
    std::size_t most = 0;
    for (std::size_t i = 1; i < resources.size(); ++i) {
        if (share_of(found.used[i], found.room[i]) > share_of(found.used[most], found.room[most]))
            most = i;
    }
    return Utilization{.share = share_of(found.used[most], found.room[most]),
                       .resource = cluster_.resource_name(resources[most]),
                       .is_gpu = has_gpus,
                       .used = found.used[most],
                       .room = found.room[most]};
}

Result<Utilization> utilization(const Cluster& cluster, NodeIndex node, const Group* group,
                                const Settings& settings, Time now) {
    return UtilizationMeter(cluster, settings, now).of(node, group);
}

std::string describe(const Utilization& utilization) {
    const std::string resource(utilization.resource);
    return resource + " is used to " + percent(utilization.share) + " (" +
           format_amount(resource, utilization.used) + " of " +
           format_amount(resource, utilization.room) + ")";
}

double threshold_of(const Utilization& utilization, const Group& group, const Settings& settings) {
    const ScaleDownSettings& of_all = settings.scale_down;
    return utilization.is_gpu
               ? group.options.gpu_utilization_threshold.value_or(of_all.gpu_utilization_threshold)
               : group.options.utilization_threshold.value_or(of_all.utilization_threshold);
}

}  // namespace capstan::engine
