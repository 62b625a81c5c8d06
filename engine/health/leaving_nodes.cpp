#include "engine/health/leaving_nodes.hpp"

#include <algorithm>

namespace capstan::engine::health {
namespace {

/// Whether the cloud takes the machine for certain once the time has come.
bool is_certain(LeaveReason reason) noexcept {
    return reason != LeaveReason::rebalance && reason != LeaveReason::unhealthy;
}

/// How long before the machine leaves its pods are moved.
Duration lead_of(const Settings& settings) noexcept {
    const Duration drain = settings.scale_down.max_pod_eviction_time;
    const Duration most = Duration::max() - drain;
    return drain + std::min(settings.max_node_provision_time, most);
}

/// `time` - `by`, not below the time of zero: a notice may have any time.
Time earlier(Time time, Duration by) noexcept { return time - Time() > by ? time - by : Time(); }

}  // namespace

std::optional<Departure> find_departure(const Machine& machine, const Settings& settings,
                                        NextChange& next_change) {
    if (!machine.leaves || machine.state == MachineState::deleting) return std::nullopt;
    const Leaving& notice = *machine.leaves;
    if (!is_certain(notice.reason) || !notice.at) return Departure{};
    const Time at = next_change.time().measured(*notice.at);
    const Time begin = earlier(at, lead_of(settings));
    // A lifetime is known from the start: a machine is of full use until near its end.
    if (begin > Time() && next_change.is_before_end(begin - Duration(1)))
        return notice.reason == LeaveReason::expiry ? std::nullopt : std::optional(Departure{});
    if (!next_change.is_younger(at, settings.scale_down.max_deletion_time)) return Departure{};
    return Departure{.is_vacated = true, .at = at};
}

std::vector<LeavingNode> find_leaving_nodes(const Snapshot& snapshot,
                                            const templates::Membership& membership,
                                            const Settings& settings, NextChange& next_change) {
    std::vector<LeavingNode> out;
    for (NodeIndex node = 0; node < membership.machine_of.size(); ++node) {
        const Machine* machine = templates::find_machine(snapshot, membership, node);
        if (machine == nullptr) continue;
        if (const auto departure = find_departure(*machine, settings, next_change))
            out.push_back({node, *departure});
    }
    return out;
}

const Departure* find_departure(const std::vector<LeavingNode>& leaving, NodeIndex node) noexcept {
    const auto at = std::ranges::lower_bound(leaving, node, {}, &LeavingNode::node);
    return at != leaving.end() && at->node == node ? &at->departure : nullptr;
}

bool is_vacated(const std::vector<LeavingNode>& leaving, NodeIndex node) noexcept {
    const Departure* const departure = find_departure(leaving, node);
    return departure != nullptr && departure->is_vacated;
}

std::vector<int> count_leaving_unjoined(const Snapshot& snapshot,
                                        const templates::Membership& membership,
                                        const Settings& settings, NextChange& next_change) {
    std::vector<int> out(snapshot.groups->size(), 0);
    for (std::size_t g = 0; g < out.size(); ++g) {
        const std::vector<Machine>& machines = (*snapshot.groups)[g].machines;
        for (std::size_t m = 0; m < machines.size(); ++m) {
            if (membership.joined[g][m] || machines[m].state == MachineState::failed) continue;
            const auto departure = find_departure(machines[m], settings, next_change);
            if (departure && departure->is_vacated) ++out[g];
        }
    }
    return out;
}

std::string describe_departure(const std::optional<Departure>& departure,
                               const Settings& settings) {
    if (!departure) return "no action needed so far";
    if (!departure->is_vacated) return "no pods of removed nodes are moved to the node";
    if (!settings.scale_down.drain_leaving_nodes)
        return "the node's pods count as pending; scale_down.drain_leaving_nodes is off, so "
               "another program must drain it";
    return "the node takes no new pods, and its pods are evicted before that time";
}

}  // namespace capstan::engine::health
