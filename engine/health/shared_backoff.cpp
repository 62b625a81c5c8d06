#include "engine/health/shared_backoff.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/health/backoff.hpp"
#include "engine/templates/well_known_labels.hpp"

namespace capstan::engine::health {
namespace {

bool has_spot_machines(const Group& group) {
    return group.described != nullptr && templates::is_spot(group.described->labels);
}

/// What is known of the group's new machines; other members are empty.
InstanceOffering offering_of(const Group& group) {
    InstanceOffering out{.cloud = group.cloud, .spot = has_spot_machines(group)};
    if (group.described == nullptr || group.described->variants != 1) return out;
    NodeTemplate node = *group.described;
    templates::fill_fields(node);
    out.machine_type = std::move(node.machine_type);
    // The template of a group in several zones is in one of them, and machines may be in another.
    if (group.group.zones.size() <= 1) out.zone = std::move(node.zone);
    return out;
}

InstanceOffering offering_of(const Group& group, const Machine& machine) {
    return {.cloud = group.cloud,
            .machine_type = machine.machine_type,
            .zone = machine.zone,
            .spot = has_spot_machines(group)};
}

bool has_scope(ErrorCode code) {
    return code == ErrorCode::out_of_capacity || code == ErrorCode::quota ||
           code == ErrorCode::permission;
}

/// What an error of `offering` concerns; absent: the group alone, or it is not known.
std::optional<InstanceOffering> find_concerned(ErrorCode code, ErrorScope scope,
                                               InstanceOffering offering) {
    if (!has_scope(code)) return std::nullopt;
    const bool has_type = !offering.machine_type.empty(), has_zone = !offering.zone.empty();
    InstanceOffering out{.cloud = offering.cloud, .spot = offering.spot};
    switch (scope) {
        case ErrorScope::unknown:
            if (code != ErrorCode::out_of_capacity || !has_type || !has_zone) return std::nullopt;
            return offering;
        case ErrorScope::group: return std::nullopt;
        case ErrorScope::zone:
            if (!has_zone) return std::nullopt;
            return InstanceOffering{
                .cloud = offering.cloud, .zone = offering.zone, .any_market = true};
        case ErrorScope::machine_type:
            if (!has_type) return std::nullopt;
            out.machine_type = offering.machine_type;
            return out;
        case ErrorScope::market: return out;
        case ErrorScope::account:
            return InstanceOffering{.cloud = offering.cloud, .any_market = true};
    }
    return std::nullopt;
}

/// "all spot groups of cloud east with m5.large".
std::string describe_groups(const InstanceOffering& concerned) {
    std::string out = "all ";
    if (!concerned.any_market) out += concerned.spot ? "spot " : "on-demand ";
    out += "groups of cloud " + concerned.cloud.value();
    if (!concerned.machine_type.empty()) out += " with " + concerned.machine_type;
    if (!concerned.zone.empty()) out += " in zone " + concerned.zone;
    return out;
}

std::string why(const NodeGroupId& group, ErrorScope scope, const InstanceOffering& concerned,
                const std::string& message) {
    const std::string start = "group " + group.value();
    if (scope != ErrorScope::unknown)
        return start + " failed with an error that affects " + describe_groups(concerned) + ": " +
               message;
    return start + " found no capacity for " + (concerned.spot ? "spot " : "") +
           concerned.machine_type + " in zone " + concerned.zone + ": " + message;
}

/// `own`: the back-off of the group.
void back_off_offering(Memory& memory, const NodeGroupId& group, const Backoff& own,
                       const InstanceOffering& concerned, std::string because) {
    const auto end_of = [](const Backoff& backoff) { return backoff.until.value_or(Time::max()); };
    Backoff backoff = own;
    backoff.because = std::move(because);
    backoff.found_by = group;
    const auto known = memory.offering_backoffs.find(concerned);
    if (known != memory.offering_backoffs.end() && end_of(known->second) > end_of(own)) return;
    memory.offering_backoffs[concerned] = std::move(backoff);
}

bool covers(const InstanceOffering& concerned, const InstanceOffering& offering) {
    const auto is_in = [](const std::string& of, const std::string& its) {
        return of.empty() || of == its;
    };
    return concerned.cloud == offering.cloud &&
           (concerned.any_market || concerned.spot == offering.spot) &&
           is_in(concerned.machine_type, offering.machine_type) &&
           is_in(concerned.zone, offering.zone);
}

}  // namespace

ErrorScope backoff_scope_of(const Error& error, const Settings& settings) noexcept {
    return settings.backoff_by_machine_type && has_scope(error.code) ? error.scope
                                                                     : ErrorScope::unknown;
}

void back_off_offerings(Memory& memory, const Group& group, const Settings& settings) {
    const auto own = memory.backoffs.find(group.group.id);
    if (!settings.backoff_by_machine_type || own == memory.backoffs.end()) return;
    for (const Machine& machine : group.machines) {
        if (!machine.error || machine.state == MachineState::deleting) continue;
        const auto& [code, scope] = std::pair(machine.error->code, machine.error->scope);
        const auto concerned = find_concerned(code, scope, offering_of(group, machine));
        if (!concerned) continue;
        Backoff backoff = own->second;
        backoff.code = code;
        backoff.scope = scope;
        back_off_offering(memory, group.group.id, backoff, *concerned,
                          why(group.group.id, scope, *concerned, machine.error->message));
    }
}

void share_backoffs(Memory& memory, const Snapshot& snapshot, Time now) {
    for (const auto& [id, backoff] : memory.backoffs) {
        if (backoff.scope == ErrorScope::unknown || find_backoff(memory, id, now) == nullptr)
            continue;
        const Group* const group = find_group(snapshot, id);
        if (group == nullptr) continue;
        if (const auto concerned = find_concerned(backoff.code, backoff.scope, offering_of(*group)))
            back_off_offering(memory, id, backoff, *concerned,
                              why(id, backoff.scope, *concerned, backoff.because));
    }
}

const Backoff* find_offering_backoff(const Memory& memory, const Group& group, Time now) {
    if (memory.offering_backoffs.empty()) return nullptr;
    const InstanceOffering offering = offering_of(group);
    const auto own = memory.backoffs.find(group.group.id);
    const auto at = std::ranges::find_if(memory.offering_backoffs, [&](const auto& entry) {
        const auto& [concerned, backoff] = entry;
        const bool is_stated = backoff.scope != ErrorScope::unknown;
        const bool has_failed =
            own != memory.backoffs.end() && own->second.last_failure >= backoff.since;
        return (is_stated || has_failed) && covers(concerned, offering) &&
               (!backoff.until || *backoff.until >= now);
    });
    return at == memory.offering_backoffs.end() ? nullptr : &at->second;
}

void forget_offering_backoffs(Memory& memory, const Settings& settings, Time now) {
    std::erase_if(memory.offering_backoffs, [&](const auto& entry) {
        const Backoff& backoff = entry.second;
        if (!settings.backoff_by_machine_type) return true;
        if (backoff.until) return *backoff.until < now;
        const Backoff* finder = find_backoff(memory, backoff.found_by, now);
        return finder == nullptr || finder->until.has_value();
    });
}

}  // namespace capstan::engine::health
