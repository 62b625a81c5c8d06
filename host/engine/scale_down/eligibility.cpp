#include "engine/scale_down/eligibility.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include <capstan/duration.hpp>
#include <capstan/whole_number.hpp>

#include "engine/health/readiness.hpp"
#include "engine/removal/removal.hpp"

namespace capstan::engine {
namespace {

constexpr std::string_view disabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

std::string_view doing(RemovalPhase phase) {
    switch (phase) {
        case RemovalPhase::tainting: return "it is being tainted";
        case RemovalPhase::waiting: return "the scheduler gets time to see its taint";
        case RemovalPhase::draining: return "its pods are being evicted";
        case RemovalPhase::delayed: return "somebody delays it by annotation";
        case RemovalPhase::deleting: return "its cloud is being asked";
        case RemovalPhase::removed: return "its cloud has agreed, and it is to vanish";
        case RemovalPhase::undoing: return "it was given up and is being undone";
    }
    return {};
}

Ineligible under_way(const NodeRemoval& removal, Time now) {
    return {.reason = Unremovable::currently_being_deleted,
            .because = "its removal is under way for " +
                       format_rough_duration(now - removal.since) + ": for " +
                       format_rough_duration(now - removal.phase_since) + " " +
                       std::string(doing(removal.phase)) +
                       (removal.because.empty() ? "" : "; " + removal.because)};
}

/// When the taint of a removal was set; nothing: there is none, or it does not say.
std::optional<Time> find_tainted_at(const NodeRow& node) {
    const auto at = std::ranges::find(node.taints, to_be_deleted_taint, &Taint::key);
    if (at == node.taints.end()) return std::nullopt;
    const auto seconds = find_whole_number(at->value);
    constexpr std::int64_t most = Duration::max() / std::chrono::seconds(1);
    if (!seconds || *seconds < 0 || *seconds > most) return std::nullopt;
    return Time(std::chrono::seconds(*seconds));
}

/// A taint that nobody remembers counts for as long as a removal may take.
std::optional<Ineligible> removed_by_others(const NodeRow& node, const Settings& settings,
                                            Time now) {
    const std::optional<Time> since = find_tainted_at(node);
    const Duration lasts = settings.scale_down.max_deletion_time;
    if (!since || now - *since >= lasts || *since - now >= lasts) return std::nullopt;
    return Ineligible{.reason = Unremovable::currently_being_deleted,
                      .because = "somebody has tainted it with " +
                                 std::string(to_be_deleted_taint) + ", which is believed for " +
                                 format_duration(lasts),
                      .until = *since + lasts};
}

bool is_disabled(const Cluster& cluster, const NodeRow& node) {
    const auto written = find_label(cluster, node.annotations, disabled);
    return written && cluster.text(*written) == "true";
}

}  // namespace

std::optional<Ineligible> find_ineligible(const Snapshot& snapshot, const Membership& membership,
                                          const Health& health, const Memory& memory,
                                          const Settings& settings, NodeIndex index, Time now) {
    const NodeRow& node = snapshot.cluster.node(index);
    const auto removal = memory.removals.find(snapshot.cluster.text(node.name));
    if (removal != memory.removals.end()) return under_way(removal->second, now);
    if (auto others = removed_by_others(node, settings, now)) return others;
    const Readiness readiness = health.readiness[index];
    if (readiness == Readiness::deleted) {
        return Ineligible{.reason = Unremovable::currently_being_deleted,
                          .because = "its machine is gone or going"};
    }
    if (is_disabled(snapshot.cluster, node)) {
        return Ineligible{.reason = Unremovable::scale_down_disabled_annotation,
                          .because = "its annotation " + std::string(disabled) + " is true"};
    }
    if (!membership.machine_of[index]) {
        return Ineligible{.reason = Unremovable::not_autoscaled,
                          .because = "no group has its machine"};
    }
    // A node that has yet to pass its checks may go once it is unready for long enough, and its
    // clock runs from when it joined.
    if (readiness == Readiness::starting && !carries_readiness_taint(node, settings)) {
        return Ineligible{.reason = Unremovable::no_node_info,
                          .because = "it has not started yet, and pods that wait count on it"};
    }
    return std::nullopt;
}

}  // namespace capstan::engine
