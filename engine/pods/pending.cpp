#include "engine/pods/pending.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "engine/next_change.hpp"
#include "engine/snapshot/spread_timeout.hpp"
#include "engine/templates/daemons.hpp"

namespace capstan::engine::pods {
namespace {

/// Reasons with the number of pods that were skipped for each.
class CountedReasons {
public:
    using Id = std::size_t;
    Id add(ReasonCode code, std::string sentence) {
        const auto [at, is_new] = ids_.try_emplace(std::move(sentence), counted_.size());
        if (is_new) counted_.push_back({.code = code, .because = at->first});
        return at->second;
    }
    void count(Id reason) { ++counted_[reason].count; }
    Reason reason(Id id) const { return {counted_[id].code, {}, counted_[id].because}; }
    std::vector<SkippedPods> list() const {
        std::vector<SkippedPods> out;
        for (const auto& [sentence, id] : ids_)
            if (counted_[id].count > 0) out.push_back(counted_[id]);
        return out;
    }

private:
    std::map<std::string, Id> ids_;
    std::vector<SkippedPods> counted_;
};

/// What holds for all pods of an equivalence group, and the pods of it that were found.
struct PendingPodGroup {
    bool is_evaluated = false;
    bool bypassed = false;  ///< its pods count before their scheduler has tried them
    std::optional<CountedReasons::Id> never{};  ///< why its pods never count
    Duration delay{};                           ///< age that a pod has to exceed
    CountedReasons::Id young = 0;               ///< reason for pods that do not exceed it
    CountedReasons::Id untried = 0;  ///< reason for pods that their scheduler has not marked
    std::uint32_t count = 0;
    std::string_view first{};  ///< name of the first pod
    PendingPods::Ages ages{};
};

bool lists_scheduler(const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

class PendingPodFilter {
public:
    PendingPodFilter(const snapshot::Cluster& cluster, const Settings& settings,
                     const PassTime& time)
        : cluster_(cluster),
          settings_(settings),
          time_(time),
          pod_groups_(cluster.pod_group_count()) {}

    PendingPods run(std::span<const PodIndex> evicted) {
        look_at_unbound();
        for (const PodIndex p : evicted) {
            const snapshot::PodRow pod = cluster_.pod(p);
            const auto never = pod_group_of(pod.equivalence_group).never;
            never ? reasons_.count(*never) : take(pod, pod.equivalence_group, Time::max());
        }
        leave_out_youngest();
        for (const Taken& pod : taken_) count(pod);
        out_.pod_groups = in_order();
        for (const PodCount& pods : out_.pod_groups)
            out_.ages.push_back(pod_groups_[pods.equivalence_group].ages);
        out_.skipped = reasons_.list();
        for (auto& [written, note] : notes_) out_.notes.push_back(std::move(note));
        return std::move(out_);
    }

    /// Why the pod does not count; none: it counts.
    Reason reason_of(PodIndex asked) {
        const snapshot::PodRow row = cluster_.pod(asked);
        if (const auto reason = why_skipped(row, pod_group_of(row.equivalence_group)))
            return reasons_.reason(*reason);
        look_at_unbound();
        leave_out_youngest();
        const PodGroupId id = equivalence_group_now(row);
        const bool is_taken = std::ranges::any_of(taken_, [&](const Taken& pod) {
            return pod.equivalence_group == id && pod.name == row.name;
        });
        return is_taken ? Reason() : reasons_.reason(too_many());
    }

private:
    void look_at_unbound() {
        for (const PodIndex p : cluster_.unbound()) {
            const snapshot::PodRow pod = cluster_.pod(p);
            const auto reason = why_skipped(pod, pod_group_of(pod.equivalence_group));
            reason ? reasons_.count(*reason) : take(pod, equivalence_group_now(pod), pod.created);
        }
    }

    CountedReasons::Id too_many() {
        return reasons_.add(ReasonCode::pod_limit_reached,
                            "not among the " + std::to_string(settings_.max_pods_considered) +
                                " oldest (scale_up.max_unschedulable_pods_considered)");
    }

    /// A pod that counts, with its equivalence group at the time of the pass.
    struct Taken {
        PodGroupId equivalence_group;
        snapshot::Symbol name;
        Time created;
        Time queued;   ///< when the pod that needs a node was created
        bool untried;  ///< by its scheduler
    };
    void take(const snapshot::PodRow& pod, PodGroupId id, Time queued) {
        const bool is_untried =
            pod.node == snapshot::no_node && cluster_.text(pod.unscheduled_reason).empty();
        taken_.push_back({id, pod.name, pod.created, queued, is_untried});
    }

    PodGroupId equivalence_group_now(const snapshot::PodRow& pod) {
        const PodGroupId id = snapshot::equivalence_group_at(cluster_, pod, time_.wall);
        const auto timeout = cluster_.equivalence_group(pod.equivalence_group).spread_timeout;
        if (id == pod.equivalence_group && timeout)
            wake_at(snapshot::lapse_of(time_.measured(pod.created), *timeout));
        return id;
    }

    void leave_out_youngest() {
        const auto most = static_cast<std::size_t>(std::max(settings_.max_pods_considered, 0));
        if (most == 0 || taken_.size() <= most) return;
        const CountedReasons::Id young = too_many();
        for (std::size_t i = most; i < taken_.size(); ++i) reasons_.count(young);
        out_.left_out = static_cast<std::uint32_t>(taken_.size() - most);
        const auto age = [&](const Taken& pod) {
            return std::tuple(pod.created,
                              cluster_.text(cluster_.equivalence_group(pod.equivalence_group).ns),
                              cluster_.text(pod.name));
        };
        const auto end = taken_.begin() + static_cast<std::ptrdiff_t>(most);
        std::ranges::nth_element(taken_, end, {}, age);
        taken_.erase(end, taken_.end());
    }

    void count(const Taken& pod) {
        PendingPodGroup& found = pod_group_of(pod.equivalence_group);
        const std::string_view name = cluster_.text(pod.name);
        if (pod.untried) ++out_.untried;
        if (found.count++ == 0 || name < found.first) found.first = name;
        found.ages.oldest = std::min(found.ages.oldest, pod.queued);
        found.ages.newest = std::max(found.ages.newest, pod.queued);
    }

    void wake_at(std::optional<Time> time) {
        if (time) out_.wake_at = std::min(out_.wake_at.value_or(*time), *time);
    }

    PendingPodGroup& pod_group_of(PodGroupId id) {
        PendingPodGroup& found = pod_groups_[id];
        if (found.is_evaluated) return found;
        const snapshot::PodGroupRow& row = cluster_.equivalence_group(id);
        found.is_evaluated = true;
        found.bypassed = lists_scheduler(settings_.bypassed_scheduler_names, row.spec->scheduler);
        found.never = why_never(row);
        found.untried = untried_by(row.spec->scheduler);
        found.delay = settings_.new_pod_delay;
        if (const auto own = snapshot::find_label(cluster_, row.annotations,
                                                  well_known::pod_scale_up_delay_annotation)) {
            found.delay = delay(cluster_.text(*own));
        }
        if (found.delay > Duration(0)) {
            found.young =
                reasons_.add(ReasonCode::too_young, "younger than " + format_duration(found.delay));
        }
        return found;
    }

    CountedReasons::Id untried_by(const std::string& scheduler) {
        const bool is_default = scheduler.empty() || scheduler == "default-scheduler";
        return reasons_.add(
            ReasonCode::not_tried,
            "not marked unschedulable by " +
                (is_default ? "the scheduler" : "scheduler " + in_quotes(scheduler)));
    }

    std::optional<CountedReasons::Id> why_never(const snapshot::PodGroupRow& row) {
        const std::string& scheduler = row.spec->scheduler;
        if (!settings_.allowed_scheduler_names.empty() &&
            !lists_scheduler(settings_.allowed_scheduler_names, scheduler)) {
            return reasons_.add(ReasonCode::other_scheduler,
                                "scheduler " + in_quotes(scheduler) +
                                    " is not in scale_up.allowed_scheduler_names");
        }
        if (is_expendable(*row.spec, settings_)) {
            return reasons_.add(ReasonCode::expendable,
                                "expendable: priority below " +
                                    std::to_string(settings_.expendable_pods_priority_cutoff) +
                                    " (scale_up.expendable_pods_priority_cutoff)");
        }
        return templates::is_of_daemon_set(cluster_, row) ? std::optional(daemons_) : std::nullopt;
    }

    /// The longer of Settings::new_pod_delay and the delay in the annotation.
    Duration delay(std::string_view written) {
        const Result<Duration> own = parse_duration(written);
        if (own && *own >= settings_.new_pod_delay) return *own;
        const std::string why = own ? "shorter than scale_up.new_pod_delay (" +
                                          format_duration(settings_.new_pod_delay) + ")"
                                    : own.error().message;
        notes_[std::string(written)] = std::string(well_known::pod_scale_up_delay_annotation) +
                                       " " + in_quotes(written) + " is ignored: " + why;
        return settings_.new_pod_delay;
    }

    std::optional<CountedReasons::Id> why_skipped(const snapshot::PodRow& pod,
                                                  const PendingPodGroup& found) {
        if (pod.deleted) return deleted_;
        const std::string_view reason = cluster_.text(pod.unscheduled_reason);
        if (pod.gated || reason == "SchedulingGated") return gated_;
        if (found.never) return found.never;
        if (find_nominated_node(cluster_, pod)) return nominated_;
        if (reason != "Unschedulable" && !(found.bypassed && reason.empty())) return found.untried;
        return why_young(pod, found);
    }

    std::optional<CountedReasons::Id> why_young(const snapshot::PodRow& pod,
                                                const PendingPodGroup& found) {
        // Without a delay a pod counts even if it was created at this very moment. A pod from the
        // future was created before the clock was set back, so its age is unknown.
        const Time created = time_.measured(pod.created);
        const Duration age = time_.now - created;
        if (found.delay <= Duration(0) || age > found.delay || age < -found.delay)
            return std::nullopt;
        wake_at(later(later(created, found.delay), Duration(1)));
        return found.young;
    }

    std::vector<PodCount> in_order() const {
        using SortKey = std::tuple<std::int64_t, std::string_view, std::string_view, PodGroupId>;
        std::vector<SortKey> keys;
        for (PodGroupId id = 0; id < pod_groups_.size(); ++id) {
            if (pod_groups_[id].count == 0) continue;
            const snapshot::PodGroupRow& row = cluster_.equivalence_group(id);
            keys.emplace_back(-std::int64_t{row.spec->priority.value_or(0)}, cluster_.text(row.ns),
                              pod_groups_[id].first, id);
        }
        std::ranges::sort(keys);
        std::vector<PodCount> out;
        out.reserve(keys.size());
        for (const auto& [priority, ns, name, id] : keys) {
            std::string example;
            example.reserve(ns.size() + 1 + name.size());
            example.append(ns).append("/").append(name);
            out.push_back({id, std::move(example), pod_groups_[id].count});
        }
        return out;
    }

    const snapshot::Cluster& cluster_;
    const Settings& settings_;
    PassTime time_;
    std::vector<PendingPodGroup> pod_groups_;  // by PodGroupId
    CountedReasons reasons_;
    std::map<std::string, std::string> notes_;
    std::vector<Taken> taken_;
    PendingPods out_;
    const CountedReasons::Id deleted_ = reasons_.add(ReasonCode::being_deleted, "being deleted");
    const CountedReasons::Id gated_ =
        reasons_.add(ReasonCode::scheduling_gated, "waiting for a scheduling gate");
    const CountedReasons::Id nominated_ =
        reasons_.add(ReasonCode::nominated, "nominated to a node by preemption");
    const CountedReasons::Id daemons_ =
        reasons_.add(ReasonCode::daemon_set_pod, "DaemonSet pods need no new node");
};

}  // namespace

PendingPods find_pending(const snapshot::Cluster& cluster, const Settings& settings,
                         const PassTime& time, std::span<const PodIndex> evicted) {
    return PendingPodFilter(cluster, settings, time).run(evicted);
}

Reason why_skipped(const snapshot::Cluster& cluster, const Settings& settings, const PassTime& time,
                   PodIndex pod) {
    return PendingPodFilter(cluster, settings, time).reason_of(pod);
}

}  // namespace capstan::engine::pods
