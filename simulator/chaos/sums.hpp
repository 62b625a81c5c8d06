/// The totals of a cluster that its limits bound, added up without the engine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <capstan/ids.hpp>

#include "simulator/chaos/invariant.hpp"

namespace capstan::simulator::chaos {

/// Totals by name: "nodes", "gpu" for the GPUs of all makers together, and each resource ("cpu",
/// "memory", "nvidia.com/gpu").
class Sums {
public:
    /// Adds `nodes` times this capacity; `nodes` may be negative.
    void add(const Resources& capacity, std::int64_t nodes);
    /// Zero for a name that was never added.
    std::int64_t of(std::string_view what) const;

private:
    std::map<std::string, std::int64_t, std::less<>> sums_;
};

/// The configured minima and maxima of the cluster, by the names of Sums.
std::map<std::string, engine::Bound> bounds_of(const engine::Settings& settings);

/// Whether nodes count whose machines are being deleted.
enum class DeletingMachines : std::uint8_t { counted, excluded };
/// The nodes of the cluster, and the machines that targets have beyond the joined ones, because all
/// of a target may come.
Sums sums_of(const Moment& moment, DeletingMachines deleting);

/// Whether limits count the node. They do not count virtual nodes (label type=virtual-kubelet),
/// which are machines of no cloud.
bool is_limited(const engine::snapshot::Cluster& cluster, const engine::snapshot::NodeRow& node);

/// The capacity of one machine of the group; empty if its cloud gives no template.
Resources size_of(const engine::Group& group);

}  // namespace capstan::simulator::chaos
