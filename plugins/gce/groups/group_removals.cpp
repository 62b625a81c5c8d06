// Removal of machines.
#include <algorithm>
#include <utility>

#include <capstan/sentence.hpp>

#include "change_errors.hpp"
#include "group_changes.hpp"

namespace capstan::gce {
namespace {

const GroupMachine* find_machine(const ListedGroup& group, const MachineId& id) {
    const auto link = instance_of_id(id.value());
    if (!link) return nullptr;
    const auto& machines = group.list.machines;
    const auto at = std::find_if(machines.begin(), machines.end(),
                                 [&](const GroupMachine& each) { return each.link == *link; });
    return at != machines.end() ? &*at : nullptr;
}

Error machine_error(const std::string& machine_id, Error error) {
    error.subject = machine_id;
    return error;
}

/// An error of the operation that names a machine concerns that machine only. An error that names
/// none concerns all machines.
std::vector<Error> by_machine(const std::vector<ResourceLink>& instances,
                              const std::vector<Error>& errors) {
    std::vector<Error> out;
    bool is_of_all = false;
    for (const Error& error : errors) {
        const auto named =
            std::find_if(instances.begin(), instances.end(), [&](const ResourceLink& instance) {
                return last_part(error.subject) == instance.name;
            });
        if (named != instances.end()) {
            out.push_back(machine_error(machine_id_of(*named), error));
        } else {
            is_of_all = true;
        }
    }
    if (!is_of_all) return out;
    out.clear();
    for (const ResourceLink& instance : instances)
        out.push_back(machine_error(machine_id_of(instance), errors.front()));
    return out;
}

}  // namespace

Task<Removed> GroupChanges::remove(Removal request) {
    const Semaphore::Permit lock = co_await lock_of(request.group).acquire();
    co_return co_await remove_locked(std::move(request));
}

Task<Removed> GroupChanges::remove_locked(Removal request) {
    const ListedGroup* const listed = parts_.lists.find(request.group.value());
    if (listed == nullptr || !listed->was_read)
        co_return refuse_change(request.group, ErrorCode::not_found,
                                "it is none of the groups that are listed");
    if (const auto stays = check_minimum(request, *listed); !stays) co_return fail(stays.error());
    Removed out;
    std::vector<ResourceLink> going;
    sort_removals(request, *listed, going, out.failed);
    if (!going.empty()) warn_of_redistribution(listed->row);
    for (std::size_t first = 0; first < going.size(); first += instances_per_call) {
        const std::size_t last = std::min(going.size(), first + instances_per_call);
        std::vector<ResourceLink> part(going.begin() + static_cast<std::ptrdiff_t>(first),
                                       going.begin() + static_cast<std::ptrdiff_t>(last));
        std::vector<Error> failed = co_await remove_some(request.group, std::move(part));
        for (Error& error : failed) out.failed.push_back(std::move(error));
    }
    co_return out;
}

bool GroupChanges::is_being_deleted(const NodeGroupId& group, const std::string& instance) const {
    const auto going = deleting_.find(group);
    return going != deleting_.end() && going->second.contains(instance);
}

Result<void> GroupChanges::check_minimum(const Removal& request, const ListedGroup& listed) const {
    if (request.force) return {};
    std::set<std::string> going;
    for (const MachineId& machine : request.machines) {
        const GroupMachine* const known = find_machine(listed, machine);
        const bool counts = known != nullptr && known->status.membership == Membership::member &&
                            !is_being_deleted(request.group, known->link.name);
        if (counts) going.insert(known->link.name);
    }
    const int count = static_cast<int>(going.size());
    const int min = listed.limits().min;
    const int left = answers_.counted(request.group, listed.row.target_size) - count;
    if (left >= min || count == 0) return {};
    return refuse_change(request.group, ErrorCode::invalid_argument,
                         "without " + counted(count, "machine") + " it has " +
                             std::to_string(left) + ", and at least " + std::to_string(min) +
                             " are to stay");
}

/// Splits the request into machines to delete, without duplicates, and errors for the others.
void GroupChanges::sort_removals(const Removal& request, const ListedGroup& listed,
                                 std::vector<ResourceLink>& going,
                                 std::vector<Error>& failed) const {
    std::set<std::string> seen;
    for (const MachineId& machine : request.machines) {
        if (!seen.insert(machine.value()).second) continue;
        const GroupMachine* const known = find_machine(listed, machine);
        const auto refuse = [&](ErrorCode code, const char* why) {
            failed.push_back({.code = code,
                              .message = changed_group(request.group) + ": " + why,
                              .subject = machine.value()});
        };
        if (known == nullptr) {
            refuse(ErrorCode::not_found, "it has no such machine");
        } else if (known->status.membership == Membership::non_member) {
            refuse(ErrorCode::invalid_argument,
                   "it is suspended, stopped or abandoned, and does not count as the group's");
        } else if (known->status.membership == Membership::member &&
                   !is_being_deleted(request.group, known->link.name)) {
            going.push_back(known->link);
        }
    }
}

Task<std::vector<Error>> GroupChanges::remove_some(NodeGroupId group,
                                                   std::vector<ResourceLink> instances) {
    const ListedGroup* const listed = parts_.lists.find(group.value());
    const ResourceLink link = listed != nullptr ? listed->row.link : ResourceLink();
    const std::optional<int> target =
        listed != nullptr ? std::optional(listed->row.target_size) : std::nullopt;
    const auto done =
        co_await as_result(follow(parts_.api.delete_instances(link, instances), group.value()));
    std::vector<Error> errors;
    if (!done) {
        errors.push_back(within(changed_group(group), done.error()));
    } else {
        for (const Error& error : done->errors)
            errors.push_back(within(changed_group(group), error));
        for (const std::string& warning : done->warnings)
            host_.debug(changed_group(group) + ": " + warning);
    }
    // The subject of a refused call is no machine.
    if (!done) errors.front().subject.clear();
    std::vector<Error> failed =
        errors.empty() ? std::vector<Error>() : by_machine(instances, errors);
    note_removal(group, instances, failed, target);
    co_return failed;
}

void GroupChanges::note_removal(const NodeGroupId& group,
                                const std::vector<ResourceLink>& instances,
                                const std::vector<Error>& failed, std::optional<int> target) {
    int count = 0;
    for (const ResourceLink& instance : instances) {
        const std::string id = machine_id_of(instance);
        const auto is_it = [&](const Error& error) { return error.subject == id; };
        if (std::any_of(failed.begin(), failed.end(), is_it)) continue;
        deleting_[group][instance.name] = host_.monotonic();
        ++count;
    }
    if (count == 0 || !target) return;
    answers_.lower(group, count, *target);
    removed_at_[group] = host_.monotonic();
}

/// Warns that Google may redistribute instances by itself when zones become uneven.
void GroupChanges::warn_of_redistribution(const ManagedGroup& row) {
    if (row.link.place.scope != Scope::region || row.redistribution != "PROACTIVE") return;
    if (row.shape != "EVEN" && !row.shape.empty()) return;
    warnings_.tell("redistribution of " + group_id_of(row.link),
                   "group " + in_quotes(group_id_of(row.link)) +
                       " spreads its machines evenly and its instance redistribution is "
                       "PROACTIVE: after a removal Google may delete other machines of it and "
                       "make new ones; NONE keeps them");
}

/// Drops changes that lists show by now, or that lists must show by now.
void GroupChanges::forget_listed_changes() {
    const auto is_past = [&](Duration at) { return host_.monotonic() - at >= list_lag_max; };
    std::erase_if(answered_at_, [&](const auto& entry) { return is_past(entry.second); });
    std::erase_if(removed_at_, [&](const auto& entry) {
        if (!is_past(entry.second)) return false;
        answers_.forget_removals(entry.first);
        return true;
    });
    for (auto& [group, instances] : deleting_) {
        const ListedGroup* const listed = parts_.lists.find(group.value());
        std::erase_if(instances, [&](const auto& one) {
            if (is_past(one.second) || listed == nullptr) return true;
            if (listed->list.asked_at <= listed->changed_at) return false;
            const auto& machines = listed->list.machines;
            return std::none_of(machines.begin(), machines.end(), [&](const GroupMachine& machine) {
                return machine.link.name == one.first &&
                       machine.status.membership == Membership::member;
            });
        });
    }
    std::erase_if(deleting_, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace capstan::gce
