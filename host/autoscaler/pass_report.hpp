/// The report of one pass: what it saw, decided and did.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/actions_under_way.hpp"
#include "autoscaler/cloud_reader.hpp"
#include "autoscaler/pass_cycle.hpp"
#include "engine/health/health.hpp"
#include "engine/pass/outcome.hpp"

namespace capstan::autoscaler {

/// The times of its parts, on the host's clock.
struct PassTimes {
    Duration look{};     ///< at the cluster
    Duration refresh{};  ///< of the clouds
    Duration decide{};
    Duration carry_out{};
    /// A part of carry_out: from the first change of a soft taint to the end of the last one;
    /// absent: there was none, or one has not ended.
    std::optional<Duration> soft_taints{};
    Duration total{};
};

/// Immutable once it is handed to PassReporter.
struct PassReport {
    explicit PassReport(PassInput seen) : input(std::move(seen)) {}

    PassInput input;  ///< groups as decided on, with prices and options
    PassResult result{};
    engine::Results results{};         ///< empty: nothing was carried out
    engine::Memory memory{};           ///< after the results
    std::vector<Error> problems{};     ///< of the refresh of the clouds
    std::vector<CloudState> clouds{};  ///< the state of each, in pipeline order
    /// Results of actions that an earlier pass did not wait for. They are in `memory`, not in
    /// `results`.
    std::vector<ActionsUnderWay::Ended> ended{};
    /// The back-offs before `ended` was remembered; absent: those of the input.
    std::optional<std::map<NodeGroupId, engine::Backoff>> backoffs_before{};
    /// The groups with an action under way after the pass, and the action.
    std::map<NodeGroupId, std::string> under_way{};
    std::string dropped_because{};    ///< empty: it was carried out, or is a dry run
    std::string unwritten_because{};  ///< see CallContext; at the end of the pass
    Time at{};                        ///< when the results had come, see PassTime::now
    PassTimes times{};

    const engine::Decision& decision() const noexcept { return result.outcome.decision; }
    /// `at` on the wall clock.
    Time wall_at() const noexcept { return input.call_context.time().written(at); }
};

/// The maximum of a group for messages: "10", or "no limit".
std::string max_text(const PassReport& pass, const NodeGroupId& id);

/// The health of nodes and groups after the results.
engine::health::Health health_after(const PassReport& pass);

}  // namespace capstan::autoscaler
