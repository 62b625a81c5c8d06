#include "simulator/chaos/sums.hpp"

#include <algorithm>

#include "engine/templates/membership.hpp"

namespace capstan::simulator::chaos {

void Sums::add(const Resources& capacity, std::int64_t nodes) {
    sums_["nodes"] += nodes;
    for (const auto& [resource, amount] : capacity) {
        sums_[std::string(resource)] += amount * nodes;
        if (resource.ends_with("/gpu")) sums_["gpu"] += amount * nodes;
    }
}

std::int64_t Sums::of(std::string_view what) const {
    const auto at = sums_.find(what);
    return at == sums_.end() ? 0 : at->second;
}

std::map<std::string, engine::Bound> bounds_of(const engine::Settings& settings) {
    std::map<std::string, engine::Bound> out;
    for (const auto& [type, bound] : settings.gpu_types)
        if (type.find('/') != std::string::npos) out[type] = bound;
    out["cpu"] = settings.cpu;
    out["memory"] = settings.memory;
    out["nodes"] = settings.nodes;
    out["gpu"] = settings.gpu;
    return out;
}

Sums sums_of(const Moment& moment, DeletingMachines deleting) {
    Sums out;
    const engine::Snapshot snapshot{moment.cluster(), moment.result.groups};
    const engine::templates::Membership membership = engine::templates::make_membership(snapshot);
    std::map<NodeGroupId, int> joined;
    for (engine::NodeIndex i = 0; i < moment.cluster().node_count(); ++i) {
        const Machine* machine = engine::templates::find_machine(snapshot, membership, i);
        const bool is_going = machine != nullptr && machine->state == MachineState::deleting;
        if (machine != nullptr && !is_going) ++joined[machine->group];
        if (is_going && deleting == DeletingMachines::excluded) continue;
        const engine::snapshot::NodeRow& node = moment.cluster().node(i);
        if (is_limited(moment.cluster(), node)) out.add(*node.capacity, 1);
    }
    for (const engine::Group& group : moment.groups()) {
        const int missing = group.group.target.value_or(0) - joined[group.group.id];
        out.add(size_of(group), std::max(0, missing));
    }
    return out;
}

bool is_limited(const engine::snapshot::Cluster& cluster, const engine::snapshot::NodeRow& node) {
    const auto type = engine::snapshot::find_label(cluster, node.labels, "type");
    return !type || cluster.text(*type) != "virtual-kubelet";
}

Resources size_of(const engine::Group& group) {
    return group.described ? group.described->capacity : Resources();
}

}  // namespace capstan::simulator::chaos
