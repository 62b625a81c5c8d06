/// What the lifecycle state of an instance means for its group.
#pragma once

#include <cstdint>
#include <string_view>

#include <capstan/cloud_view.hpp>

#include "../api/auto_scaling.hpp"

namespace capstan::aws {

enum class Membership : std::uint8_t {
    member,      ///< counts towards the desired capacity
    leaving,     ///< is being terminated; the desired capacity no longer includes it
    non_member,  ///< runs and does not count towards the desired capacity: standby, detached
    warm,        ///< in the warm pool, which does not count towards the desired capacity
};

struct Lifecycle {
    Membership membership = Membership::member;
    MachineState state = MachineState::creating;
    bool operator==(const Lifecycle&) const = default;
};

/// `state` is AWS's text: "InService", "Pending:Wait", "Terminating:Retained", ... An unknown state
/// counts as a member that is being created.
Lifecycle read_lifecycle(std::string_view state) noexcept;

/// Whether the instance counts towards the desired capacity of its group.
bool is_member(const AsgInstance& instance) noexcept;
/// The number of members that AWS brings a group to. AWS terminates no protected member, however
/// low the desired capacity is.
constexpr int settled_size(int desired, int protected_members) noexcept {
    return desired > protected_members ? desired : protected_members;
}
/// NULL: AWS does not list the instance in the group.
const AsgInstance* find_instance(const AutoScalingGroup& group, std::string_view id) noexcept;

}  // namespace capstan::aws
