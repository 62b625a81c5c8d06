/// What a cloud reports about its groups and machines, and the changes requested of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/abi/cloud.h>
#include <capstan/error.hpp>
#include <capstan/ids.hpp>
#include <capstan/node_group.hpp>
#include <capstan/time.hpp>

CAPSTAN_NAMESPACE_BEGIN

/// An unknown state counts as `creating`.
enum class MachineState : std::int32_t {
    requested = CAPSTAN_MACHINE_REQUESTED,  ///< requested; the cloud has not made it yet
    creating = CAPSTAN_MACHINE_CREATING,
    running = CAPSTAN_MACHINE_RUNNING,
    deleting = CAPSTAN_MACHINE_DELETING,
    failed = CAPSTAN_MACHINE_FAILED,
};

/// "Unknown" for an unknown value.
constexpr std::string_view name_of(MachineState state) noexcept {
    switch (state) {
        case MachineState::requested: return "requested";
        case MachineState::creating: return "creating";
        case MachineState::running: return "running";
        case MachineState::deleting: return "deleting";
        case MachineState::failed: return "failed";
    }
    return "Unknown";
}

/// Why a machine will leave although its group is not scaled down.
enum class LeaveReason : std::int32_t {
    other = CAPSTAN_LEAVES_OTHER,
    spot_interruption = CAPSTAN_LEAVES_SPOT_INTERRUPTION,  ///< the cloud takes it back
    rebalance = CAPSTAN_LEAVES_REBALANCE,                  ///< the cloud expects to take it back
    maintenance = CAPSTAN_LEAVES_MAINTENANCE,
    expiry = CAPSTAN_LEAVES_EXPIRY,        ///< its lifetime, or its reservation, ends
    unhealthy = CAPSTAN_LEAVES_UNHEALTHY,  ///< the cloud replaces it: a health check failed
};
/// "spot_interruption"; "Unknown" for an unknown value.
constexpr std::string_view name_of(LeaveReason reason) noexcept {
    switch (reason) {
        case LeaveReason::other: return "other";
        case LeaveReason::spot_interruption: return "spot_interruption";
        case LeaveReason::rebalance: return "rebalance";
        case LeaveReason::maintenance: return "maintenance";
        case LeaveReason::expiry: return "expiry";
        case LeaveReason::unhealthy: return "unhealthy";
    }
    return "Unknown";
}

/// Why and when a machine is about to leave.
struct Leaving {
    LeaveReason reason = LeaveReason::other;
    std::optional<Time> at{};  ///< absent: unknown
    bool operator==(const Leaving&) const = default;
};

/// One machine. It belongs to a group of the view, or it is known to exist and belongs to no group.
struct Machine {
    MachineId id{};       ///< the node's spec.providerID; while requested any stable text
    NodeGroupId group{};  ///< empty: no group; the host never changes the machine
    MachineState state = MachineState::running;
    std::string machine_type{}, zone{};  ///< empty: unknown
    std::optional<Time> launched{};
    std::optional<Error> error{};        ///< see abi/error.h for out_of_capacity and quota
    std::string template_fingerprint{};  ///< of the template it was made from; empty: unknown
    std::string node_name{};  ///< of its node, if that may lack a providerID; empty: unknown
    std::optional<Leaving> leaves{};
    std::optional<bool> spot{};              ///< the cloud may take it back
    std::optional<double> price_per_hour{};  ///< in the currency of its group's price
    /// IP addresses and DNS names that its node may have in status.addresses. A node whose
    /// providerID and names match no machine is matched by an address that only this node and one
    /// machine have.
    std::vector<std::string> addresses{};

    bool operator==(const Machine&) const = default;
};

/// One consistent picture of the cloud. A group that could not be read is in `unreadable`, never
/// left out silently.
struct CloudView {
    bool complete = true;  ///< false: some groups could not be read
    std::vector<NodeGroup> groups{};
    std::vector<Machine> machines{};  ///< ids are unique
    /// Error::subject is the group's id. These groups keep their last known state.
    std::vector<Error> unreadable{};
    /// Not empty: `machines` has all machines of this cloud, and every id begins with this prefix
    /// ("aws:///"). A node has lost its machine when its providerID begins with the prefix and is
    /// not listed. Empty: a machine that is not listed may exist.
    std::string lists_all_with_prefix{};
    /// How long a listed target may lag behind the result of a change. A lower target that is
    /// listed after this time was set by another client. Absent: unknown; the host then uses the
    /// result for as long as a machine may take to join.
    std::optional<Duration> target_lag{};

    bool operator==(const CloudView&) const = default;
};

/// A change of a group's target.
struct Resize {
    NodeGroupId group{};
    /// Number of machines to add (increase) or to take back (decrease_target); always positive.
    int delta = 0;
    /// The target that the host assumes: the listed one, with the changes that the cloud has agreed
    /// to and does not list yet. The new target is `expected_target` plus `delta` (increase) or
    /// minus `delta` (decrease_target).
    int expected_target = 0;
    /// All of `delta` or nothing. A cloud that cannot guarantee this fails with
    /// ErrorCode::unsupported and changes nothing; the host then retries once without it.
    bool all_or_nothing = false;
    std::string idempotency_key{};  ///< a second request with the same key has no effect
    /// The target in the view that the decision was based on. If the cloud's present target is
    /// neither this one nor `expected_target`, another client has set it. Then the request has to
    /// fail as ErrorCode::conflict (TargetSetter does that). Negative: the same as
    /// `expected_target`.
    int listed_target = -1;

    bool operator==(const Resize&) const = default;
};

/// Fewer machines than requested are a result, not a failure: `shortfall` says why there are no
/// more. If the cloud agrees to no machine, the call fails instead.
struct Resized {
    int target = 0;  ///< the cloud's new target, even if its lists still show the old one
    std::optional<Error> shortfall{};  ///< absent: all requested machines
    bool operator==(const Resized&) const = default;
};

/// Machines to remove; the target decreases with them unless `keep_target` is set.
struct Removal {
    NodeGroupId group{};
    std::vector<MachineId> machines{};
    bool force = false;  ///< also below the minimum; for machines that never joined or failed
    std::string idempotency_key{};
    /// The target stays, and the cloud replaces each removed machine: for machines that never
    /// joined, in a group at its minimum. A cloud that cannot do that fails with
    /// ErrorCode::unsupported and removes nothing.
    bool keep_target = false;

    bool operator==(const Removal&) const = default;
};

struct Removed {
    std::vector<Error> failed{};  ///< Error::subject is the machine's id; empty: all were removed
    bool operator==(const Removed&) const = default;
};

CAPSTAN_NAMESPACE_END
