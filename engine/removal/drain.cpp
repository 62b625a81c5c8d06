#include "engine/removal/drain.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "engine/drainability/drain_rules/drain_rules.hpp"
#include "engine/drainability/eviction_refusals.hpp"
#include "engine/drainability/leaving_pods.hpp"
#include "engine/drainability/pods_on_node.hpp"
#include "engine/next_change.hpp"
#include "engine/removal/phases.hpp"

namespace capstan::engine::removal {
namespace {

/// A drain fails once a policy, and no budget, has refused a pod's eviction for this long.
constexpr Duration barred_for = std::chrono::minutes(2);

constexpr std::string_view daemon_annotation = well_known::enable_ds_eviction_annotation;

Duration drain_timeout(const Group* group, const ScaleDownSettings& settings) {
    const Duration usual = settings.max_pod_eviction_time;
    return group != nullptr ? group->options.drain_timeout.value_or(usual) : usual;
}

class Draining {
public:
    Draining(const PassView& view, std::optional<Time> leaves, NodeRemoval& removal,
             pods::DisruptionBudgets& budgets)
        : cluster_(view.snapshot.cluster),
          removal_(removal),
          budgets_(budgets),
          settings_(view.settings.scale_down),
          timeout_(drain_timeout(find_group(view.snapshot, removal.group), settings_)),
          leaves_(leaves),
          time_(view.time),
          now_(time_.now) {}

    DrainStep run(drainability::LeavingPods pods) {
        pods_ = std::move(pods);
        forget_those_gone();
        if (!settings_.drain_priorities.empty() && !removal_.empty) {
            have_daemons_wait_their_turn();
        } else if (pods_.moving.empty() && pods_.ending.empty()) {
            evict_daemons();
        }
        const bool has_more = !pods_.moving.empty() || !pods_.ending.empty();
        step_.failed_because = why_not_begun();
        if (step_.failed_because.empty()) {
            step_.failed_because = why_stuck();
            step_.has_stuck_pods = !step_.failed_because.empty();
        }
        if (!step_.failed_because.empty()) return std::move(step_);
        const std::size_t turn = present_turn();
        for (const PodIndex pod : pods_.moving)
            if (turn_of(pod) == turn) evict_when_due(pod);
        for (const PodIndex pod : pods_.ending) wait_for(pod);
        if (has_more) wake_by(step_.wake_at, deadline());
        step_.is_done = !has_more && step_.evictions.empty();
        return std::move(step_);
    }

private:
    using Past = NodeRemoval::Eviction;

    Time deadline() const { return later(removal_.phase_since, timeout_); }
    std::size_t turn_of(PodIndex pod) const {
        return engine::removal::turn_of(spec(pod), settings_);
    }
    const snapshot::PodSpec& spec(PodIndex pod) const {
        return *cluster_.equivalence_group(cluster_.equivalence_group_of(pod)).spec;
    }
    const Past* find_past(PodIndex pod) const {
        const auto at = removal_.evictions.find(drainability::pod_key(cluster_, pod));
        return at != removal_.evictions.end() ? &at->second : nullptr;
    }

    void forget_those_gone() {
        if (removal_.evictions.empty()) return;
        std::set<std::string> there;
        for (const auto* list : {&pods_.moving, &pods_.ending, &pods_.daemons})
            for (const PodIndex pod : *list) there.insert(drainability::pod_key(cluster_, pod));
        std::erase_if(removal_.evictions,
                      [&](const auto& entry) { return !there.contains(entry.first); });
    }

    /// Whether the pod was created before the removal began. A DaemonSet tolerates cordon and taint
    /// and makes its evicted pods anew, and these new pods are not evicted again.
    bool is_old(PodIndex pod) const {
        return time_.measured(cluster_.pod(pod).created) <= removal_.since;
    }

    bool may_evict_daemon(PodIndex pod) const {
        const snapshot::PodGroupRow& row =
            cluster_.equivalence_group(cluster_.equivalence_group_of(pod));
        const auto said = snapshot::find_label(cluster_, row.annotations, daemon_annotation);
        if (said && cluster_.text(*said) == "true") return true;
        if (said && cluster_.text(*said) == "false") return false;
        return removal_.empty ? settings_.daemonset_eviction_for_empty_nodes
                              : settings_.daemonset_eviction_for_occupied_nodes;
    }

