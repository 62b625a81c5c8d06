#include "engine/health/makes.hpp"

#include <string>
#include <utility>

#include "engine/health/backoff.hpp"
#include "engine/templates/capacity_type.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine {
namespace {

bool has_spot_machines(const Group& group) {
    return group.described != nullptr && is_spot(group.described->labels);
}

std::string describe_make(const Make& make) {
    return std::string(make.spot ? "spot " : "") + make.machine_type + " in zone " + make.zone;
}

}  // namespace

std::optional<Make> find_make(const Group& group) {
    if (group.described == nullptr || group.described->variants != 1) return std::nullopt;
    NodeTemplate node = *group.described;
    fill_fields(node);
    if (node.machine_type.empty() || node.zone.empty()) return std::nullopt;
    return Make{.cloud = group.cloud,
                .machine_type = std::move(node.machine_type),
                .zone = std::move(node.zone),
                .spot = has_spot_machines(group)};
}

void back_off_makes(Memory& memory, const Group& group, const Settings& settings) {
    const auto own = memory.backoffs.find(group.group.id);
    if (!settings.backoff_by_machine_type || own == memory.backoffs.end()) return;
    const bool spot = has_spot_machines(group);
    for (const Machine& machine : group.machines) {
        if (!machine.error || machine.error->code != ErrorCode::out_of_capacity) continue;
        if (machine.state == MachineState::deleting) continue;
        if (machine.machine_type.empty() || machine.zone.empty()) continue;
        const Make make{.cloud = group.cloud,
                        .machine_type = machine.machine_type,
                        .zone = machine.zone,
                        .spot = spot};
        Backoff backoff = own->second;
        backoff.code = ErrorCode::out_of_capacity;
        backoff.because = "group " + group.group.id.value() + " found no " + describe_make(make) +
                          ": " + machine.error->message;
        backoff.found_by = group.group.id;
        memory.make_backoffs[make] = std::move(backoff);
    }
}

void forget_make_backoffs(Memory& memory, const Settings& settings, Time now) {
    std::erase_if(memory.make_backoffs, [&](const auto& entry) {
        const Backoff& backoff = entry.second;
        if (!settings.backoff_by_machine_type) return true;
        if (backoff.until) return *backoff.until < now;
        const Backoff* finder = find_backoff(memory, backoff.found_by, now);
        return finder == nullptr || finder->until.has_value();
    });
}

}  // namespace capstan::engine
