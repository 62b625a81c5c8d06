/// What the lifecycle state of an instance means for its group.
#pragma once

#include <cstdint>
#include <string_view>

#include <capstan/cloud_view.hpp>

namespace capstan::aws {

enum class Membership : std::uint8_t {
    member,   ///< counts towards the desired capacity
    leaving,  ///< is being terminated; the desired capacity is without it
    apart,    ///< runs beside the group and does not count: standby, detached
    warm,     ///< of the warm pool, which is not the group's capacity
};

struct Lifecycle {
    Membership standing = Membership::member;
    MachineState state = MachineState::creating;
    bool operator==(const Lifecycle&) const = default;
};

/// Of "InService", "Pending:Wait", "Terminating:Retained", ... One that is not known counts as a
/// member that is being made.
Lifecycle read_lifecycle(std::string_view state) noexcept;

}  // namespace capstan::aws
