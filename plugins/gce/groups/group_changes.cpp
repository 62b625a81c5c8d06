#include "group_changes.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include <capstan/sentence.hpp>

#include "change_errors.hpp"
#include "group_checks.hpp"
#include "instance_names.hpp"

namespace capstan::gce {
namespace {

/// How long an operation is awaited.
constexpr Duration operation_patience = std::chrono::seconds(3);
/// Maximum number of open operations that are kept. When exceeded, the oldest is dropped.
constexpr std::size_t open_most = 1000;
/// Maximum number of open operations that one refresh polls.
constexpr std::size_t asked_at_once = 20;
/// An open operation is dropped after this time.
constexpr Duration open_life = std::chrono::minutes(15);

std::optional<int> goal_of(const Resize& request, int change) {
    const std::int64_t goal = std::int64_t{request.expected_target} + change;
    if (request.delta < 1 || goal < 0 || goal > std::numeric_limits<int>::max())
        return std::nullopt;
    return static_cast<int>(goal);
}

/// Whether a group refuses createInstances with names. A group does if its updates replace
/// instances by others with new names (PROACTIVE and SUBSTITUTE).
bool refuses_names(const Error& error) {
    return error.provider_code == "conditionNotMet" || error.provider_code == "CONDITION_NOT_MET";
}

std::vector<std::string> chunk_of(const std::vector<std::string>& names, std::size_t first) {
    const std::size_t last = std::min(names.size(), first + instances_per_call);
    return {names.begin() + static_cast<std::ptrdiff_t>(first),
            names.begin() + static_cast<std::ptrdiff_t>(last)};
}

}  // namespace

GroupChanges::GroupChanges(const Host& host, Parts parts)
    : host_(host), parts_(parts), warnings_(host), background_(host) {}

Task<ManagedGroup> GroupChanges::read(NodeGroupId id) {
    if (parts_.lists.find(id.value()) == nullptr)
        co_return refuse_change(id, ErrorCode::not_found,
                                "it is none of the groups that are listed");
    auto row = co_await as_result(parts_.lists.read(id.value()));
    if (!row) co_return fail(within(changed_group(id), std::move(row).error()));
    if (auto obstacle = find_obstacle(*row)) co_return fail(*std::move(obstacle));
    co_return *std::move(row);
}

Semaphore& GroupChanges::lock_of(const NodeGroupId& group) {
    return locks_.try_emplace(group, host_, 1).first->second;
}

bool GroupChanges::may_lag(const NodeGroupId& group) const {
    const auto at = answered_at_.find(group);
    return at != answered_at_.end() && host_.monotonic() - at->second < list_lag_max;
}

bool GroupChanges::suits(const Resize& request, int listed) const {
    if (!answers_.suits(request, listed)) return false;
    return !may_lag(request.group) ||
           request.expected_target >= answers_.counted(request.group, listed);
}

Result<void> GroupChanges::check(const Resize& request, int listed) const {
    if (suits(request, listed)) return {};
    return refuse_change(request.group, ErrorCode::conflict,
                         "its target size is " + std::to_string(listed) + ", and " +
                             std::to_string(request.expected_target) + " was expected");
}

/// The answer to the same request, if it was made before.
std::optional<Resized> GroupChanges::find_answer(const Resize& request, int goal,
                                                 int listed) const {
    if (!answers_.is_repeat(request, goal, listed)) return std::nullopt;
    const auto previous = last_requests_.find(request.group);
    const bool is_known =
        previous != last_requests_.end() && previous->second.key == request.idempotency_key;
    return is_known && previous->second.answer ? previous->second.answer : Resized{goal};
}

Task<Resized> GroupChanges::increase(Resize request) {
    if (request.all_or_nothing)
        co_return refuse_change(request.group, ErrorCode::unsupported,
                                "Google makes what it can of an increase, and promises not all or "
                                "nothing");
    const std::optional<int> goal = goal_of(request, request.delta);
    if (!goal)
        co_return refuse_change(request.group, ErrorCode::invalid_argument,
                                "an increase by " + std::to_string(request.delta) + " from " +
                                    std::to_string(request.expected_target) + " is none");
    const Semaphore::Permit lock = co_await lock_of(request.group).acquire();
    co_return co_await increase_locked(std::move(request), *goal);
}

Task<Resized> GroupChanges::increase_locked(Resize request, int goal) {
    ManagedGroup row = co_await read(request.group);
    const ListedGroup* const listed = parts_.lists.find(request.group.value());
    if (listed == nullptr)
        co_return refuse_change(request.group, ErrorCode::not_found, "it is gone");
    if (const int max = listed->limits().max; goal > max)
        co_return refuse_change(request.group, ErrorCode::invalid_argument,
                                "a target of " + std::to_string(goal) + " passes its maximum of " +
                                    std::to_string(max));
    if (const auto answer = find_answer(request, goal, row.target_size)) co_return *answer;
    if (const auto fits = check(request, row.target_size); !fits) co_return fail(fits.error());
    auto names = names_for(request, row);
    if (!names) co_return fail(within(changed_group(request.group), std::move(names).error()));
    answers_.begin(request);
    last_requests_[request.group] = {.key = request.idempotency_key, .names = *names};
    co_return co_await create(std::move(request), std::move(row), *std::move(names));
}

/// A repeated request gets the names of its first attempt, so that no instance is created twice.
Result<std::vector<std::string>> GroupChanges::names_for(const Resize& request,
                                                         const ManagedGroup& row) {
    const auto count = static_cast<std::size_t>(request.delta);
    std::set<std::string> taken;
    const auto previous = last_requests_.find(request.group);
    if (previous != last_requests_.end()) {
        const bool is_again = !request.idempotency_key.empty() &&
                              previous->second.key == request.idempotency_key &&
                              previous->second.names.size() == count;
        if (is_again) return previous->second.names;
        taken.insert(previous->second.names.begin(), previous->second.names.end());
    }
    if (const ListedGroup* const listed = parts_.lists.find(request.group.value())) {
        for (const GroupMachine& machine : listed->list.machines) taken.insert(machine.link.name);
    }
    return choose_names(host_, row.base_name, count, taken);
}

Task<Resized> GroupChanges::create(Resize request, ManagedGroup row,
                                   std::vector<std::string> names) {
    const std::string id = request.group.value();
    Resized out{.target = request.expected_target};
    for (std::size_t made = 0; made < names.size(); made += instances_per_call) {
        std::vector<std::string> part = chunk_of(names, made);
        const int count = static_cast<int>(part.size());
        const Result<void> done = co_await as_result(
            carry_out(parts_.api.create_instances(row.link, std::move(part)), id));
        if (done) {
            out.target += count;
            continue;
        }
        if (made == 0 && refuses_names(done.error())) {
            warnings_.tell("names of " + id,
                           changed_group(request.group) + " makes no instances of given names (" +
                               done.error().message + "), so its target size is set instead");
            co_return co_await set_target(request, request.expected_target + request.delta,
                                          row.link);
        }
        Error error = within(changed_group(request.group), done.error());
        if (made == 0) co_return fail(std::move(error));
        out.shortfall = std::move(error);
        break;
    }
    co_return agree(request, std::move(out));
}

Task<Resized> GroupChanges::set_target(Resize request, int goal, ResourceLink link) {
    const Result<void> done =
        co_await as_result(carry_out(parts_.api.resize(link, goal), request.group.value()));
    if (!done) co_return fail(within(changed_group(request.group), done.error()));
    co_return agree(request, Resized{.target = goal});
}

Resized GroupChanges::agree(const Resize& request, Resized answer) {
    answers_.agree(request, answer.target);
    answered_at_[request.group] = host_.monotonic();
    LastRequest& previous = last_requests_[request.group];
    if (previous.key != request.idempotency_key) previous = {.key = request.idempotency_key};
    previous.answer = answer;
    return answer;
}

Task<void> GroupChanges::carry_out(Task<Operation> change, std::string group_id) {
    const Operation operation = co_await follow(std::move(change), std::move(group_id));
    if (!operation.errors.empty()) throw Failure(operation.errors.front());
}

/// An operation that cannot be polled counts as under way.
Task<Operation> GroupChanges::follow(Task<Operation> change, std::string group_id) {
    parts_.lists.note_change(group_id);
    auto begun = co_await as_result(std::move(change));
    parts_.lists.note_change(group_id);
    if (!begun) co_return fail(outcome_of_change(std::move(begun).error()));
    auto ended =
        co_await as_result(await_operation(host_, parts_.client, *begun, operation_patience));
    parts_.lists.note_change(group_id);
    if (ended && ended->is_done) co_return *std::move(ended);
    if (!ended)
        host_.debug(group_id +
                    ": what an operation came to is not known: " + ended.error().message);
    note_open(*begun, std::move(group_id));
    co_return ended ? *std::move(ended) : *std::move(begun);
}

void GroupChanges::note_open(const Operation& operation, std::string group_id) {
    if (open_.size() >= open_most) open_.pop_front();
    open_.push_back({operation.link, std::move(group_id), host_.monotonic()});
}

void GroupChanges::look_after_operations() {
    if (!open_.empty() && background_.running() == 0)
        background_.spawn("looking after operations", ask_about_operations());
}

/// A call that fails ends the poll: the calls for the other operations would most likely fail, too.
Task<void> GroupChanges::ask_about_operations() {
    for (std::size_t left = std::min(open_.size(), asked_at_once); left > 0; --left) {
        OpenOperation open = std::move(open_.front());
        open_.pop_front();
        const auto now = co_await as_result(ask_operation(parts_.client, open.link));
        if (now && now->is_done) {
            parts_.lists.note_change(open.group_id);
            if (!now->errors.empty())
                host_.warn(
                    changed_group(NodeGroupId(open.group_id)) +
                    ": a change that was agreed to has failed: " + now->errors.front().message);
            continue;
        }
        const bool is_gone = !now && now.error().code == ErrorCode::not_found;
        if (!is_gone && host_.monotonic() - open.since < open_life)
            open_.push_back(std::move(open));
        if (!now && !is_gone) co_return;
    }
}

Task<Resized> GroupChanges::decrease_target(Resize request) {
    const std::optional<int> goal = goal_of(request, -std::max(request.delta, 0));
    if (!goal)
        co_return refuse_change(request.group, ErrorCode::invalid_argument,
                                "a decrease by " + std::to_string(request.delta) + " from " +
                                    std::to_string(request.expected_target) + " is none");
    const Semaphore::Permit lock = co_await lock_of(request.group).acquire();
    co_return co_await decrease_locked(std::move(request), *goal);
}

Task<Resized> GroupChanges::decrease_locked(Resize request, int goal) {
    const std::string id = request.group.value();
    const ManagedGroup row = co_await read(request.group);
    if (answers_.is_repeat(request, goal, row.target_size)) co_return Resized{goal};
    if (const auto fits = check(request, row.target_size); !fits) co_return fail(fits.error());
    const Result<void> read_now = co_await as_result(parts_.machines.read(id));
    if (!read_now) co_return fail(within(changed_group(request.group), read_now.error()));
    const ListedGroup* const listed = parts_.lists.find(id);
    if (listed == nullptr)
        co_return refuse_change(request.group, ErrorCode::not_found, "it is gone");
    const UnmadeMachines unmade = find_unmade(request.group, *listed);
    if (goal < unmade.made)
        co_return refuse_change(request.group, ErrorCode::invalid_argument,
                                "a target of " + std::to_string(goal) + " is below its " +
                                    counted(unmade.made, "instance") +
                                    "; what is not made yet can be taken back alone");
    if (const int min = listed->limits().min; goal < min)
        co_return refuse_change(request.group, ErrorCode::invalid_argument,
                                "a target of " + std::to_string(goal) + " passes its minimum of " +
                                    std::to_string(min));
    answers_.begin(request);
    std::vector<ResourceLink> going = unmade.links;
    going.resize(std::min(going.size(), static_cast<std::size_t>(request.delta)));
    co_return co_await take_back(std::move(request), goal, row.link, std::move(going));
}

/// Machines with a failed last attempt come first; within both kinds they are ascending by name.
GroupChanges::UnmadeMachines GroupChanges::find_unmade(const NodeGroupId& group,
                                                       const ListedGroup& listed) const {
    UnmadeMachines out;
    std::vector<ResourceLink> without_fault;
    for (const GroupMachine& machine : listed.list.machines) {
        if (machine.status.membership != Membership::member ||
            is_being_deleted(group, machine.link.name))
            continue;
        const bool is_unmade = machine.id.empty() || machine.id == "0";
        if (!machine.fault && !is_unmade) {
            ++out.made;
        } else {
            (machine.fault ? out.links : without_fault).push_back(machine.link);
        }
    }
    out.links.insert(out.links.end(), without_fault.begin(), without_fault.end());
    return out;
}

/// Deletes unmade machines by name, since Google would choose running ones by itself. If fewer are
/// listed than are to go, the target size is set instead.
Task<Resized> GroupChanges::take_back(Resize request, int goal, ResourceLink link,
                                      std::vector<ResourceLink> going) {
    const std::string id = request.group.value();
    for (std::size_t first = 0; first < going.size(); first += instances_per_call) {
        const auto begin = going.begin() + static_cast<std::ptrdiff_t>(first);
        const auto size = std::min(instances_per_call, going.size() - first);
        std::vector<ResourceLink> part(begin, begin + static_cast<std::ptrdiff_t>(size));
        const Result<void> done =
            co_await as_result(carry_out(parts_.api.delete_instances(link, part), id));
        if (!done) co_return fail(within(changed_group(request.group), done.error()));
        for (const ResourceLink& each : part)
            deleting_[request.group][each.name] = host_.monotonic();
    }
    const bool is_all = going.size() == static_cast<std::size_t>(request.delta);
    if (!is_all) {
        host_.info(changed_group(request.group) + ": its target size is set to " +
                   std::to_string(goal) + ", since not all of its machines are listed");
        co_return co_await set_target(std::move(request), goal, link);
    }
    co_return agree(request, Resized{.target = goal});
}

void GroupChanges::see(std::uint64_t asked_at) {
    for (const auto& [id, listed] : parts_.lists.groups()) {
        if (parts_.lists.is_of_last_update(listed))
            answers_.see(NodeGroupId(id), listed.row.target_size, asked_at);
    }
    forget_listed_changes();
    // An outdated list may show the group at rest, and the machines of a group at rest are not read
    // in each pass.
    for (const auto& [id, listed] : parts_.lists.groups())
        if (is_awaited(NodeGroupId(id), listed.row.target_size)) parts_.lists.note_change(id);
}

/// Whether Google accepted a change that this list does not show.
bool GroupChanges::is_awaited(const NodeGroupId& group, int listed) const {
    if (deleting_.contains(group)) return true;
    const bool was_changed = answered_at_.contains(group) || removed_at_.contains(group);
    return was_changed && answers_.counted(group, listed) != listed;
}

}  // namespace capstan::gce
