/// The faults of a simulation: what goes wrong, and when each fault begins and ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <capstan/time.hpp>

namespace capstan::simulator {

enum class FaultKind {
    stock_out,        ///< the cloud has no more machines for a group; requested ones wait
    quota,            ///< increases of a group are refused: quota
    api_error,        ///< every call to the cloud fails: unavailable
    throttled,        ///< every call to the cloud fails: throttled
    unauthenticated,  ///< every call to the cloud fails: unauthenticated
    slow_calls,       ///< every call to the cloud takes 20 seconds
    silent,           ///< no call to the cloud is answered
    removal_fails,    ///< machines of a group cannot be removed
    lost_machine,     ///< a machine of a group vanishes; its target stays
    /// a machine of a group is announced to leave after `lasts`, and mostly vanishes
    interruption,
    never_joins,     ///< machines of a group that begin to run meanwhile never become nodes
    flap,            ///< a node of a group is not ready for a while
    eviction_error,  ///< the API server fails: evictions and node changes
    policy_denial,   ///< an admission policy denies every eviction
    slow_scheduler,  ///< kube-scheduler tries no pod
    clock_jump,      ///< the wall clock is set forward by `lasts`, or back if it is negative
    restart,         ///< the autoscaler restarts with its saved memory
    restart_midway,  ///< the autoscaler restarts between a decision's actions and saving its memory
    lost_lease,      ///< another process leads: the autoscaler makes no pass
    lost_lease_midway,  ///< the Lease is lost between a decision and its actions, and regained
    unobserved,         ///< no watch of the API server is answered
    unwritten,          ///< the memory cannot be written
    /// changes are carried out by the cloud, and it answers `unavailable`
    lost_answers,
    late_answers,   ///< changes are carried out by the cloud, and their calls are not answered
    stale_lists,    ///< the lists of the cloud are as old as stale_lists_lag
    partial_lists,  ///< the lists of the cloud omit every third machine
    cordoned,       ///< an operator cordons a node of a group
    foreign_taint,  ///< another client taints a node of a group
    lost_label,     ///< a node of a group lacks one of its labels
    deleted_node,   ///< another client deletes the Node object of a machine of a group
    twin_node,      ///< a second Node object has the providerID of a node of a group
    lost_memory,    ///< the autoscaler restarts without its memory
    old_memory,     ///< the autoscaler restarts with a memory that is older than the last one
    plugin_fails,   ///< the decision hooks of a plugin fail, so passes decide without them
    memory_limit,   ///< a memory that is written has at most Fault::room bytes
    /// no replica leads; then another one leads with the saved memory, on a host whose clock
    /// differs
    takeover,
};

/// How old lists are during FaultKind::stale_lists.
constexpr Duration stale_lists_lag = std::chrono::seconds(45);

/// How far the wall clock of the host is ahead of the one of the cluster after
/// FaultKind::takeover; a negative value: behind.
Duration takeover_skew(std::uint64_t chance) noexcept;
constexpr Duration takeover_skew_max = std::chrono::seconds(30);

/// The name of the fault in scenarios: "stock_out".
std::string_view name_of(FaultKind kind) noexcept;
/// The names of all faults, in the order of the enumerators.
std::span<const std::string_view> names_of(FaultKind) noexcept;

/// A fault that occurs once, or repeatedly with some probability. Kinds for which is_brief() is
/// true have no duration. Overlapping faults of one kind, group, cloud and plugin are one.
struct Fault {
    FaultKind kind = FaultKind::stock_out;
    /// The group, for kinds about a group; empty: one is drawn each time. Other kinds have none.
    std::string group{};
    /// The cloud, for kinds about a cloud; empty: one is drawn each time. Other kinds have none.
    std::string cloud{};
    /// The plugin, for kinds about a plugin; empty: one is drawn each time. Other kinds have none.
    std::string plugin{};
    Duration from{0};  ///< after the start: first possible time
    /// Absent: the fault occurs once, at `from`. Otherwise it occurs with this probability at
    /// `from` and after each further `every`.
    std::optional<double> chance{};
    Duration every = std::chrono::minutes(1);
    std::optional<Duration> until{};  ///< after the start: last possible time; absent: no limit
    Duration lasts = std::chrono::minutes(5);
    int room = 0;  ///< for memory_limit; 0: no memory can be written
    /// FaultEvent::chance; absent: drawn from the seed each time.
    std::optional<std::uint64_t> draw{};
};

// The schedule of the faults of an input.

/// A fault that begins or ends now.
struct FaultEvent {
    FaultKind kind = FaultKind::stock_out;
    std::string group{};   ///< empty for faults about no group
    std::string cloud{};   ///< of faults about clouds; empty: one is to be drawn by `chance`
    std::string plugin{};  ///< of faults about plugins; empty: one is to be drawn by `chance`
    Duration lasts{0};
    int room = 0;
    bool begins = true;        ///< false: the fault ends
    std::uint64_t chance = 0;  ///< a random number, for drawing among clouds, plugins or nodes
    bool operator==(const FaultEvent&) const = default;
};

/// Whether faults of that kind have no duration.
bool is_brief(FaultKind kind) noexcept;
/// Whether faults of that kind are about one group.
bool is_about_group(FaultKind kind) noexcept;
/// Whether faults of that kind are about one cloud.
bool is_about_cloud(FaultKind kind) noexcept;
/// Whether faults of that kind are about one plugin.
bool is_about_plugin(FaultKind kind) noexcept;
/// Whether faults of that kind change neither machines nor lists of machines.
bool spares_machines(FaultKind kind) noexcept;
/// Whether the fault leaves a choice to its random number.
bool uses_draw(const Fault& fault) noexcept;

/// Draws when each fault begins and ends. Each draw is a hash of the seed, the fault and the
/// moment, so the same seed gives the same faults whatever else happens in the run.
class Faults {
public:
    Faults(std::vector<Fault> faults, Time start, std::uint64_t seed);

    /// When the next fault begins or ends; absent: none does any more.
    std::optional<Time> next_due() const;
    /// The faults that begin or end by `now`, ends first. `groups`: the groups there are. One of
    /// them is drawn if a fault about a group names none; if there are no groups, that fault does
    /// not come.
    std::vector<FaultEvent> take_due(Time now, const std::vector<std::string>& groups);
    /// The faults that have begun since the last call, in order, each as a fault that occurs once
    /// and leaves nothing to chance.
    std::vector<Fault> take_drawn() { return std::exchange(drawn_, {}); }

private:
    struct Source {
        Fault fault{};
        std::uint64_t slot = 0;      ///< number of the next moment, which is from + slot * every
        std::optional<Time> next{};  ///< next occurrence; absent: none
    };
    /// Kind, group, cloud, plugin.
    using Active = std::tuple<FaultKind, std::string, std::string, std::string>;

    std::uint64_t random(std::size_t source, std::uint64_t slot, std::uint64_t use) const;
    void find_next(std::size_t source);
    void begin(const Source& source, std::uint64_t chance, Time now,
               const std::vector<std::string>& groups, std::vector<FaultEvent>& out);

    const Time start_;
    const std::uint64_t seed_;
    std::vector<Source> sources_;
    std::map<Active, Time> active_;  ///< faults under way, with their ends
    std::vector<Fault> drawn_;
};

}  // namespace capstan::simulator
