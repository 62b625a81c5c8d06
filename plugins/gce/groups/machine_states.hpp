/// What the current action and status of a managed instance mean for its group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/cloud_view.hpp>

#include "../api/managed_groups.hpp"

namespace capstan::gce {

enum class Membership : std::uint8_t {
    member,      ///< counts towards the target size
    leaving,     ///< is being deleted; the target size no longer includes it
    non_member,  ///< does not count towards the target size: suspended, stopped, abandoned
};

struct MachineStatus {
    Membership membership = Membership::member;
    MachineState state = MachineState::creating;
    bool stops = false;  ///< a member that stops or has stopped, although its group wants it to run
    bool operator==(const MachineStatus&) const = default;
};

/// `action`: the current action of the group on the instance. An instance with an unknown action is
/// a member, and runs if its status is RUNNING. `has_standby`: see below.
MachineStatus read_machine_status(std::string_view action, std::string_view status,
                                  bool has_standby) noexcept;

/// Whether the group has a standby pool: suspended or stopped instances beyond its target size.
inline bool has_standby(const ManagedGroup& group) noexcept {
    return group.target_suspended + group.target_stopped > 0;
}

/// Why the last attempt to create the instance failed; absent if it has not failed. Of several
/// errors, the first that is not `unavailable`.
std::optional<Error> find_fault(const ManagedInstance& instance);

}  // namespace capstan::gce
