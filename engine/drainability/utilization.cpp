#include "engine/drainability/utilization.hpp"

#include <algorithm>
#include <string>

#include <capstan/sentence.hpp>

#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/limits/limits.hpp"
#include "engine/pods/nominated.hpp"
#include "engine/snapshot/amount_text.hpp"
#include "engine/templates/daemons.hpp"

namespace capstan::engine::drainability {
namespace {

std::int64_t requested_by(const snapshot::PodGroupRow& row, ResourceIndex resource) {
    const auto at = std::ranges::find(row.requests, resource, &snapshot::Request::resource);
    return at == row.requests.end() ? 0 : at->amount;
}

double share_of(std::int64_t used, std::int64_t room) {
    if (room > 0) return static_cast<double>(used) / static_cast<double>(room);
    return used > 0 ? 1 : 0;
}

}  // namespace

UtilizationMeter::UtilizationMeter(const snapshot::Cluster& cluster, const Settings& settings,
                                   Time wall)
    : cluster_(cluster),
      settings_(settings),
      wall_(wall),
      parts_(cluster.pod_group_count()),
      has_deleted_(cluster.node_count()) {
    for (ResourceIndex r = 0; r < cluster.resource_count(); ++r) {
        const std::string name(cluster.resource_name(r));
        if (limits::is_gpu(name) || settings.gpu_types.contains(name)) gpus_.push_back(r);
    }
    for (PodGroupId id = 0; id < parts_.size(); ++id) {
        parts_[id] = part_of(id);
        has_part_[static_cast<std::size_t>(parts_[id])] = true;
    }
    for (const PodIndex p : cluster.deleted_pods()) {
        if (const NodeIndex node = cluster.pod(p).node; node != snapshot::no_node)
            has_deleted_[node] = true;
    }
}

UtilizationMeter::Part UtilizationMeter::part_of(PodGroupId equivalence_group) const {
    const snapshot::PodGroupRow& row = cluster_.equivalence_group(equivalence_group);
    return pods::is_expendable(*row.spec, settings_)    ? Part::nothing
           : templates::is_mirror(cluster_, row)        ? Part::mirror
           : templates::is_of_daemon_set(cluster_, row) ? Part::daemon
                                                        : Part::counts;
}

/// Whether some pod of the node may be left out. False: every pod counts, and the sums of the
/// cluster are the result.
bool UtilizationMeter::may_leave_out(NodeIndex node, bool no_daemons, bool no_mirrors) const {
    const auto has = [this](Part part) { return has_part_[static_cast<std::size_t>(part)]; };
    return has_deleted_[node] || has(Part::nothing) || (no_daemons && has(Part::daemon)) ||
           (no_mirrors && has(Part::mirror));
}

/// A node has GPUs even if its driver is not up yet and only its capacity names them.
bool UtilizationMeter::has_gpu(NodeIndex node, ResourceIndex gpu) const {
    return cluster_.allocatable(node)[gpu] > 0 ||
           cluster_.node(node).capacity->amount(cluster_.resource_name(gpu)) > 0;
}

void UtilizationMeter::find_sides(NodeIndex node, const Group* group) {
    sides_.clear();
    for (const ResourceIndex r : resources_)
        sides_.push_back(
            {.used = cluster_.requested(node)[r], .room = cluster_.allocatable(node)[r]});
    bool no_daemons = settings_.scale_down.ignore_daemonsets_utilization;
    if (group != nullptr) {
        no_daemons = group->options.ignore_daemonsets_utilization.value_or(no_daemons);
    }
    const bool no_mirrors = settings_.scale_down.ignore_mirror_pods_utilization;
    if (!may_leave_out(node, no_daemons, no_mirrors)) return;
    for (const PodIndex p : cluster_.pods_on(node)) {
        const PodGroupId id = cluster_.equivalence_group_of(p);
        const snapshot::PodGroupRow& row = cluster_.equivalence_group(id);
        const Part part = parts_[id];
        const bool is_gone =
            part == Part::nothing ||
            (cluster_.is_deleted(p) && is_long_terminating(cluster_.pod(p), row, wall_));
        const bool is_left_out = !is_gone && ((part == Part::daemon && no_daemons) ||
                                              (part == Part::mirror && no_mirrors));
        if (!is_gone && !is_left_out) continue;
        for (std::size_t i = 0; i < resources_.size(); ++i) {
            const std::int64_t amount = requested_by(row, resources_[i]);
            sides_[i].used -= amount;
            if (is_left_out) sides_[i].room -= amount;
        }
    }
}

Result<Utilization> UtilizationMeter::of(NodeIndex node, const Group* group) {
    resources_.clear();
    std::ranges::copy_if(gpus_, std::back_inserter(resources_),
                         [&](ResourceIndex gpu) { return has_gpu(node, gpu); });
    const bool has_gpus = !resources_.empty();
    if (!has_gpus) resources_ = {snapshot::cpu_index, snapshot::memory_index};
    for (const ResourceIndex r : resources_) {
        if (has_gpus || cluster_.allocatable(node)[r] > 0) continue;
        return fail(ErrorCode::unavailable,
                    "the node reports no allocatable " + std::string(cluster_.resource_name(r)));
    }

    find_sides(node, group);
    const auto share = [](const Sides& sides) { return share_of(sides.used, sides.room); };
    const auto most = std::ranges::max_element(sides_, {}, share);
    return Utilization{.share = share(*most),
                       .resource = cluster_.resource_name(resources_[most - sides_.begin()]),
                       .is_gpu = has_gpus,
                       .used = most->used,
                       .room = most->room};
}

Result<Utilization> utilization(const snapshot::Cluster& cluster, NodeIndex node,
                                const Group* group, const Settings& settings, Time wall) {
    return UtilizationMeter(cluster, settings, wall).of(node, group);
}

std::string describe(const Utilization& utilization) {
    const std::string_view resource = utilization.resource;
    std::string out;
    out.reserve(120);  // enough for most texts, with the threshold that is appended
    out.append(resource).append(" utilization is ").append(percent(utilization.share));
    const snapshot::AmountText amount(resource, utilization.room);
    out.append(" (").append(amount.rounded_up(utilization.used)).append(" of ");
    out.append(amount.rounded_down(utilization.room)).append(")");
    return out;
}

double threshold_of(const Utilization& utilization, const Group& group, const Settings& settings) {
    const ScaleDownSettings& global = settings.scale_down;
    return utilization.is_gpu
               ? group.options.gpu_utilization_threshold.value_or(global.gpu_utilization_threshold)
               : group.options.utilization_threshold.value_or(global.utilization_threshold);
}

}  // namespace capstan::engine::drainability
