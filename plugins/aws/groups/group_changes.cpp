#include "group_changes.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <capstan/gather.hpp>
#include <capstan/sentence.hpp>

#include "group_checks.hpp"
#include "lifecycle.hpp"
#include "machine_names.hpp"

namespace capstan::aws {
namespace {

/// How long AWS's lists may take to show a change. A lower desired capacity after that was set by
/// another client.
constexpr Duration list_lag_max = std::chrono::minutes(2);

std::string titled(const NodeGroupId& group) { return "group " + in_quotes(group.value()); }

Unexpected refuse(const NodeGroupId& group, ErrorCode code, const std::string& why) {
    return fail(code, titled(group) + ": " + why);
}

Membership membership_of(const AsgInstance& instance) {
    return read_lifecycle(instance.lifecycle_state).membership;
}

std::optional<int> goal_of(const Resize& request, int change) {
    const std::int64_t goal = std::int64_t{request.expected_target} + change;
    if (request.delta < 1 || goal < 0 || goal > std::numeric_limits<int>::max())
        return std::nullopt;
    return static_cast<int>(goal);
}

/// The error of a change that was sent. AWS has not refused the change if the error is
/// `unavailable`, so the outcome is unknown (`deadline`).
Error outcome_of(Error error) {
    if (error.code == ErrorCode::unavailable) error.code = ErrorCode::deadline;
    return error;
}

Error about_machine(const MachineId& machine, Error error) {
    error.subject = machine.value();
    return error;
}

}  // namespace

GroupChanges::GroupChanges(const Host& host, Parts parts, std::size_t parallel_calls)
    : host_(host), parts_(parts), parallel_calls_(parallel_calls) {}

Task<GroupChanges::Current> GroupChanges::read(NodeGroupId id) {
    if (parts_.lists.find(id.value()) == nullptr)
        co_return refuse(id, ErrorCode::not_found, "it is none of the groups that are listed");
    auto group = co_await as_result(parts_.lists.read(id.value()));
    if (!group) co_return fail(within(titled(id), std::move(group).error()));
    if (auto obstacle = find_obstacle(*group)) co_return fail(*std::move(obstacle));
    Current out{.group = *std::move(group)};
    out.desired = out.group.desired;
    for (const AsgInstance& instance : out.group.instances) {
        if (membership_of(instance) != Membership::member) continue;
        // A list that still has a terminating instance still counts it in the desired capacity.
        if (is_terminating(id, instance.id)) {
            --out.desired;
        } else {
            ++out.members;
        }
    }
    co_return out;
}

Semaphore& GroupChanges::lock_of(const NodeGroupId& group) {
    return locks_.try_emplace(group, host_, 1).first->second;
}

bool GroupChanges::may_lag(const NodeGroupId& group) const {
    const auto at = answered_at_.find(group);
    return at != answered_at_.end() && host_.monotonic() - at->second < list_lag_max;
}

/// Whether AWS has agreed to terminate the instance.
bool GroupChanges::is_terminating(const NodeGroupId& group, const std::string& instance_id) const {
    const auto instances = terminating_.find(group);
    if (instances == terminating_.end()) return false;
    const auto at = instances->second.find(instance_id);
    return at != instances->second.end() && at->second.is_agreed;
}

bool GroupChanges::suits(const Resize& request, int listed) const {
    if (!answers_.suits(request, listed)) return false;
    return !may_lag(request.group) ||
           request.expected_target >= answers_.counted(request.group, listed);
}

Result<void> GroupChanges::check(const Resize& request, const Current& now) const {
    if (suits(request, now.group.desired)) return {};
    return refuse(request.group, ErrorCode::conflict,
                  "its desired capacity is " + std::to_string(now.group.desired) + ", and " +
                      std::to_string(request.expected_target) + " was expected");
}

Task<Resized> GroupChanges::increase(Resize request) {
    if (request.all_or_nothing)
        co_return refuse(request.group, ErrorCode::unsupported,
                         "AWS makes what it can of an increase, and promises not all or nothing");
    const std::optional<int> goal = goal_of(request, request.delta);
    if (!goal)
        co_return refuse(request.group, ErrorCode::invalid_argument,
                         "an increase by " + std::to_string(request.delta) + " from " +
                             std::to_string(request.expected_target) + " is none");
    const Semaphore::Permit lock = co_await lock_of(request.group).acquire();
    const Current now = co_await read(request.group);
    if (const int max = parts_.limits.of(now.group).max; *goal > max)
        co_return refuse(request.group, ErrorCode::invalid_argument,
                         "a target of " + std::to_string(*goal) + " passes its maximum of " +
                             std::to_string(max));
    if (answers_.is_repeat(request, *goal, now.group.desired)) co_return Resized{*goal};
    if (const auto fits = check(request, now); !fits) co_return fail(fits.error());
    if (*goal < now.members)
        co_return refuse(request.group, ErrorCode::conflict,
                         "it has " + counted(now.members, "instance") + ", and a target of " +
                             std::to_string(*goal) + " would end some of them");
    parts_.activities.begin_request(request.group.value());
    co_return co_await set_target(std::move(request), *goal);
}

Task<Resized> GroupChanges::decrease_target(Resize request) {
    const std::optional<int> goal = goal_of(request, -std::max(request.delta, 0));
    if (!goal)
        co_return refuse(request.group, ErrorCode::invalid_argument,
                         "a decrease by " + std::to_string(request.delta) + " from " +
                             std::to_string(request.expected_target) + " is none");
    const Semaphore::Permit lock = co_await lock_of(request.group).acquire();
    const Current now = co_await read(request.group);
    if (answers_.is_repeat(request, *goal, now.group.desired)) co_return Resized{*goal};
    if (const auto fits = check(request, now); !fits) co_return fail(fits.error());
    if (*goal < now.members)
        co_return refuse(request.group, ErrorCode::invalid_argument,
                         "a target of " + std::to_string(*goal) + " is below its " +
                             counted(now.members, "instance") +
                             "; what is not made yet can be taken back alone");
    if (*goal < now.group.min)
        co_return refuse(request.group, ErrorCode::invalid_argument,
                         "a target of " + std::to_string(*goal) + " passes its minimum of " +
                             std::to_string(now.group.min));
    parts_.activities.end_request(request.group.value());
    co_return co_await set_target(std::move(request), *goal);
}

Task<Resized> GroupChanges::set_target(Resize request, int goal) {
    const std::string& name = request.group.value();
    answers_.begin(request);
    parts_.lists.note_change(name);
    const auto done = co_await as_result(parts_.api.set_desired_capacity(name, goal));
    parts_.lists.note_change(name);
    if (!done) co_return fail(within(titled(request.group), outcome_of(done.error())));
    answers_.agree(request, goal);
    answered_at_[request.group] = host_.monotonic();
    co_return Resized{goal};
}

Result<void> GroupChanges::check_minimum(const Removal& request, const ListedGroup& listed) const {
    if (request.force) return {};
    int removals = 0;
    for (const MachineId& machine : request.machines) {
        const AsgInstance* const instance =
            find_instance(listed.group, instance_id_of(machine.value()));
        const bool counts = instance != nullptr && membership_of(*instance) == Membership::member &&
                            !is_terminating(request.group, instance->id);
        if (counts || ordinal_of(machine.value(), listed.group.name)) ++removals;
    }
    const int min = parts_.limits.of(listed.group).min;
    const int left = answers_.counted(request.group, listed.group.desired) - removals;
    if (left >= min || removals == 0) return {};
    return refuse(request.group, ErrorCode::invalid_argument,
                  "without " + counted(removals, "machine") + " it has " + std::to_string(left) +
                      ", and at least " + std::to_string(min) + " are to stay");
}

Task<Removed> GroupChanges::remove(Removal request) {
    const Semaphore::Permit lock = co_await lock_of(request.group).acquire();
    co_return co_await remove_locked(std::move(request));
}

Task<Removed> GroupChanges::remove_locked(Removal request) {
    const ListedGroup* const listed = parts_.lists.find(request.group.value());
    if (listed == nullptr || !listed->was_read)
        co_return refuse(request.group, ErrorCode::not_found,
                         "it is none of the groups that are listed");
    if (const auto stays = check_minimum(request, *listed); !stays) co_return fail(stays.error());
    std::vector<MachineId> placeholders, instances;
    for (const MachineId& machine : request.machines) {
        const bool is_made = !ordinal_of(machine.value(), request.group.value());
        (is_made ? instances : placeholders).push_back(machine);
    }
    Removed out;
    if (!placeholders.empty())
        out.failed = co_await take_back(request.group, std::move(placeholders));
    std::vector<Error> failed = co_await terminate_all(request.group, std::move(instances));
    for (Error& error : failed) out.failed.push_back(std::move(error));
    co_return out;
}

/// Removes placeholders. The ordinal tells what became of a placeholder: AWS has launched those
/// below the number of member instances, and those at or above the desired capacity are gone
/// already. While the list may lag behind an increase, the accepted desired capacity is lowered,
/// not the listed one.
Task<std::vector<Error>> GroupChanges::take_back(NodeGroupId group,
                                                 std::vector<MachineId> placeholders) {
    std::vector<Error> failed;
    const auto now = co_await as_result(read(group));
    std::vector<MachineId> asked_for;
    std::set<int> ordinals;
    for (const MachineId& machine : placeholders) {
        const int ordinal = *ordinal_of(machine.value(), group.value());
        if (!ordinals.insert(ordinal).second) continue;
        if (!now) {
            failed.push_back(about_machine(machine, now.error()));
        } else if (ordinal < now->members) {
            failed.push_back({.code = ErrorCode::conflict,
                              .message = titled(group) + ": it was made meanwhile",
                              .subject = machine.value()});
        } else if (ordinal < now->desired) {
            asked_for.push_back(machine);
        }
    }
    if (asked_for.empty()) co_return failed;
    const int count = static_cast<int>(asked_for.size()), listed = now->group.desired;
    const int target =
        may_lag(group) ? std::max(answers_.counted(group, listed), now->desired) : now->desired;
    const std::string& name = group.value();
    parts_.activities.end_request(name);
    parts_.lists.note_change(name);
    const auto done = co_await as_result(parts_.api.set_desired_capacity(name, target - count));
    parts_.lists.note_change(name);
    if (done) {
        note_removal(group, count, listed);
        co_return failed;
    }
    const Error error = within(titled(group), outcome_of(done.error()));
    for (const MachineId& machine : asked_for) failed.push_back(about_machine(machine, error));
    co_return failed;
}

Task<std::vector<Error>> GroupChanges::terminate_all(NodeGroupId group,
                                                     std::vector<MachineId> machines) {
    std::vector<Error> failed;
    std::vector<MachineId> called;  ///< by `calls`
    std::vector<Task<void>> calls;
    std::set<std::string> seen;
    const ListedGroup* const listed = parts_.lists.find(group.value());
    for (const MachineId& machine : machines) {
        const std::string id(instance_id_of(machine.value()));
        const AsgInstance* const instance =
            listed != nullptr ? find_instance(listed->group, id) : nullptr;
        if (!seen.insert(id).second || is_terminating(group, id)) continue;
        if (instance == nullptr) {
            failed.push_back({.code = ErrorCode::not_found,
                              .message = titled(group) + ": it has no such machine",
                              .subject = machine.value()});
        } else if (membership_of(*instance) == Membership::member &&
                   terminating_[group].contains(id)) {
            failed.push_back({.code = ErrorCode::deadline,
                              .message = titled(group) +
                                         ": AWS was asked to terminate it and gave " +
                                         "no answer; it is asked again after two minutes",
                              .subject = machine.value()});
        } else if (membership_of(*instance) == Membership::member) {
            called.push_back(machine);
            calls.push_back(terminate(group, id));
        } else if (membership_of(*instance) != Membership::leaving) {
            failed.push_back({.code = ErrorCode::invalid_argument,
                              .message = titled(group) + ": it is " + instance->lifecycle_state +
                                         ", which does not count as the group's",
                              .subject = machine.value()});
        }
    }
    if (!calls.empty()) parts_.lists.note_change(group.value());
    const auto done = co_await gather_results(std::move(calls), parallel_calls_);
    if (!called.empty()) parts_.lists.note_change(group.value());
    for (std::size_t i = 0; i < called.size(); ++i)
        if (!done[i])
            failed.push_back(about_machine(called[i], within(titled(group), done[i].error())));
    co_return failed;
}

/// An instance that no longer exists counts as terminated. After a lost answer the entry stays, so
/// that the call is not repeated: a second one might lower the desired capacity twice.
Task<void> GroupChanges::terminate(NodeGroupId group, std::string instance_id) {
    terminating_[group][instance_id] = {.asked_at = host_.monotonic()};
    const auto done = co_await as_result(parts_.api.terminate_instance(instance_id, true));
    std::map<std::string, Termination>& instances = terminating_[group];
    if (!done) {
        if (done.error().code != ErrorCode::deadline) instances.erase(instance_id);
        if (done.error().code == ErrorCode::not_found) co_return;
        throw Failure(done.error());
    }
    const auto at = instances.find(instance_id);
    // A list read meanwhile has shown the termination and the lower desired capacity.
    if (at == instances.end()) co_return;
    at->second.is_agreed = true;
    const ListedGroup* const listed = parts_.lists.find(group.value());
    if (listed != nullptr) note_removal(group, 1, listed->group.desired);
}

void GroupChanges::note_removal(const NodeGroupId& group, int count, int desired) {
    answers_.lower(group, count, desired);
    removed_at_[group] = host_.monotonic();
}

void GroupChanges::see(std::uint64_t asked_at) {
    for (const auto& [name, listed] : parts_.lists.groups()) {
        if (!parts_.lists.is_of_last_update(listed)) continue;
        const NodeGroupId id(name);
        answers_.see(id, listed.group.desired, asked_at);
    }
    forget_listed_changes();
    // An outdated list may show the group at rest, and a group at rest is not read in each pass.
    for (const auto& [name, listed] : parts_.lists.groups())
        if (is_awaited(NodeGroupId(name), listed.group.desired)) parts_.lists.note_change(name);
}

/// Whether AWS accepted, or may have accepted, a change that this list does not show.
bool GroupChanges::is_awaited(const NodeGroupId& group, int listed) const {
    if (terminating_.contains(group)) return true;
    const bool was_changed = answered_at_.contains(group) || removed_at_.contains(group);
    return was_changed && answers_.counted(group, listed) != listed;
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
    for (auto& [group, instances] : terminating_) {
        const ListedGroup* const listed = parts_.lists.find(group.value());
        const bool is_fresh = listed != nullptr && parts_.lists.is_of_last_update(*listed);
        std::erase_if(instances, [&](const auto& one) {
            if (is_past(one.second.asked_at)) return true;
            if (!is_fresh) return false;
            const AsgInstance* const instance = find_instance(listed->group, one.first);
            return instance == nullptr || membership_of(*instance) != Membership::member;
        });
    }
    std::erase_if(terminating_, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace capstan::aws