    /// Evicts DaemonSet pods once each, after all other pods, which may use them until they end;
    /// the drain does not wait for them.
    void evict_daemons() {
        for (const PodIndex pod : pods_.daemons) {
            if (is_old(pod) && may_evict_daemon(pod) && find_past(pod) == nullptr)
                evict(pod, removal_.evictions[drainability::pod_key(cluster_, pod)], true);
        }
    }

    void have_daemons_wait_their_turn() {
        std::ranges::copy_if(pods_.daemons, std::back_inserter(pods_.moving),
                             [&](PodIndex pod) { return is_old(pod); });
        drainability::sort_by_name(cluster_, pods_.moving);
    }

    std::size_t present_turn() const {
        std::size_t out = std::numeric_limits<std::size_t>::max();
        for (const auto* list : {&pods_.moving, &pods_.ending})
            for (const PodIndex pod : *list) out = std::min(out, turn_of(pod));
        return out;
    }

    void evict_when_due(PodIndex pod) {
        Past& past = removal_.evictions[drainability::pod_key(cluster_, pod)];
        // An eviction that was agreed to is requested again if the pod has not begun to terminate.
        const auto last = std::max(past.agreed, past.refused);
        const bool is_due = !last || later(*last, settings_.eviction_retry) <= now_;
        if (is_due) evict(pod, past, false);
        wake_by(step_.wake_at, later(is_due ? now_ : *last, settings_.eviction_retry));
    }

    void evict(PodIndex pod, Past& past, bool best_effort) {
        const EvictionGrace grace =
            leaves_ ? grace_until(spec(pod), settings_, *leaves_, now_)
                    : EvictionGrace{.shorter = find_shorter_grace(spec(pod), settings_)};
        if (grace.is_too_late) return;
        const std::span<const PodIndex> it(&pod, 1);
        if (const auto shortage = budgets_.find_shortage(it)) {
            past.barred_since.reset();
            return drainability::note_refusal(past, ErrorCode::throttled, shortage->sentence, now_);
        }
        budgets_.take(it);
        step_.evictions.push_back(make_eviction(cluster_, pod, grace.shorter, removal_.because));
        step_.evictions.back().best_effort = best_effort;
    }

    /// The last moment at which the drain still waits for an evicted pod.
    Time gone_by(PodIndex pod, Time agreed) const {
        return later(later(agreed, grace_of(spec(pod), settings_)), settings_.eviction_headroom);
    }

    void wait_for(PodIndex pod) {
        const snapshot::PodRow row = cluster_.pod(pod);
        const Past* past = find_past(pod);
        if (past != nullptr && past->agreed) {
            wake_by(step_.wake_at, gone_by(pod, *past->agreed));
        } else if (const auto last = drainability::given_up_after(
                       row, cluster_.equivalence_group(row.equivalence_group))) {
            wake_by(step_.wake_at, later(time_.measured(*last), Duration(1)));
        }
    }

    /// Why the removal would not have begun with the pods that are on the node now.
    std::string why_not_begun() const {
        if (!pods_.blocked_because.empty()) return pods_.blocked_because;
        return removal_.empty && !pods_.moving.empty()
                   ? drainability::why_not_empty(cluster_, pods_)
                   : "";
    }

    std::string why_stuck() const {
        for (const PodIndex pod : pods_.moving) {
            const Past* past = find_past(pod);
            if (past != nullptr && past->barred_since &&
                now_ >= later(*past->barred_since, barred_for))
                return "pod " + drainability::full_name(cluster_, pod) +
                       " cannot be evicted: " + past->refused_because.text();
        }
        for (const PodIndex pod : pods_.ending) {
            const Past* past = find_past(pod);
            if (past != nullptr && past->agreed && now_ >= gone_by(pod, *past->agreed))
                return "pod " + drainability::full_name(cluster_, pod) + " still exists " +
                       format_rough_duration(now_ - *past->agreed) + " after its eviction";
        }
        return now_ < deadline() ? std::string() : why_late();
    }

