#include "engine/scheduling/spread_lanes.hpp"

#include <algorithm>

#include "engine/scheduling/predicates/node_affinity.hpp"
#include "engine/scheduling/predicates/taint_toleration.hpp"

namespace capstan::engine {
namespace {

bool asks_of_nodes(const PodSpec& pod, const SpreadConstraint& constraint) noexcept {
    const bool has_selectors = !pod.node_selector.empty() || !pod.affinity_required.empty();
    return constraint.honor_taints || (constraint.honor_affinity && has_selectors);
}

std::string text_of_keys(SpreadLanes::Constraints all, const SpreadConstraint& constraint) {
    std::string out = constraint.topology_key;
    for (const SpreadConstraint& other : all) out += '\n' + other.topology_key;
    return out;
}

}  // namespace

LaneId SpreadLanes::find(const PodSpec& pod, Constraints all, const SpreadConstraint& constraint) {
    if (asks_of_nodes(pod, constraint))
        return lanes_.add(constraint.topology_key, eligible(pod, all, constraint));
    const std::string keys = text_of_keys(all, constraint);
    if (const auto at = plain_.find(keys); at != plain_.end()) return at->second;
    const LaneId lane = lanes_.add(constraint.topology_key, eligible(pod, all, constraint));
    plain_.emplace(keys, lane);
    return lane;
}

bool SpreadLanes::is_eligible(const PodSpec& pod, Constraints all,
                              const SpreadConstraint& constraint, ProfileId profile) {
    const NodeFacts node = profiles_[profile].facts();
    return std::all_of(all.begin(), all.end(),
                       [&](const SpreadConstraint& other) {
                           return node.labels.contains(other.topology_key);
                       }) &&
           (!constraint.honor_affinity || selects(pod, node)) &&
           (!constraint.honor_taints || find_untolerated_taint(pod, node.taints) == nullptr);
}

DomainByProfile SpreadLanes::eligible(const PodSpec& pod, Constraints all,
                                      const SpreadConstraint& constraint) {
    DomainByProfile out = lanes_.domains_of(constraint.topology_key);
    for (ProfileId profile = 0; profile < out.size(); ++profile) {
        if (out[profile] != no_domain && !is_eligible(pod, all, constraint, profile))
            out[profile] = no_domain;
    }
    return out;
}

}  // namespace capstan::engine
