/// Hands what a pass has for users of the cluster to the recorder of events.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "kubernetes/client/watch/cluster_cache.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"
#include "runtime/daemon/daemon_metrics.hpp"
#include "runtime/daemon/pod_events.hpp"
#include "runtime/services/logger.hpp"

namespace capstan::runtime::daemon {

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