    /// Names the pods that have not begun to terminate when the drain's time is up.
    std::string why_late() const {
        std::vector<PodIndex> late;
        for (const PodIndex pod : pods_.moving) {
            const Past* past = find_past(pod);
            const bool is_about_to_end = past != nullptr && past->agreed &&
                                         now_ < later(*past->agreed, settings_.eviction_retry);
            if (!is_about_to_end) late.push_back(pod);
        }
        for (const PodIndex pod : pods_.ending)
            if (!cluster_.pod(pod).deleted) late.push_back(pod);
        if (late.empty()) return {};
        return "not drained within " + format_duration(timeout_) + ": " +
               counted(static_cast<std::int64_t>(late.size()), "pod") +
               " left: " + listed(late, [&](PodIndex pod) { return why_left(pod); });
    }

    std::string why_left(PodIndex pod) const {
        const Past* past = find_past(pod);
        std::string out = drainability::full_name(cluster_, pod);
        if (past != nullptr && past->refused) out += " (" + past->refused_because.text() + ")";
        return out;
    }

    const snapshot::Cluster& cluster_;
    NodeRemoval& removal_;
    pods::DisruptionBudgets& budgets_;
    const ScaleDownSettings& settings_;
    const Duration timeout_;
    const std::optional<Time> leaves_;
    const PassTime time_;
    const Time now_;
    drainability::LeavingPods pods_{};
    DrainStep step_{};
};

}  // namespace

DrainStep step_drain(const PassView& view, NodeIndex node, std::optional<Time> leaves,
                     NodeRemoval& removal, pods::DisruptionBudgets& budgets) {
    CAPSTAN_ASSERT(removal.phase == RemovalPhase::draining, "a node is drained out of its turn");
    return Draining(view, leaves, removal, budgets)
        .run(drainability::find_leaving_pods(view.snapshot.cluster, node, budgets, view.settings,
                                             view.time));
}

namespace {

constexpr Duration api_default = std::chrono::seconds(30);
/// How long before its machine leaves a pod has to be gone.
constexpr Duration leave_margin = std::chrono::seconds(10);
/// A pod that needs longer than this to end is not evicted to end in less.
constexpr Duration least_grace = std::chrono::seconds(5);

Duration granted(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept {
    return settings.drain_priorities.empty()
               ? settings.max_graceful_termination
               : settings.drain_priorities[turn_of(spec, settings)].grace;
}

}  // namespace

std::size_t turn_of(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept {
    const auto& groups = settings.drain_priorities;
    const auto above =
        std::ranges::upper_bound(groups, spec.priority.value_or(0), {}, &DrainPriority::priority);
    const auto at = static_cast<std::size_t>(above - groups.begin());
    return at == 0 ? 0 : at - 1;
}

Duration grace_of(const snapshot::PodSpec& spec, const ScaleDownSettings& settings) noexcept {
    return std::min(spec.termination_grace.value_or(api_default), granted(spec, settings));
}

std::optional<Duration> find_shorter_grace(const snapshot::PodSpec& spec,
                                           const ScaleDownSettings& settings) noexcept {
    const Duration most = granted(spec, settings);
    if (most >= spec.termination_grace.value_or(api_default)) return std::nullopt;
    return most;
}

Eviction make_eviction(const snapshot::Cluster& cluster, PodIndex pod,
                       std::optional<Duration> grace, std::string because) {
    const snapshot::PodRow row = cluster.pod(pod);
    return {.ns = std::string(cluster.text(cluster.equivalence_group(row.equivalence_group).ns)),
            .pod = std::string(cluster.text(row.name)),
            .uid = std::string(cluster.text(row.uid)),
            .node = std::string(cluster.text(row.node_name)),
            .grace = grace,
            .because = std::move(because)};
}

EvictionGrace grace_until(const snapshot::PodSpec& spec, const ScaleDownSettings& settings,
                          Time leaves, Time now) noexcept {
    const Duration own = grace_of(spec, settings);
    // The API takes whole seconds.
    const Duration left = std::chrono::floor<std::chrono::seconds>(leaves - leave_margin - now);
    if (left >= own) return {.shorter = find_shorter_grace(spec, settings)};
    if (left < least_grace) return {.is_too_late = true};
    return {.shorter = left};
}

Time last_eviction(const snapshot::PodSpec& spec, const ScaleDownSettings& settings,
                   Time leaves) noexcept {
    return leaves - leave_margin - grace_of(spec, settings) - settings.eviction_retry;
}

}  // namespace capstan::engine::removal
