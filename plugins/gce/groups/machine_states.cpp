#include "machine_states.hpp"

#include <algorithm>
#include <array>

#include "../wire/gce_error.hpp"

namespace capstan::gce {
namespace {

struct ActionRow {
    std::string_view action;
    MachineStatus means;
};

using enum Membership;
using enum MachineState;

constexpr std::array action_rows{
    ActionRow{"NONE", {member, running}},
    ActionRow{"CREATING", {member, creating}},
    ActionRow{"CREATING_WITHOUT_RETRIES", {member, creating}},
    ActionRow{"RECREATING", {member, creating}},
    ActionRow{"DELETING", {leaving, deleting}},
    ActionRow{"ABANDONING", {non_member, running}},
    ActionRow{"RESTARTING", {member, running}},
    ActionRow{"REFRESHING", {member, running}},
    ActionRow{"VERIFYING", {member, running}},
    ActionRow{"SUSPENDING", {non_member, running}},
    ActionRow{"STOPPING", {non_member, running}},
    ActionRow{"RESUMING", {member, creating}},
    ActionRow{"STARTING", {member, creating}},
};

/// Whether an instance with that status is suspended or stopped, or soon will be.
bool does_not_run(std::string_view status) noexcept {
    constexpr std::array<std::string_view, 5> rest{"SUSPENDED", "SUSPENDING", "STOPPED", "STOPPING",
                                                   "TERMINATED"};
    return std::find(rest.begin(), rest.end(), status) != rest.end();
}

}  // namespace

MachineStatus read_machine_status(std::string_view action, std::string_view status,
                                  bool has_standby) noexcept {
    const auto row = std::find_if(action_rows.begin(), action_rows.end(),
                                  [&](const ActionRow& each) { return each.action == action; });
    MachineStatus means = row != action_rows.end() ? row->means
                          : status == "RUNNING"    ? MachineStatus{member, running}
                                                   : MachineStatus{};
    const bool is_settled = means == MachineStatus{member, running};
    if (has_standby && is_settled && does_not_run(status)) return {non_member, running};
    // A restart brings the same machine back.
    means.stops = is_settled && does_not_run(status) && action != "RESTARTING";
    return means;
}

std::optional<Error> find_fault(const ManagedInstance& instance) {
    std::optional<Error> out;
    for (const ManagedInstance::Fault& fault : instance.faults) {
        Error error = classify_failure(fault.code, fault.message);
        const bool is_vague = error.code == ErrorCode::unavailable;
        if (!out || !is_vague) out = std::move(error);
        if (!is_vague) break;
    }
    return out;
}

}  // namespace capstan::gce
