/// What a managed instance means for its group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/cloud_view.hpp>

#include "../api/managed_groups.hpp"

namespace capstan::gce {

enum class Membership : std::uint8_t {
    member,   ///< counts towards the target size
    leaving,  ///< is being deleted; the target size is without it
    apart,    ///< exists beside the target size: suspended, stopped, abandoned
};

struct MachineStanding {
    Membership standing = Membership::member;
    MachineState state = MachineState::creating;
    bool operator==(const MachineStanding&) const = default;
};

/// By the action that its group carries out on it, and by its status. An action that is not known
/// counts as a member's, which runs where its status says so. `has_standby`: the group keeps
/// suspended or stopped instances on purpose.
MachineStanding read_standing(std::string_view action, std::string_view status,
                              bool has_standby) noexcept;

/// Whether instances of the group are suspended or stopped beside its target size.
inline bool has_standby(const ManagedGroup& group) noexcept {
    return group.target_suspended + group.target_stopped > 0;
}

/// Why the last attempt to make it failed: of several reasons the first that is not `unavailable`.
/// Nothing: it has not failed.
std::optional<Error> find_fault(const ManagedInstance& instance);

}  // namespace capstan::gce
