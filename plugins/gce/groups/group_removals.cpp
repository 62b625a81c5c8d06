// Removal of machines.
#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/sentence.hpp>

#include "../wire/resource_ids.hpp"
#include "change_errors.hpp"
#include "group_changes.hpp"

namespace capstan::gce {
namespace {

/// How long an instance may take to be recreated.
constexpr Duration recreation_max = std::chrono::minutes(10);

const GroupMachine* find_machine(const ListedGroup& group, const MachineId& id) {
    const auto link = instance_of_id(id.value());
    if (!link) return nullptr;
    const auto& machines = group.list.machines;
    const auto at = std::find_if(machines.begin(), machines.end(),
                                 [&](const GroupMachine& each) { return each.link == *link; });
    return at != machines.end() ? &*at : nullptr;
}

}  // namespace

Task<Removed> GroupChanges::remove(Removal request) {
    const Semaphore::Permit lock = co_await targets_.lock(request.group);
    co_return co_await remove_locked(std::move(request));
}

Task<Removed> GroupChanges::remove_locked(Removal request) {
    const ListedGroup* const listed = parts_.lists.find(request.group.value());
    // Google may go on trying to make a machine whose operation has failed.
    const auto was_never_made = [&](const MachineId& id) {
        const bool is_listed = listed != nullptr && find_machine(*listed, id) != nullptr;
        return parts_.failed.forget(id) && !is_listed;
    };
    if (std::erase_if(request.machines, was_never_made) > 0 && request.machines.empty())
        co_return Removed();
    if (listed == nullptr || !listed->was_read)
        co_return refuse_change(request.group, ErrorCode::not_found, "not among the listed groups");
    if (const auto stays = check_minimum(request, *listed); !stays) co_return fail(stays.error());
    Removed out;
    std::vector<ResourceLink> going;
    sort_removals(request, *listed, going, out.failed);
    if (!going.empty() && !request.keep_target) warn_of_redistribution(listed->row);
    for (std::size_t first = 0; first < going.size(); first += instances_per_call) {
        const std::size_t last = std::min(going.size(), first + instances_per_call);
        std::vector<ResourceLink> part(going.begin() + static_cast<std::ptrdiff_t>(first),
                                       going.begin() + static_cast<std::ptrdiff_t>(last));
        std::vector<Error> failed =
            co_await remove_some(request.group, std::move(part), request.keep_target);
        for (Error& error : failed) out.failed.push_back(std::move(error));
    }
    co_return out;
}

bool GroupChanges::is_being_deleted(const NodeGroupId& group, const std::string& instance) const {
    const auto going = deleting_.find(group);
    return going != deleting_.end() && going->second.contains(instance);
}

/// By the listed target; the host counts what was agreed to since.
Result<void> GroupChanges::check_minimum(const Removal& request, const ListedGroup& listed) const {
    if (request.force || request.keep_target) return {};
    std::set<std::string> going;
    for (const MachineId& machine : request.machines) {
        const GroupMachine* const known = find_machine(listed, machine);
        const bool counts = known != nullptr && known->status.membership == Membership::member &&
                            !is_being_deleted(request.group, known->link.name);
        if (counts) going.insert(known->link.name);
    }
    const int count = static_cast<int>(going.size());
    const int min = listed.limits().min;
    const int left = listed.row.target_size - count;
    if (left >= min || count == 0) return {};
    return refuse_change(request.group, ErrorCode::invalid_argument,
                         "removing " + counted(count, "instance") + " would leave " +
                             std::to_string(left) + ", below the minimum of " +
                             std::to_string(min));
}

/// Splits the request into machines to end, without duplicates, and errors for the others.
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
            refuse(ErrorCode::not_found, "no such instance in this group");
        } else if (known->status.membership == Membership::non_member) {
            refuse(ErrorCode::invalid_argument,
                   "the instance is suspended, stopped or abandoned and does not count toward the "
                   "group's size");
        } else if (known->status.membership == Membership::member &&
                   !is_being_deleted(request.group, known->link.name)) {
            going.push_back(known->link);
        }
    }
}

