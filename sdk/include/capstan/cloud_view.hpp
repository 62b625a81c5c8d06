/// The machines' side of a cluster: what a cloud reports, and what it is asked to do.
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

enum class MachineState : std::int32_t {
    requested = CAPSTAN_MACHINE_REQUESTED,  ///< asked for; the cloud has not made it (yet)
    creating = CAPSTAN_MACHINE_CREATING,
    running = CAPSTAN_MACHINE_RUNNING,
    deleting = CAPSTAN_MACHINE_DELETING,
    failed = CAPSTAN_MACHINE_FAILED,
};

/// "Unknown" for a value that is none.
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

/// One machine of a group.
struct Machine {
    MachineId id{};  ///< the node's spec.providerID; while requested any stable text
    NodeGroupId group{};
    MachineState state = MachineState::running;
    std::string machine_type{}, zone{};  ///< empty: unknown
    std::optional<Time> launched{};
    std::optional<Error> error{};  ///< out_of_capacity and quota fall over to the next option

    bool operator==(const Machine&) const = default;
};

/// One consistent picture. What could not be read is said, never left out in silence.
struct CloudView {
    bool complete = true;  ///< false: groups in `unreadable` keep their last known state, untouched
    std::vector<NodeGroup> groups{};
    std::vector<Machine> machines{};
    std::vector<Error> unreadable{};  ///< Error::subject is the group's id

    bool operator==(const CloudView&) const = default;
};

/// A change of a group's target.
struct Resize {
    NodeGroupId group{};
    int delta = 0;  ///< how many more, or how many fewer; positive either way
    /// What this was decided on; another target is ErrorCode::conflict. The target that the host
    /// counts with: what `increase` answered counts until a refresh that began later shows at least
    /// as much, or a machine's provisioning time is over. So where the cloud's list may lag behind
    /// its answers, compare with the larger of the list's target and the last answer, both without
    /// machines that `remove` has agreed to take.
    int expected_target = 0;
    bool all_or_nothing = false;
    std::string idempotency_key{};  ///< the same key again has no second effect

    bool operator==(const Resize&) const = default;
};

struct Resized {
    int target = 0;  ///< as the cloud has it now, whatever its lists still show
    bool operator==(const Resized&) const = default;
};

/// Machines to remove; the target falls with them.
struct Removal {
    NodeGroupId group{};
    std::vector<MachineId> machines{};
    bool force = false;  ///< also below the group's minimum, for machines that never joined
    std::string idempotency_key{};

    bool operator==(const Removal&) const = default;
};

struct Removed {
    std::vector<Error> failed{};  ///< Error::subject is the machine's id; empty: all went
    bool operator==(const Removed&) const = default;
};

CAPSTAN_NAMESPACE_END
