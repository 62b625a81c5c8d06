#include "engine/drainability/eligibility.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include <capstan/duration.hpp>
#include <capstan/well_known.hpp>
#include <capstan/whole_number.hpp>

#include "engine/drainability/eviction_refusals.hpp"
#include "engine/health/readiness.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/node_marks.hpp"
#include "engine/templates/membership.hpp"

namespace capstan::engine::drainability {
namespace {

std::string_view phase_text(RemovalPhase phase) {
    switch (phase) {
        case RemovalPhase::tainting: return "being tainted";
        case RemovalPhase::waiting: return "waiting for the scheduler to see the node's taint";
        case RemovalPhase::draining: return "evicting its pods";
        case RemovalPhase::delayed: return "delayed by annotation";
        case RemovalPhase::deleting: return "waiting for the cloud to respond";
        case RemovalPhase::removed: return "waiting for the machine to terminate";
        case RemovalPhase::undoing: return "being cancelled";
    }
    return {};
}

Ineligible under_way(const NodeRemoval& removal, Time now) {
    Ineligible out{.reason = Unremovable::currently_being_deleted,
                   .because = "removal in progress for " +
                              format_rough_duration(now - removal.since) + ": " +
                              std::string(phase_text(removal.phase)) + " (" +
                              format_rough_duration(now - removal.phase_since) + " so far)"};
    const bool drains = removal.phase == RemovalPhase::draining;
    if (auto refused = drains ? find_refused_pod(removal, now) : std::nullopt) {
        out.because += "; " + refused->because;
        out.pod = std::move(refused->pod);
    }
    if (!removal.because.empty()) out.because += "; " + removal.because.text();
    return out;
}

/// When the node's deletion taint was set, by its value. Absent: the node has no such taint, or
/// the value is no time or a time before the node was created.
std::optional<Time> find_tainted_at(const snapshot::NodeRow& node) {
    const auto taint = std::ranges::find(node.taints, to_be_deleted_taint, &Taint::key);
    if (taint == node.taints.end()) return std::nullopt;
    const auto seconds = find_whole_number(taint->value);
    constexpr std::int64_t most = Duration::max() / std::chrono::seconds(1);
    if (!seconds || *seconds < 0 || *seconds > most) return std::nullopt;
    const Time at{std::chrono::seconds(*seconds)};
    const bool is_older_than_node = at < std::chrono::floor<std::chrono::seconds>(node.created);
    return is_older_than_node ? std::nullopt : std::optional(at);
}

/// A deletion taint of a removal that is not in Memory counts for as long as a removal may take.
std::optional<Ineligible> removed_by_others(const snapshot::NodeRow& node, const Settings& settings,
                                            const PassTime& time) {
    const std::optional<Time> tainted_at = find_tainted_at(node);
    if (!tainted_at) return std::nullopt;
    const Time since = time.measured(*tainted_at);
    const Duration lasts = settings.scale_down.max_deletion_time;
    if (time.now - since >= lasts || since - time.now >= lasts) return std::nullopt;
    return Ineligible{.reason = Unremovable::currently_being_deleted,
                      .because = "taint " + std::string(to_be_deleted_taint) +
                                 " was set by another client; it is respected for " +
                                 format_duration(lasts),
                      .until = since + lasts};
}

}  // namespace

std::optional<Ineligible> find_node_backoff(const PassView& view, NodeIndex node, bool moves_pods) {
    if (view.memory.removal_backoffs.empty()) return std::nullopt;
    const Machine* machine = templates::find_machine(view.snapshot, view.membership, node);
    if (machine == nullptr) return std::nullopt;
    const RemovalBackoff* backoff =
        health::find_removal_backoff(view.memory, machine->group, machine->id, view.time.now);
    if (backoff == nullptr || backoff->only_drains != moves_pods) return std::nullopt;
    return Ineligible{.reason = Unremovable::recently_unremovable,
                      .because = health::why_removal_backed_off(*backoff, view.time),
                      .until = backoff->until};
}

namespace {

bool is_disabled(const snapshot::Cluster& cluster, const snapshot::NodeRow& node) {
    const auto written =
        snapshot::find_label(cluster, node.annotations, well_known::scale_down_disabled_annotation);
    return written && cluster.text(*written) == "true";
}

}  // namespace

std::optional<Ineligible> find_ineligible(const PassView& view, const health::Health& health,
                                          NodeIndex index) {
    const snapshot::Cluster& cluster = view.snapshot.cluster;
    const snapshot::NodeRow& node = cluster.node(index);
    const auto removal = view.memory.removals.find(cluster.text(node.name));
    if (removal != view.memory.removals.end()) return under_way(removal->second, view.time.now);
    if (auto others = removed_by_others(node, view.settings, view.time)) return others;
    const health::Readiness readiness = health.readiness[index];
    if (readiness == health::Readiness::deleted) {
        return Ineligible{.reason = Unremovable::currently_being_deleted,
                          .because = "the machine is deleted or being deleted"};
    }
    if (is_disabled(cluster, node)) {
        return Ineligible{.reason = Unremovable::scale_down_disabled_annotation,
                          .because = "annotation " +
                                     std::string(well_known::scale_down_disabled_annotation) +
                                     " is true"};
    }
    if (!view.membership.machine_of[index]) {
        return Ineligible{.reason = Unremovable::not_autoscaled,
                          .because = "not in an autoscaled group"};
    }
    if (const auto twin = view.membership.ready_twins.find(index);
        twin != view.membership.ready_twins.end()) {
        return Ineligible{.reason = Unremovable::unexpected_error,
                          .because = "node " +
                                     std::string(cluster.text(cluster.node(twin->second).name)) +
                                     " has the same providerID and is ready; correct "
                                     "spec.providerID of one of them"};
    }
    if (auto backed_off = find_node_backoff(view, index, false)) return backed_off;
    // A node with a readiness taint may be removed once it has been unready for long enough,
    // counted from when it joined.
    if (readiness == health::Readiness::starting &&
        !health::carries_readiness_taint(node, view.settings)) {
        return Ineligible{.reason = Unremovable::no_node_info,
                          .because = "not started yet; pending pods are planned on it"};
    }
    return std::nullopt;
}

}  // namespace capstan::engine::drainability
