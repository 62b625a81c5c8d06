/// Hands what a pass has for users of the cluster to the recorder of events.
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

#include "kubernetes/client/watch/cluster_cache.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"
#include "runtime/daemon/daemon_metrics.hpp"
#include "runtime/daemon/pass_report.hpp"
#include "runtime/services/logger.hpp"

namespace capstan::runtime::daemon {

// What pods without a node are told: that a group grows for them, or why none does.

/// Pods of one class are alike to a pass, which says how many of them an option helps and not
/// which. Those that no scale-up was for so far come first, then those for which it is longest ago,
/// each by namespace and name. So each pod that triggered is told so, once, and only a scale-up
/// that comes to nothing brings the same pods up again. What there is no room for in one pass waits
/// for the next ones, as long as the pod waits for its node. [one thread]
class PodEvents {
public:
    /// One pod's events of one reason are at least so far apart, as the correlator has it.
    static constexpr Duration apart = std::chrono::minutes(5);

    /// Takes in what a pass decided and did, in the order of passes. A dry run and a dropped pass
    /// tell of nothing. The answer: the pods that a scale-up was ordered for the first time for.
    std::vector<kubernetes::client::ObjectReference> see(const PassReport& pass);
    /// What is to be told now, no more than `room` of it, scale-ups first. Counts as told.
    std::vector<kubernetes::client::EventNote> take(std::size_t room);
    /// Pods that are to be told of their scale-up.
    std::size_t waiting() const noexcept { return first_.size() + again_.size(); }
    /// Pods that were never told of their scale-up, for they waited no longer when it was their
    /// turn; since the start.
    std::uint64_t unreported() const noexcept { return unreported_; }

private:
    using Message = std::shared_ptr<const std::string>;
    struct Pod {
        kubernetes::client::ObjectReference reference{};
        std::optional<Time> triggered{};        ///< when last
        std::optional<Time> told{}, refused{};  ///< of its scale-up, of none that helps; when last
        Message message{};       ///< of the scale-up that it is to be told of; NULL: it has been
        std::uint64_t seen = 0;  ///< the last pass in which it waited for a node
    };
    using Pods = std::map<std::string, Pod>;  ///< by namespace, name and uid
    using Pending = std::map<engine::snapshot::PodGroupId, std::vector<Pod*>>;

    Pending see_pending(const PassReport& pass);
    void forget_others();
    void see_schedulable(const engine::ChosenOption& option, const Message& message,
                         Pending& pending,
                         std::vector<kubernetes::client::ObjectReference>& triggered);
    /// `none_made`: why no group could be made either; empty: not told.
    void see_unschedulable(const engine::UnschedulablePods& unschedulable,
                           const std::string& no_new_group_reason, Pending& pending);
    void take_triggered(std::deque<std::string>& queue, std::size_t room,
                        std::vector<kubernetes::client::EventNote>& out);

    Time now_{};                       ///< of the last pass
    std::uint64_t seen_ = 0;           ///< passes
    Pods pods_{};                      ///< that wait for a node
    std::deque<std::string> first_{};  ///< to be told of a scale-up for the first time, in turn
    std::deque<std::string> again_{};  ///< of another one
    std::vector<std::pair<Pod*, Message>> refused_{};  ///< of the last pass, in turn
    std::uint64_t unreported_ = 0;
};

/// Events about the cluster and its nodes come first, then those about pods, as many as the
/// recorder's budget leaves room for. Used on the loop's thread alone.
class EventReporter {
public:
    /// Pods that were not told are said to the log so far apart at least.
    static constexpr Duration quiet = std::chrono::minutes(5);

    /// Borrows all.
    EventReporter(io::Loop& loop, services::Logger& log, DaemonMetrics& metrics)
        : loop_(loop), log_(log), metrics_(metrics) {}

    /// `about`: see events_of. `mirror` knows since when pods have been waiting.
    void tell(const PassReport& pass, const kubernetes::client::ObjectReference& about,
              const std::string& unhealthy_because, const kubernetes::client::ClusterCache& mirror,
              kubernetes::client::EventRecorder& recorder);

private:
    void tell_unreported();

    io::Loop& loop_;
    services::Logger& log_;
    DaemonMetrics& metrics_;
    PodEvents pods_{};
    std::uint64_t unreported_ = 0;             ///< that the log knows of
    std::optional<Duration> unreported_at_{};  ///< when it was told last
};

}  // namespace capstan::runtime::daemon
