/// What came of a simulation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/time.hpp>

namespace capstan::simulation {

enum class EventKind {
    arrival,    ///< pods arrive
    departure,  ///< pods are taken away, or end
    increase,   ///< a cloud was asked for more machines, and agreed
    decrease,   ///< a cloud took back what it was asked for
    removal,    ///< the removal of a node begins, goes on or is undone; a cloud removes machines
    creation,   ///< a cloud was asked to make a group, and did
    deletion,   ///< a cloud was asked to delete a group, and did
    eviction,   ///< pods are evicted
    backoff,    ///< a group is backed off after a failure, or not any more
    failure,    ///< a cloud refused, or a machine failed
    unschedulable,  ///< pods for which nothing can be done, and why
    note,           ///< what else a decision says: a limit that was hit, a plugin that failed
    node,           ///< nodes join, become ready or vanish
    bound,          ///< pods got a node
    fault,          ///< something goes wrong because the input says so
    unmet,          ///< an expectation was not met
};

/// One word: "increase".
std::string_view name_of(EventKind kind) noexcept;

/// One line of the story.
struct Event {
    Duration at{0};  ///< since the start
    EventKind kind = EventKind::note;
    std::string text{};     ///< "increase web by 3: 0 -> 3"
    std::string because{};  ///< one sentence; empty: the text says all
    /// What it is about, where that is one thing: a group, a batch of pods.
    std::string subject{};
    std::optional<std::int64_t> count{};  ///< machines, pods, nodes
    bool is_told = false;                 ///< the reason, by an event before it
    bool operator==(const Event&) const = default;
};

/// Pods that have no node at the end.
struct StillPending {
    std::string pods{};  ///< the batch, or one pod's name
    std::int64_t count = 0;
    Duration longest{0};    ///< waiting
    std::string because{};  ///< the last pass's sentence
    bool operator==(const StillPending&) const = default;
};

/// Figures over the whole time. DaemonSet pods are in none of those about pods.
struct Summary {
    Duration span{0};
    std::int64_t passes = 0;  ///< that were run; those that would have changed nothing are skipped
    /// Those that came in place of one that lost its node are among the arrived.
    std::int64_t pods_recreated = 0;
    std::int64_t pods_arrived = 0, pods_bound = 0, pods_ended = 0;
    /// From arrival to being bound, of those that were bound; nothing: none was.
    std::optional<Duration> pending_p50{}, pending_p95{}, pending_max{};
    std::int64_t nodes_start = 0, nodes_peak = 0, nodes_end = 0;
    std::int64_t nodes_removed = 0;  ///< whose machines a cloud removed because it was asked to
    std::int64_t removals_undone = 0, evictions = 0;
    /// From a node being chosen to its being gone, of those that were removed; nothing: none was.
    std::optional<Duration> removal_p50{}, removal_max{};
    double node_hours = 0;                          ///< of nodes, from when they joined
    std::map<std::string, double> node_hours_of{};  ///< by group; "": in none
    std::optional<double> cost{};  ///< of all groups' nodes; nothing: some group has no price
    /// Requested of allocatable, over time; 0 to 1; nothing: no node had any.
    std::optional<double> cpu_used{}, memory_used{};
    std::vector<StillPending> still_pending{};
    bool operator==(const Summary&) const = default;
};

/// An expectation that did not hold.
struct Unmet {
    std::string place{};  ///< "scenario.toml:31"
    std::string text{};   ///< what was expected and what came instead, in lines
    bool operator==(const Unmet&) const = default;
};

struct Report {
    std::string title{};
    std::uint64_t seed = 0;
    std::vector<Event> events{};
    std::vector<Unmet> unmet{};
    std::int64_t expected = 0;  ///< expectations that were looked at
    Summary summary{};
};

}  // namespace capstan::simulation
