/// The last pass and the last decisions, for the admin port.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/client/writes/event_recorder.hpp"
#include "runtime/daemon/pass_report.hpp"

namespace capstan::runtime::daemon {

/// [any thread]
class DecisionHistory {
public:
    /// `ring`: decisions that are kept, of passes that asked for an action or left pods
    /// unschedulable; each as text, so that no snapshot outlives its pass.
    explicit DecisionHistory(std::size_t ring = 200) : ring_(ring) {}

    void put(std::shared_ptr<const PassReport> pass);
    /// The last pass that was decided; NULL: there is none yet.
    std::shared_ptr<const PassReport> last() const;
    /// A JSON array, the latest first.
    std::string decisions() const;

private:
    mutable std::mutex mutex_;
    const std::size_t ring_;
    std::shared_ptr<const PassReport> last_{};
    std::deque<std::string> decisions_{};
};

/// Whether something is to be done to clouds or cluster.
bool asks_for_something(const engine::Decision& decision);

// JSON of the last pass.
/// Groups with size, health and back-off.
std::string groups_json(const PassReport& pass);
/// When, how long, how many pods and nodes, what was asked for.
std::string pass_json(const PassReport& pass);

// What a pass tells the users of a cluster: upstream's Events.

/// Those of the cluster as a whole are about `cluster`, the status ConfigMap; `unhealthy_because`
/// is engine::Health's. What pods without a node are told is in pod_events.hpp. A dry run and a
/// dropped pass tell of nothing.
std::vector<kubernetes::client::EventNote> events_of(
    const PassReport& pass, const kubernetes::client::ObjectReference& cluster,
    const std::string& unhealthy_because = {});

}  // namespace capstan::runtime::daemon