Task<std::vector<Error>> GroupChanges::remove_some(NodeGroupId group,
                                                   std::vector<ResourceLink> instances,
                                                   bool keep_target) {
    const ListedGroup* const listed = parts_.lists.find(group.value());
    const ResourceLink link = listed != nullptr ? listed->row.link : ResourceLink();
    const LateErrors late = [this, group, instances](const std::vector<Error>& errors) {
        show_failed_removal(group, instances, errors);
    };
    auto asked = keep_target ? parts_.api.recreate_instances(link, instances)
                             : parts_.api.delete_instances(link, instances);
    const auto done = co_await as_result(follow(std::move(asked), group, late));
    std::vector<Error> errors;
    if (!done) {
        errors.push_back(within(changed_group(group), done.error()));
        errors.front().subject.clear();  // the subject of a refused call is not a machine
    } else {
        for (const Error& error : done->errors)
            errors.push_back(within(changed_group(group), error));
        for (const std::string& warning : done->warnings)
            host_.debug(changed_group(group) + ": " + warning);
    }
    std::vector<Error> failed = errors_by_machine(instances, errors);
    note_removal(group, instances, failed, keep_target);
    co_return failed;
}

void GroupChanges::note_removal(const NodeGroupId& group,
                                const std::vector<ResourceLink>& instances,
                                const std::vector<Error>& failed, bool keep_target) {
    const ListedGroup* const listed = parts_.lists.find(group.value());
    for (const ResourceLink& instance : instances) {
        const MachineId id(machine_id_of(instance));
        const auto is_it = [&](const Error& error) { return error.subject == id.value(); };
        if (std::any_of(failed.begin(), failed.end(), is_it)) continue;
        if (!keep_target) {
            deleting_[group][instance.name] = host_.monotonic();
        } else if (const auto* const known =
                       listed != nullptr ? find_machine(*listed, id) : nullptr) {
            recreated_[group][instance.name] = {.id = known->id, .at = host_.monotonic()};
            ++version_;
        }
    }
}

/// The machines stay, and may be removed again.
void GroupChanges::show_failed_removal(const NodeGroupId& group,
                                       const std::vector<ResourceLink>& instances,
                                       const std::vector<Error>& errors) {
    for (const Error& error : errors_by_machine(instances, errors)) {
        const std::string name(last_part(error.subject));
        deleting_[group].erase(name);
        if (recreated_[group].erase(name) > 0) ++version_;
        parts_.failed.add_removals(group, {MachineId(error.subject)}, error);
    }
}

/// Warns that Google may redistribute instances by itself when zones become uneven.
void GroupChanges::warn_of_redistribution(const ManagedGroup& row) {
    if (row.link.place.scope != Scope::region || row.redistribution != "PROACTIVE") return;
    if (row.shape != "EVEN" && !row.shape.empty()) return;
    warnings_.set("redistribution of " + group_id_of(row.link),
                  "group " + in_quotes(group_id_of(row.link)) +
                      " has shape EVEN and instance redistribution PROACTIVE: after a removal "
                      "Google may replace other instances; set it to NONE to prevent this");
}

/// Forgets instances whose end lists show by now, or must show by now.
void GroupChanges::forget_removed() {
    for (auto& [group, instances] : deleting_) {
        const ListedGroup* const listed = parts_.lists.find(group.value());
        std::erase_if(instances, [&](const auto& one) {
            if (listed == nullptr || host_.monotonic() - one.second >= list_lag_max) return true;
            if (listed->list.asked_at <= listed->changed_at) return false;
            const auto& machines = listed->list.machines;
            return std::none_of(machines.begin(), machines.end(), [&](const GroupMachine& machine) {
                return machine.link.name == one.first &&
                       machine.status.membership == Membership::member;
            });
        });
    }
    std::erase_if(deleting_, [](const auto& entry) { return entry.second.empty(); });
    for (auto& [group, instances] : recreated_) {
        const std::size_t gone = std::erase_if(instances, [&](const auto& one) {
            return host_.monotonic() - one.second.at >= recreation_max;
        });
        if (gone > 0) ++version_;
    }
    std::erase_if(recreated_, [](const auto& entry) { return entry.second.empty(); });
}

void GroupChanges::show_in(CloudView& view) const {
    for (const auto& [group, instances] : recreated_) {
        const ListedGroup* const listed = parts_.lists.find(group.value());
        if (listed == nullptr) continue;
        for (const GroupMachine& machine : listed->list.machines) {
            const auto at = instances.find(machine.link.name);
            if (at == instances.end() || at->second.id != machine.id) continue;
            const auto shown =
                std::find_if(view.machines.begin(), view.machines.end(), [&](const Machine& each) {
                    return each.id.value() == machine_id_of(machine.link);
                });
            if (shown != view.machines.end()) shown->state = MachineState::deleting;
        }
    }
}

}  // namespace capstan::gce
