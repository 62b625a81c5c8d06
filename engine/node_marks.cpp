#include "engine/node_marks.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace capstan::engine {

bool has_taint(const snapshot::NodeRow& node, std::string_view key) noexcept {
    return std::ranges::find(node.taints, key, &Taint::key) != node.taints.end();
}

bool is_marked(const snapshot::NodeRow& node) noexcept {
    return has_taint(node, to_be_deleted_taint) || has_taint(node, being_deleted_taint);
}

bool carries_mark_of(const NodeRemoval& removal, const snapshot::NodeRow& node) noexcept {
    const auto at = std::ranges::find(node.taints, to_be_deleted_taint, &Taint::key);
    return at != node.taints.end() && !removal.mark.empty() && at->value == removal.mark;
}

bool is_cordoned_by_us(const snapshot::Cluster& cluster, const snapshot::NodeRow& node) noexcept {
    return snapshot::find_label(cluster, node.annotations, cordoned_annotation).has_value();
}

Taint dated_taint(std::string_view key, Effect effect, Time time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
    return {.key = std::string(key), .value = std::to_string(seconds), .effect = effect};
}

NodeChange make_mark(const snapshot::Cluster& cluster, const snapshot::NodeRow& node,
                     NodeRemoval& removal, const ScaleDownSettings& settings,
                     const PassTime& time) {
    NodeChange out{.node = std::string(cluster.text(node.name)), .because = removal.because};
    out.set_taints = {
        dated_taint(to_be_deleted_taint, Effect::no_schedule, time.written(removal.since))};
    removal.mark = out.set_taints.front().value;
    // A cordon from an earlier attempt with an unknown result is ours, too.
    const bool is_foreign = node.unschedulable && !is_cordoned_by_us(cluster, node);
    removal.cordoned = settings.cordon_node_before_terminating && !is_foreign;
    if (removal.cordoned) {
        out.unschedulable = true;
        out.annotations.emplace(cordoned_annotation, "true");
    }
    return out;
}

NodeChange make_announcement(std::string node, const NodeRemoval& removal, const PassTime& time) {
    return {.node = std::move(node),
            .set_taints = {dated_taint(being_deleted_taint, Effect::no_schedule,
                                       time.written(removal.phase_since))},
            .because = "its machine is about to be removed"};
}

NodeChange make_unmark(std::string node, const NodeRemoval& removal) {
    NodeChange out{
        .node = std::move(node),
        .drop_taints = {std::string(to_be_deleted_taint), std::string(being_deleted_taint)},
        .because = removal.because};
    if (removal.cordoned) {
        out.unschedulable = false;
        out.annotations.emplace(cordoned_annotation, std::nullopt);
    }
    return out;
}

}  // namespace capstan::engine
