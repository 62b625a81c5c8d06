#include "lifecycle.hpp"

#include <algorithm>
#include <array>

namespace capstan::aws {
namespace {

struct LifecycleRow {
    std::string_view prefix;  ///< of the lifecycle state
    Lifecycle means;
};

using enum Membership;
using enum MachineState;

// An instance in EnteringStandby or Detaching no longer counts towards the desired capacity: AWS
// either lowers the capacity or launches a replacement. Replacing a root volume keeps the node.
constexpr std::array lifecycle_rows{
    LifecycleRow{"InService", {member, running}},
    LifecycleRow{"Pending", {member, creating}},
    LifecycleRow{"Terminat", {leaving, deleting}},
    LifecycleRow{"EnteringStandby", {non_member, running}},
    LifecycleRow{"Standby", {non_member, running}},
    LifecycleRow{"Detach", {non_member, running}},
    LifecycleRow{"Warmed:", {warm, running}},
    LifecycleRow{"ReplacingRootVolume", {member, running}},
    LifecycleRow{"RootVolumeReplaced", {member, running}},
    LifecycleRow{"Quarantined", {member, running}},
};

}  // namespace

Lifecycle read_lifecycle(std::string_view state) noexcept {
    for (const LifecycleRow& row : lifecycle_rows)
        if (state.starts_with(row.prefix)) return row.means;
    return {};
}

bool is_member(const AsgInstance& instance) noexcept {
    return read_lifecycle(instance.lifecycle_state).membership == Membership::member;
}

const AsgInstance* find_instance(const AutoScalingGroup& group, std::string_view id) noexcept {
    const auto at = std::find_if(group.instances.begin(), group.instances.end(),
                                 [&](const AsgInstance& instance) { return instance.id == id; });
    return at != group.instances.end() ? &*at : nullptr;
}

}  // namespace capstan::aws
