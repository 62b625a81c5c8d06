#include "group_changes.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <capstan/gather.hpp>
#include <capstan/sentence.hpp>

#include "group_checks.hpp"
#include "launches.hpp"
#include "lifecycle.hpp"
#include "machine_names.hpp"

namespace capstan::aws {
namespace {

std::string titled(const NodeGroupId& group) { return "group " + in_quotes(group.value()); }

Unexpected refuse(const NodeGroupId& group, ErrorCode code, const std::string& why) {
    return fail(code, titled(group) + ": " + why);
}

Error no_take_back(const AutoScalingGroup& group, const std::string& why) {
    return {ErrorCode::conflict,
            titled(NodeGroupId(group.name)) + ": target cannot be lowered now: " + why};
}

Error about_machine(const MachineId& machine, Error error) {
    error.subject = machine.value();
    return error;
}

}  // namespace

GroupChanges::GroupChanges(const Host& host, Parts parts, std::size_t parallel_calls)
    : host_(host),
      parts_(std::move(parts)),
      parallel_calls_(parallel_calls),
      targets_(host),
      recent_(host),
      protection_(host, parts_.api) {}

/// Activities that cannot be read are part of the answer.
Task<GroupChanges::Reading> GroupChanges::read(NodeGroupId id) {
    if (parts_.lists.find(id.value()) == nullptr)
        co_return refuse(id, ErrorCode::not_found, "not among the listed groups");
    auto group = co_await as_result(parts_.lists.read(id.value()));
    if (!group) co_return fail(within(titled(id), std::move(group).error()));
    if (auto obstacle = find_obstacle(*group)) co_return fail(*std::move(obstacle));
    recent_.observe(*group);
    Reading out{.group = *std::move(group)};
    const Time now = parts_.aws_now();
    auto activities = co_await as_result(
        parts_.api.describe_activities(id.value(), now - activities_of_interest));
    if (activities) {
        out.latest = LatestActivities{*std::move(activities), now};
    } else {
        out.latest = fail(within(titled(id), std::move(activities).error()));
    }
    co_return out;
}

/// The listed instances, and those that AWS has launched and does not list yet.
int GroupChanges::count_machines(const Reading& reading) const {
    const int unlisted =
        reading.latest ? count_unlisted_launches(*reading.latest, reading.group) : 0;
    return recent_.count(reading.group).members + unlisted;
}

Task<TargetSetter::Current> GroupChanges::read_current(NodeGroupId id, Reading& out) {
    out = co_await read(std::move(id));
    // Without the permission for activities a group grows by what is listed.
    if (!out.latest && out.latest.error().code != ErrorCode::permission)
        co_return fail(out.latest.error());
    co_return TargetSetter::Current{.target = recent_.count(out.group).target,
                                    .machines = count_machines(out),
                                    .min = out.group.min,
                                    .max = parts_.limits.of(out.group).max};
}

Task<Resized> GroupChanges::increase(Resize request) {
    if (request.all_or_nothing)
        co_return refuse(request.group, ErrorCode::unsupported,
                         "AWS does not support all-or-nothing increases");
    const NodeGroupId id = request.group;
    Reading now;
    const auto read = [&] { return read_current(id, now); };
    const auto set = [&](int target) { return raise(id, target); };
    co_return co_await targets_.increase(std::move(request), read, set);
}

Task<Resized> GroupChanges::raise(NodeGroupId id, int target) {
    parts_.activities.begin_request(id.value());
    return set_target(std::move(id), target);
}

Task<Resized> GroupChanges::decrease_target(Resize request) {
    const NodeGroupId id = request.group;
    Reading now;
    const auto read = [&] { return read_current(id, now); };
    const auto set = [&](int target) { return lower(id, target, now); };
    co_return co_await targets_.decrease(std::move(request), read, set);
}

/// A number below the instances that AWS has by the time it gets the number ends some of them. So
/// all signs of a launch are looked at, and listed instances are protected. `before`: as the group
/// was read right before.
Task<Resized> GroupChanges::lower(NodeGroupId id, int target, const Reading& before) {
    protection_.hold(id.value());
    const bool is_safe = is_protected(before.group);
    if (const auto fits = check_reading(before, is_safe); !fits) co_return fail(fits.error());
    if (!is_safe) {
        const bool is_held = co_await protect(before.group);
        // The calls took time.
        const Reading now = co_await read(id);
        if (const auto fits = check_reading(now, false); !fits) co_return fail(fits.error());
        std::string why;
        if (!is_held) why = why_not_quiet(*now.latest);
        if (now.group.desired != before.group.desired || count_machines(now) > target)
            why = "the group has changed in the meantime";
        if (!why.empty()) co_return fail(no_take_back(now.group, why));
    }
    parts_.activities.end_request(id.value());
    co_return co_await set_target(std::move(id), target);
}

/// Whether the list shows what the request was decided on, and no launch is under way. Without the
/// permission for activities, only a group whose instances are all protected (`is_safe`) is
/// lowered.
Result<void> GroupChanges::check_reading(const Reading& reading, bool is_safe) const {
    const AutoScalingGroup& group = reading.group;
    const RecentChanges::Counts counts = recent_.count(group);
    if (counts.is_outdated)
        return fail(no_take_back(group, "the last change is not listed by AWS yet"));
    const auto at = viewed_.find(NodeGroupId(group.name));
    const std::optional<Viewed> viewed =
        at != viewed_.end() ? std::optional(at->second) : std::nullopt;
    if (viewed && counts.members > viewed->members)
        return fail(no_take_back(group, "it has " + counted(counts.members, "instance") +
                                            ", the request expects " +
                                            std::to_string(viewed->members)));
    if (!reading.latest && is_safe) return {};
    if (!reading.latest) return fail(reading.latest.error());
    const std::string why = why_launch_is_under_way(
        *reading.latest, group, viewed ? std::optional(viewed->listed_at) : std::nullopt);
    if (!why.empty()) return fail(no_take_back(group, why));
    return {};
}

/// Whether AWS terminates no instance of the group by itself: neither a listed one nor one that it
/// launches meanwhile.
bool GroupChanges::is_protected(const AutoScalingGroup& group) const {
    if (!group.protects_new_instances || protection_.was_ended_lately(group.name)) return false;
    return std::all_of(group.instances.begin(), group.instances.end(), [](const AsgInstance& each) {
        return !is_member(each) || each.is_protected;
    });
}

/// Protects the listed instances. False: they cannot be protected.
Task<bool> GroupChanges::protect(const AutoScalingGroup& group) {
    if (protection_.was_ended_lately(group.name)) co_return false;
    std::vector<std::string> ids;
    for (const AsgInstance& instance : group.instances) {
        if (!is_member(instance) || instance.is_protected) continue;
        // AWS protects no instance that is still being launched.
        if (instance.lifecycle_state != "InService") co_return false;
        ids.push_back(instance.id);
    }
    const auto done = co_await as_result(protection_.protect(group.name, std::move(ids)));
    if (!done) co_return fail(within(titled(NodeGroupId(group.name)), done.error()));
    co_return *done;
}

Task<Resized> GroupChanges::set_target(NodeGroupId id, int target) {
    recent_.expect_target(id, target);
    parts_.lists.note_change(id.value());
    const auto done = co_await as_result(parts_.api.set_desired_capacity(id.value(), target));
    parts_.lists.note_change(id.value());
    if (done) co_return Resized{target};
    if (done.error().code != ErrorCode::deadline) recent_.forget_target(id);
    co_return fail(within(titled(id), done.error()));
}

/// The host counts what was agreed to. Here the list counts, without machines that are terminating.
Result<void> GroupChanges::check_minimum(const Removal& request,
                                         const AutoScalingGroup& group) const {
    if (request.force || request.keep_target) return {};
    int removals = 0;
    for (const MachineId& machine : request.machines) {
        const AsgInstance* const instance = find_instance(group, instance_id_of(machine.value()));
        const bool counts = instance != nullptr && is_member(*instance) &&
                            !recent_.is_terminating(request.group, instance->id);
        if (counts || ordinal_of(machine.value(), group.name)) ++removals;
    }
    const int min = parts_.limits.of(group).min;
    const int left = recent_.count(group).target - removals;
    if (left >= min || removals == 0) return {};
    return refuse(request.group, ErrorCode::invalid_argument,
                  "removing " + counted(removals, "instance") + " would leave " +
                      std::to_string(left) + ", below the minimum of " + std::to_string(min));
}

Task<Removed> GroupChanges::remove(Removal request) {
    const ListedGroup* const listed = parts_.lists.find(request.group.value());
    if (listed == nullptr || !listed->was_read)
        co_return refuse(request.group, ErrorCode::not_found, "not among the listed groups");
    if (const auto stays = check_minimum(request, listed->group); !stays)
        co_return fail(stays.error());
    std::vector<Placeholder> placeholders;
    std::erase_if(request.machines, [&](const MachineId& machine) {
        const auto ordinal = ordinal_of(machine.value(), request.group.value());
        if (ordinal) placeholders.push_back({machine, *ordinal});
        return ordinal.has_value();
    });
    Removed out;
    // For a placeholder whose target stays, AWS goes on trying to launch an instance.
    if (!placeholders.empty() && !request.keep_target)
        out.failed = co_await take_back(request.group, std::move(placeholders));
    if (request.machines.empty()) co_return out;
    const Semaphore::Permit lock = co_await targets_.lock(request.group);
    std::vector<Error> failed = co_await terminate_all(std::move(request));
    for (Error& error : failed) out.failed.push_back(std::move(error));
    co_return out;
}

/// The ordinal tells what became of a placeholder: AWS has launched those below the number of
/// instances, and those at or above the desired capacity are gone already.
Task<std::vector<Error>> GroupChanges::take_back(NodeGroupId group,
                                                 std::vector<Placeholder> placeholders) {
    std::vector<Error> failed;
    std::map<int, MachineId> open;
    const auto viewed = viewed_.find(group);
    const Viewed now = viewed != viewed_.end() ? viewed->second : Viewed();
    for (const auto& [machine, ordinal] : placeholders) {
        if (ordinal < now.members) {
            failed.push_back({.code = ErrorCode::conflict,
                              .message = titled(group) + ": already created by AWS",
                              .subject = machine.value()});
        } else if (ordinal < now.desired) {
            open.emplace(ordinal, machine);
        }
    }
    if (open.empty()) co_return failed;
    Resize request{.group = group,
                   .delta = static_cast<int>(open.size()),
                   .expected_target = now.desired,
                   .listed_target = now.desired};
    const auto done = co_await as_result(decrease_target(std::move(request)));
    if (done) co_return failed;
    for (const auto& [ordinal, machine] : open)
        failed.push_back(about_machine(machine, done.error()));
    co_return failed;
}

Task<std::vector<Error>> GroupChanges::terminate_all(Removal request) {
    std::vector<Error> failed;
    std::vector<MachineId> called;  ///< by `calls`
    std::vector<Task<void>> calls;
    std::set<std::string> seen;
    const ListedGroup* const listed = parts_.lists.find(request.group.value());
    if (listed == nullptr) co_return failed;
    int surplus = recent_.count(listed->group).surplus;
    for (const MachineId& machine : request.machines) {
        const std::string id(instance_id_of(machine.value()));
        if (!seen.insert(id).second || recent_.is_terminating(request.group, id)) continue;
        const AsgInstance* const instance = find_instance(listed->group, id);
        if (std::optional<Error> error = why_not_terminated(request.group, id, instance)) {
            failed.push_back(about_machine(machine, *std::move(error)));
        } else if (is_member(*instance)) {
            // One above the desired capacity goes without lowering it.
            const bool decrement = !request.keep_target && surplus-- <= 0;
            called.push_back(machine);
            calls.push_back(terminate(request.group, id, decrement));
        }
    }
    if (calls.empty()) co_return failed;
    parts_.lists.note_change(request.group.value());
    const auto done = co_await gather_results(std::move(calls), parallel_calls_);
    parts_.lists.note_change(request.group.value());
    for (std::size_t i = 0; i < called.size(); ++i)
        if (!done[i])
            failed.push_back(
                about_machine(called[i], within(titled(request.group), done[i].error())));
    co_return failed;
}

/// `instance`: NULL if it is not listed.
std::optional<Error> GroupChanges::why_not_terminated(const NodeGroupId& group,
                                                      const std::string& id,
                                                      const AsgInstance* instance) const {
    const auto error = [&](ErrorCode code, const std::string& why) {
        return Error{code, titled(group) + ": " + why};
    };
    if (instance == nullptr) return error(ErrorCode::not_found, "no such instance in this group");
    const Membership membership = read_lifecycle(instance->lifecycle_state).membership;
    if (membership == Membership::member && recent_.is_unanswered(group, id))
        return error(ErrorCode::deadline,
                     "the call to terminate it timed out; retried after 2 minutes");
    if (membership == Membership::member || membership == Membership::leaving) return std::nullopt;
    return error(ErrorCode::conflict, "it is " + instance->lifecycle_state +
                                          ", so it does not count toward the group's size");
}

/// An instance that no longer exists counts as terminated. After a lost answer the entry stays, so
/// that the call is not repeated: a second one might lower the desired capacity twice.
Task<void> GroupChanges::terminate(NodeGroupId group, std::string instance_id, bool decrement) {
    recent_.begin_termination(group, instance_id);
    const auto done = co_await as_result(parts_.api.terminate_instance(instance_id, decrement));
    if (done) {
        recent_.agree_to_termination(group, instance_id, decrement);
        co_return;
    }
    if (done.error().code != ErrorCode::deadline) recent_.forget_termination(group, instance_id);
    if (done.error().code != ErrorCode::not_found) throw Failure(done.error());
}

void GroupChanges::observe(Time listed_at) {
    for (const auto& [name, listed] : parts_.lists.groups()) {
        if (!listed.was_read || !parts_.lists.is_of_last_update(listed)) continue;
        recent_.observe(listed.group);
        const NodeGroupId id(name);
        const RecentChanges::Counts counts = recent_.count(listed.group);
        viewed_[id] = {
            .members = counts.members, .desired = listed.group.desired, .listed_at = listed_at};
    }
    recent_.forget_old();
    // An outdated list may show the group at rest, and a group at rest is not read in each pass.
    for (const auto& [name, listed] : parts_.lists.groups())
        if (recent_.is_recent(NodeGroupId(name))) parts_.lists.note_change(name);
    std::erase_if(viewed_, [this](const auto& entry) {
        return parts_.lists.find(entry.first.value()) == nullptr;
    });
}

Task<void> GroupChanges::end_protection() {
    for (const std::string& name : protection_.find_due()) {
        const ListedGroup* const listed = parts_.lists.find(name);
        std::optional<AutoScalingGroup> group;
        if (listed != nullptr && listed->was_read) {
            if (!parts_.lists.is_of_last_update(*listed)) continue;
            // With fewer wanted than there are, AWS would terminate one that is protected no more.
            if (listed->counts.members > listed->group.desired) continue;
            group = listed->group;
        }
        const Semaphore::Permit lock = co_await targets_.lock(NodeGroupId(name));
        co_await protection_.end(name, std::move(group));
    }
}

}  // namespace capstan::aws
