/// The report of a simulation: events, unmet expectations and figures.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/time.hpp>

namespace capstan::simulator {

enum class EventKind {
    arrival,    ///< pods arrive
    departure,  ///< pods are deleted, or end
    increase,   ///< a cloud accepted a request for more machines
    decrease,   ///< a cloud was asked to lower a target without removing machines, and agreed
    removal,  ///< the removal of a node begins, continues or is cancelled; a cloud removes machines
    creation,       ///< a cloud was asked to make a group, and did
    deletion,       ///< a cloud was asked to delete a group, and did
    eviction,       ///< pods are evicted
    backoff,        ///< a group is backed off after a failure, or not any more
    failure,        ///< a cloud or the API server refused a request, or a machine failed
    unschedulable,  ///< pods that fit no group, and why
    note,           ///< another remark of a decision: a limit that was hit, a plugin that failed
    node,           ///< nodes join, become ready or vanish
    bound,          ///< pods got a node
    fault,          ///< something goes wrong because the input says so
    unmet,          ///< an expectation was not met
};

/// One word: "increase".
std::string_view name_of(EventKind kind) noexcept;

/// One line of the event log.
struct Event {
    Duration at{0};  ///< since the start
    EventKind kind = EventKind::note;
    std::string text{};     ///< "increase web by 3: 0 -> 3"
    std::string because{};  ///< the reason as one sentence; empty: none is needed
    /// The group, node or batch of pods that the event is about; empty: not one of these.
    std::string subject{};
    std::optional<std::int64_t> count{};  ///< of the machines, pods or nodes
    bool is_repeated = false;             ///< an earlier event gave the same reason
    bool operator==(const Event&) const = default;
};

/// Pods without a node at the end of the run.
struct StillPending {
    std::string pods{};  ///< name of the batch, or of a single pod
    std::int64_t count = 0;
    Duration longest{0};    ///< the longest time that one of them has waited
    std::string because{};  ///< the reason that the last pass gave
    bool operator==(const StillPending&) const = default;
};

/// Figures over the whole run. Figures about pods do not count pods of DaemonSets.
struct Summary {
    Duration span{0};
    std::int64_t passes = 0;  ///< passes that were run; skipped passes do not count
    /// Pods that a controller created in place of evicted or deleted pods; they also arrived.
    std::int64_t pods_recreated = 0;
    std::int64_t pods_arrived = 0, pods_bound = 0, pods_ended = 0;
    /// Time from arrival to being bound, over all pods that were bound; absent: none was.
    std::optional<Duration> pending_p50{}, pending_p95{}, pending_max{};
    std::int64_t nodes_start = 0, nodes_peak = 0, nodes_end = 0;
    std::int64_t nodes_removed = 0;  ///< nodes whose machines the autoscaler had removed
    std::int64_t removals_undone = 0, evictions = 0;
    /// Time from choosing a node to its being gone, over removed nodes; absent: none was removed.
    std::optional<Duration> removal_p50{}, removal_max{};
    double node_hours = 0;                          ///< of all nodes, each from when it joined
    std::map<std::string, double> node_hours_of{};  ///< by group; "": nodes of no group
    std::optional<double> cost{};  ///< of all groups' nodes; absent: some group has no price
    /// Requests as a share of allocatable over time, 0 to 1; absent: no node had any.
    std::optional<double> cpu_used{}, memory_used{};
    std::vector<StillPending> still_pending{};
    bool operator==(const Summary&) const = default;
};

/// An expectation that did not hold.
struct Unmet {
    std::string place{};  ///< "scenario.toml:31"
    std::string text{};   ///< what was expected and what happened instead; may have several lines
    bool operator==(const Unmet&) const = default;
};

/// Why a run ended.
enum class RunEnd {
    complete,    ///< its steps were over, or Setup::until had come
    time_limit,  ///< Input::time_limit had come, or a step lasted for 30 days without progress
    repetition,  ///< decisions repeated without progress, in one of the steps
};

/// One word: "complete", "time_limit", "repetition".
std::string_view name_of(RunEnd end) noexcept;

struct Report {
    std::string title{};
    std::uint64_t seed = 0;
    /// The start, if it is the time of a real cluster; absent: times of day mean nothing.
    std::optional<Time> start{};
    RunEnd end = RunEnd::complete;
    std::string end_because{};  ///< one sentence for people; empty: complete
    std::vector<Event> events{};
    std::vector<Unmet> unmet{};
    std::int64_t expected = 0;  ///< number of expectations that were checked
    Summary summary{};
};

}  // namespace capstan::simulator
