#include "lifecycle.hpp"

#include <array>

namespace capstan::aws {
namespace {

struct LifecycleRow {
    std::string_view begins;  ///< with this
    Lifecycle means;
};

using enum Membership;
using enum MachineState;

// EnteringStandby and Detaching have left the desired capacity already; where it is kept, an
// instance in their place is launched. A root volume is replaced under a node that stays.
constexpr std::array lifecycle_rows{
    LifecycleRow{"InService", {member, running}},
    LifecycleRow{"Pending", {member, creating}},
    LifecycleRow{"Terminat", {leaving, deleting}},
    LifecycleRow{"EnteringStandby", {apart, running}},
    LifecycleRow{"Standby", {apart, running}},
    LifecycleRow{"Detach", {apart, running}},
    LifecycleRow{"Warmed:", {warm, running}},
    LifecycleRow{"ReplacingRootVolume", {member, running}},
    LifecycleRow{"RootVolumeReplaced", {member, running}},
    LifecycleRow{"Quarantined", {member, running}},
};

}  // namespace

Lifecycle read_lifecycle(std::string_view state) noexcept {
    for (const LifecycleRow& row : lifecycle_rows)
        if (state.starts_with(row.begins)) return row.means;
    return {};
}

}  // namespace capstan::aws
