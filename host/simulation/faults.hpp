/// What goes wrong in a simulation, and when.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <capstan/time.hpp>

namespace capstan::simulation {

enum class FaultKind {
    stock_out,        ///< the cloud has no more machines for a group; what was asked for waits
    quota,            ///< increases of a group are refused: quota
    api_error,        ///< every call to the cloud fails: unavailable
    throttled,        ///< every call to the cloud fails: throttled
    unauthenticated,  ///< every call to the cloud fails: unauthenticated
    slow_calls,       ///< every call to the cloud takes 20 seconds
    silent,           ///< no call to the cloud is answered
    removal_fails,    ///< machines of a group cannot be removed
    lost_machine,     ///< a machine of a group vanishes; its target stays
    never_joins,      ///< machines of a group that begin to run meanwhile never become nodes
    flap,             ///< a node of a group is not ready, and then is again
    eviction_error,   ///< the API server fails: evictions and node changes
    policy_denial,    ///< an admission policy denies every eviction
    clock_jump,       ///< the wall clock is set forward by `lasts`, or back if it is negative
    restart,          ///< the autoscaler starts anew with the memory it saved
    restart_midway,   ///< the same after it carried a decision out and before it could remember
};

/// By the names that scenarios use: "stock_out".
std::string_view name_of(FaultKind kind) noexcept;

/// One that comes once, or with some chance again and again. Those that do not last are over at
/// once: lost_machine, clock_jump, restart, restart_midway. Two of one kind and group that overlap
/// are one.
struct Fault {
    FaultKind kind = FaultKind::stock_out;
    /// Empty: of those about groups, one that chance names each time. Others have none.
    std::string group{};
    /// Empty: of those about clouds, one that chance names each time. Others have none.
    std::string cloud{};
    Duration from{0};  ///< after the start: when it comes, or may come at first
    /// Nothing: it comes once, at `from`. Else it comes with this probability at `from` and after
    /// each `every` from there on.
    std::optional<double> chance{};
    Duration every = std::chrono::minutes(1);
    std::optional<Duration> until{};  ///< after the start: comes no more; nothing: never that
    Duration lasts = std::chrono::minutes(5);
};

// When each fault of an input comes, and when it is over.

/// A fault that comes or ends now.
struct FaultEvent {
    FaultKind kind = FaultKind::stock_out;
    std::string group{};  ///< empty for faults about no group
    std::string cloud{};  ///< empty: of faults about clouds, one that chance names
    Duration lasts{0};
    bool begins = true;        ///< false: it is over
    std::uint64_t chance = 0;  ///< random, for a choice among several
    bool operator==(const FaultEvent&) const = default;
};

/// Whether it is over as soon as it has come.
bool is_brief(FaultKind kind) noexcept;
/// Whether it is about one group.
bool is_about_group(FaultKind kind) noexcept;
/// Whether it is about one cloud.
bool is_about_cloud(FaultKind kind) noexcept;

/// The same seed, the same faults, whatever else happens.
class Faults {
public:
    Faults(std::vector<Fault> faults, Time start, std::uint64_t seed);

    /// Nothing: nothing comes or ends any more.
    std::optional<Time> next_due() const;
    /// What comes and ends until `now`, ends first. `groups`: those there are, of which chance
    /// names one where a fault names none; without any such a fault does not come.
    std::vector<FaultEvent> take_due(Time now, const std::vector<std::string>& groups);

private:
    struct Source {
        Fault fault{};
        std::uint64_t slot = 0;      ///< how many of its moments have passed
        std::optional<Time> next{};  ///< nothing: it comes no more
    };
    using Active = std::tuple<FaultKind, std::string, std::string>;  ///< kind, group, cloud

    std::uint64_t random(std::size_t source, std::uint64_t slot, std::uint64_t use) const;
    void find_next(std::size_t source);
    void begin(const Source& source, std::uint64_t chance, Time now,
               const std::vector<std::string>& groups, std::vector<FaultEvent>& out);

    const Time start_;
    const std::uint64_t seed_;
    std::vector<Source> sources_;
    std::map<Active, Time> active_;  ///< until when
};

}  // namespace capstan::simulation
