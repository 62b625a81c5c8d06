/// What goes wrong in a simulation, and when.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

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
    clock_jump,      ///< somebody sets the wall clock forward by `lasts`, or back if it is negative
    restart,         ///< the autoscaler starts anew with the memory it saved
    restart_midway,  ///< the same after it carried a decision out and before it could remember
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

}  // namespace capstan::simulation
