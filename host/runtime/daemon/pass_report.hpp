/// One pass: what it saw, decided and did, for its reporters.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/health/health.hpp"
#include "engine/pass/outcome.hpp"
#include "runtime/actions_under_way.hpp"
#include "runtime/cloud_reader.hpp"
#include "runtime/pass_cycle.hpp"

namespace capstan::runtime::daemon {

/// How long its parts took, on the host's clock.
struct PassTimes {
    Duration look{};     ///< at the cluster
    Duration refresh{};  ///< of the clouds
    Duration decide{};
    Duration carry_out{};
    /// Within it: until the last soft taint was set or taken off; nothing: there was none to.
    std::optional<Duration> soft_taints{};
    Duration total{};
};

/// Immutable once it is told of.
struct PassReport {
    explicit PassReport(PassInput seen) : input(std::move(seen)) {}

    PassInput input;  ///< groups as decided on, with prices and options
    PassResult result{};
    engine::Results results{};         ///< empty: nothing was carried out
    engine::Memory memory{};           ///< after the results
    std::vector<Error> problems{};     ///< of looking at the clouds
    std::vector<CloudState> clouds{};  ///< how each stands, in pipeline order
    /// What came of actions that a pass before went on without: in `memory`, not in `results`.
    std::vector<ActionsUnderWay::Ended> ended{};
    /// As they were before what has ended was noted; nothing: as in the input.
    std::optional<std::map<NodeGroupId, engine::Backoff>> backoffs_before{};
    /// Groups of which an action goes on beside the passes, and which.
    std::map<NodeGroupId, std::string> under_way{};
    std::string dropped_because{};  ///< empty: it was carried out, or is a dry run
    Time at{};                      ///< when the results were there, see PassTime::now
    PassTimes times{};

    const engine::Decision& decision() const noexcept { return result.outcome.decision; }
    /// `at` as others are to read it.
    Time shown_at() const noexcept { return input.call_context.time().written(at); }
};

/// The largest size of a group, as messages have it: "10", or "no limit".
std::string max_text(const PassReport& pass, const NodeGroupId& id);

/// How nodes and groups are doing once the results are there.
engine::health::Health health_after(const PassReport& pass);

}  // namespace capstan::runtime::daemon
