/// The last pass and the last decisions for the admin port, and the Events of a pass, with
/// upstream's reasons.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/pass_report.hpp"
#include "kubernetes/client/writes/event_recorder.hpp"

namespace capstan::autoscaler::daemon {

/// [any thread]
class DecisionHistory {
public:
    /// Keeps the last `ring` decisions of passes that asked for an action or had unschedulable
    /// pods. Decisions are kept as text, so that no snapshot outlives its pass.
    explicit DecisionHistory(std::size_t ring = 200) : ring_(ring) {}

    void put(std::shared_ptr<const PassReport> pass);
    /// The last pass that was decided; NULL: there has been none.
    std::shared_ptr<const PassReport> last() const;
    /// A JSON array, the latest first.
    std::string decisions() const;

private:
    mutable std::mutex mutex_;
    const std::size_t ring_;
    std::shared_ptr<const PassReport> last_{};
    std::deque<std::string> decisions_{};
};

/// Events of the cluster as a whole are about `cluster`, the status ConfigMap. `unhealthy_because`:
/// see engine::health::Health. Events of pods are in PodEvents (event_reporter.hpp). A dry run and
/// a dropped pass have no Events.
std::vector<kubernetes::client::EventNote> events_of(
    const PassReport& pass, const kubernetes::client::ObjectReference& cluster,
    const std::string& unhealthy_because = {});

}  // namespace capstan::autoscaler::daemon
