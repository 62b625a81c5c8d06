/// What of the cluster its limits are about, added up without the engine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <capstan/ids.hpp>

#include "simulation/chaos/invariant.hpp"

namespace capstan::simulation::chaos {

/// By what is limited: "cpu", "memory", "nodes", "gpu" for those of all makes, and any resource.
class Sums {
public:
    void add(const Resources& capacity, std::int64_t nodes);
    std::int64_t of(std::string_view what) const;

private:
    std::map<std::string, std::int64_t, std::less<>> sums_;
};

/// The bounds there are, by the names of sums.
std::map<std::string, engine::Bound> bounds_of(const engine::Settings& settings);

enum class Going : std::uint8_t { counts, does_not };
/// Nodes there are, and what clouds have been asked for beyond them: all of a target may come.
/// `going`: whether nodes count whose machines are being deleted.
Sums sums_of(const Moment& moment, Going going);

/// Virtual nodes (label type=virtual-kubelet) are machines of no cloud.
bool is_limited(const engine::snapshot::Cluster& cluster, const engine::snapshot::NodeRow& node);

/// What one machine of the group takes; where the cloud does not tell, a node and nothing else.
Resources size_of(const engine::Group& group);

}  // namespace capstan::simulation::chaos
