/// Hands the Events of a pass to the recorder.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/time.hpp>

#include "autoscaler/daemon/daemon_metrics.hpp"
#include "autoscaler/pass_report.hpp"
#include "kubernetes/client/cache/cluster_cache.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"
#include "plugin_runtime/services/logger.hpp"

namespace capstan::autoscaler::daemon {

// The Events of pending pods: that a group grows for them, or why none does.

/// A decision says how many pods of an equivalence group an option helps, but not which. The pods
/// are chosen in this order: pods without a scale-up so far, then those with the oldest one, each
/// by namespace and name. So each pod that triggered a scale-up gets one Event about it, and a pod
/// gets a second one only when a scale-up has failed. Events that find no room in one pass wait for
/// the next passes, as long as the pod is pending. [one thread]
class PodEvents {
public:
    /// The least time between two Events of one pod and reason, as the correlator has it.
    static constexpr Duration apart = std::chrono::minutes(5);

    /// Takes the decision and results of a pass, in the order of passes. A dry run and a dropped
    /// pass have no Events. Returns the pods that got their first scale-up in this pass.
    std::vector<kubernetes::client::ObjectReference> update(const PassReport& pass);
    /// The Events to send now, at most `room` of them, scale-ups first. They count as sent.
    std::vector<kubernetes::client::EventNote> take(std::size_t room);
    /// Pods with an unsent Event about their scale-up.
    std::size_t waiting() const noexcept { return first_.size() + again_.size(); }
    /// Pods that never got an Event about their scale-up, because they were not pending any more
    /// when it was due. Since the start.
    std::uint64_t unreported() const noexcept { return unreported_; }

private:
    using Message = std::shared_ptr<const std::string>;
    struct Pod {
        kubernetes::client::ObjectReference reference{};
        std::optional<Time> triggered{};        ///< last scale-up
        std::optional<Time> told{}, refused{};  ///< last Event about a scale-up, about none
        Message message{};       ///< of the next Event about a scale-up; NULL: none is due
        std::uint64_t seen = 0;  ///< the last pass in which it was pending
    };
    using Pods = std::map<std::string, Pod>;  ///< by namespace, name and uid
    using Pending = std::map<engine::PodGroupId, std::vector<Pod*>>;

    Pending collect_pending(const PassReport& pass);
    void forget_others();
    void add_schedulable(const engine::ChosenOption& option, const Message& message,
                         Pending& pending,
                         std::vector<kubernetes::client::ObjectReference>& triggered);
    /// `no_new_group_reason`: why no group could be created; none: not known.
    void add_unschedulable(const engine::UnschedulablePods& unschedulable,
                           const engine::Reason& no_new_group_reason, Pending& pending);
    void take_triggered(std::deque<std::string>& queue, std::size_t room,
                        std::vector<kubernetes::client::EventNote>& out);

    Time now_{};                       ///< of the last pass
    std::uint64_t seen_ = 0;           ///< passes
    Pods pods_{};                      ///< pending pods
    std::deque<std::string> first_{};  ///< pods with a first Event about a scale-up due, in order
    std::deque<std::string> again_{};  ///< pods with a further Event about a scale-up due
    std::vector<std::pair<Pod*, Message>> refused_{};  ///< of the last pass, in order
    std::uint64_t unreported_ = 0;
};

/// Sends the Events about the cluster and its nodes first, then those about pods, as far as the
/// recorder's budget allows. Used on the loop's thread alone.
class EventReporter {
public:
    /// The least time between two log lines about pods without an Event.
    static constexpr Duration quiet = std::chrono::minutes(5);

    /// Borrows its arguments.
    EventReporter(io::Loop& loop, plugin_runtime::services::Logger& log, DaemonMetrics& metrics)
        : loop_(loop), log_(log), metrics_(metrics) {}

    /// `about`: see events_of. `cluster_cache` knows since when pods are unschedulable.
    void report(const PassReport& pass, const kubernetes::client::ObjectReference& about,
                const std::string& unhealthy_because,
                const kubernetes::client::ClusterCache& cluster_cache,
                kubernetes::client::EventRecorder& recorder);

private:
    void count_unreported();

    io::Loop& loop_;
    plugin_runtime::services::Logger& log_;
    DaemonMetrics& metrics_;
    PodEvents pods_{};
    std::uint64_t unreported_ = 0;             ///< as of the last log line
    std::optional<Duration> unreported_at_{};  ///< when that line was written
};

}  // namespace capstan::autoscaler::daemon
