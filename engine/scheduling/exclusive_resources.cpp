#include "engine/scheduling/exclusive_resources.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "engine/scheduling/predicates/node_ports.hpp"

namespace capstan::engine::scheduling {

ExclusiveResources::ExclusiveResources(InterPodIndex& inter_pod, const InterPodIndexSources& from)
    : inter_pod_(inter_pod), from_(from) {
    for (const auto& [pod_group, needs] : from.volumes) {
        for (const std::string& claim : needs.exclusive) {
            const auto number = static_cast<std::uint32_t>(inter_pod_.claims.size());
            if (claims_.try_emplace(claim, number).second) inter_pod_.claims.push_back(claim);
        }
        for (const VolumesByDriver* volumes : {&needs.attached, &needs.in_tree})
            for (const auto& [name, handles] : *volumes) driver(name);
        enter(needs);
    }
    for (const PodGroupId pod_group : from.pod_groups) {
        for (const snapshot::HostPort& port :
             from.cluster.equivalence_group(pod_group).spec->ports) {
            auto& same_number = ports_by_number_[port.port];
            if (std::any_of(same_number.begin(), same_number.end(),
                            [&](std::uint32_t i) { return inter_pod_.ports[i] == port; }))
                continue;
            same_number.push_back(static_cast<std::uint32_t>(inter_pod_.ports.size()));
            inter_pod_.ports.push_back(port);
        }
    }
    if (claims_.empty() && drivers_.empty()) return;
    for (const PodGroupId id : from.others) {
        if (from.volumes.contains(id) || !has_volumes(from.cluster.equivalence_group(id))) continue;
        const auto at = others_needs_.emplace(id, find_volume_needs(from.cluster, id)).first;
        enter(at->second);
    }
}

std::uint32_t ExclusiveResources::driver(const std::string& name) {
    const auto number = static_cast<std::uint32_t>(inter_pod_.drivers.size());
    const auto [at, is_new] = drivers_.try_emplace(name, number);
    if (is_new) inter_pod_.drivers.push_back(name);
    return at->second;
}

/// A volume that one pod names by its driver and another one by its in-tree plugin is the driver's.
std::uint32_t ExclusiveResources::volume(std::uint32_t driver, const std::string& handle,
                                         bool in_tree) {
    const auto number = static_cast<std::uint32_t>(inter_pod_.volumes.size());
    const auto [at, is_new] = volumes_.try_emplace({driver, handle}, number);
    if (is_new)
        inter_pod_.volumes.push_back({.driver = driver, .handle = handle, .in_tree = in_tree});
    inter_pod_.volumes[at->second].in_tree &= in_tree;
    return at->second;
}

void ExclusiveResources::enter(const VolumeNeeds& needs) {
    enter(needs.attached, false);
    enter(needs.in_tree, true);
}

/// Adds a counter for each volume. Drivers of which no pod group attaches a volume are left out.
void ExclusiveResources::enter(const VolumesByDriver& volumes, bool in_tree) {
    const TopologyId topology = inter_pod_.topologies.each_node();
    for (const auto& [name, handles] : volumes) {
        const auto at = drivers_.find(name);
        if (at == drivers_.end()) continue;
        for (const std::string& handle : handles) {
            inter_pod_.counters.add(Counted::with_volume, volume(at->second, handle, in_tree),
                                    topology, inter_pod_.topologies[topology]);
        }
    }
}

void ExclusiveResources::compile(PodGroupId pod_group, PodRules& out) {
    const snapshot::PodSpec& spec = *from_.cluster.equivalence_group(pod_group).spec;
    const auto forbid = [&](Counted what, std::uint32_t which, TopologyId topology) {
        const CounterId id =
            inter_pod_.counters.add(what, which, topology, inter_pod_.topologies[topology]);
        return ForbiddenRule{.counter = id, .counts_itself = true};
    };
    for (const snapshot::HostPort& port : spec.ports) {
        if (port.port <= 0) continue;
        const auto at = std::find(inter_pod_.ports.begin(), inter_pod_.ports.end(), port);
        out.ports.push_back(forbid(Counted::with_port,
                                   static_cast<std::uint32_t>(at - inter_pod_.ports.begin()),
                                   inter_pod_.topologies.each_node()));
    }
    const auto needs = from_.volumes.find(pod_group);
    if (needs == from_.volumes.end()) return;
    for (const std::string& claim : needs->second.exclusive) {
        out.claims.push_back(
            forbid(Counted::with_claim, claims_.at(claim), inter_pod_.topologies.whole_cluster()));
    }
    std::map<std::uint32_t, std::set<std::uint32_t>> wanted;
    for (const auto& [what, number] : volumes_of(needs->second))
        if (what == Counted::with_volume) wanted[inter_pod_.volumes[number].driver].insert(number);
    for (const auto& [driver, numbers] : wanted) {
        AttachRule rule{.driver = driver};
        for (const std::uint32_t number : numbers)
            rule.volumes.push_back(
                inter_pod_.counters.counting(Counted::with_volume, number).front());
        out.attach.push_back(std::move(rule));
    }
}

ExclusiveResources::CounterSources ExclusiveResources::taken_by(
    PodGroupId equivalence_group) const {
    CounterSources out = ports_of(*from_.cluster.equivalence_group(equivalence_group).spec);
    const auto pod_group = from_.volumes.find(equivalence_group);
    const auto other = others_needs_.find(equivalence_group);
    if (pod_group == from_.volumes.end() && other == others_needs_.end()) return out;
    const CounterSources volumes =
        volumes_of(pod_group != from_.volumes.end() ? pod_group->second : other->second);
    out.insert(out.end(), volumes.begin(), volumes.end());
    return out;
}

ExclusiveResources::CounterSources ExclusiveResources::ports_of(
    const snapshot::PodSpec& spec) const {
    CounterSources out;
    for (const snapshot::HostPort& port : spec.ports) {
        const auto at = ports_by_number_.find(port.port);
        if (at == ports_by_number_.end()) continue;
        for (const std::uint32_t wanted : at->second) {
            if (in_conflict(inter_pod_.ports[wanted], port))
                out.emplace_back(Counted::with_port, wanted);
        }
    }
    return out;
}

ExclusiveResources::CounterSources ExclusiveResources::volumes_of(const VolumeNeeds& needs) const {
    CounterSources out;
    for (const std::string& claim : needs.claims) {
        if (const auto at = claims_.find(claim); at != claims_.end())
            out.emplace_back(Counted::with_claim, at->second);
    }
    for (const VolumesByDriver* volumes : {&needs.attached, &needs.in_tree}) {
        for (const auto& [name, handles] : *volumes) {
            const auto driver = drivers_.find(name);
            if (driver == drivers_.end()) continue;
            for (const std::string& handle : handles)
                out.emplace_back(Counted::with_volume, volumes_.at({driver->second, handle}));
        }
    }
    return out;
}

void ExclusiveResources::read_limits() {
    if (inter_pod_.drivers.empty()) return;
    const auto read = [&](const std::map<std::string, std::optional<int>>& limits,
                          const std::set<std::string>& migrated, auto& out) {
        for (const std::string& name : inter_pod_.drivers) {
            const auto at = limits.find(name);
            out.push_back({.volumes = at == limits.end() ? std::nullopt : at->second,
                           .has_in_tree = migrated.contains(name)});
        }
    };
    const snapshot::CsiNodeObject none;
    for (NodeIndex node = 0; node < from_.cluster.node_count(); ++node) {
        const snapshot::CsiNodeObject* own = find_csi_node(from_.cluster, node);
        const snapshot::CsiNodeObject& csi = own != nullptr ? *own : none;
        read(csi.limits, csi.migrated, inter_pod_.node_limits);
    }
    for (const TemplateNode& node : from_.template_nodes)
        read(node.csi_limits, node.csi_migrated, inter_pod_.template_node_limits);
}

}  // namespace capstan::engine::scheduling
