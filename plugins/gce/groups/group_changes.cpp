#include "group_changes.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/sentence.hpp>

#include "change_errors.hpp"
#include "group_checks.hpp"
#include "instance_names.hpp"

namespace capstan::gce {
namespace {

/// How long an operation is awaited.
constexpr Duration operation_patience = std::chrono::seconds(3);

/// Whether a group refuses createInstances with names. A group does if its updates replace
/// instances by others with new names (PROACTIVE and SUBSTITUTE).
bool refuses_names(const Error& error) {
    return error.provider_code == "conditionNotMet" || error.provider_code == "CONDITION_NOT_MET";
}

template <class T>
std::vector<T> chunk_of(const std::vector<T>& all, std::size_t first) {
    const std::size_t last = std::min(all.size(), first + instances_per_call);
    return {all.begin() + static_cast<std::ptrdiff_t>(first),
            all.begin() + static_cast<std::ptrdiff_t>(last)};
}

}  // namespace

GroupChanges::GroupChanges(const Host& host, Parts parts)
    : host_(host), parts_(parts), targets_(host), warnings_(host) {}

// Reading a group right before a change.

Task<ManagedGroup> GroupChanges::read(NodeGroupId id) {
    if (parts_.lists.find(id.value()) == nullptr)
        co_return refuse_change(id, ErrorCode::not_found, "not among the listed groups");
    auto row = co_await as_result(parts_.lists.read(id.value()));
    if (!row) co_return fail(within(changed_group(id), std::move(row).error()));
    if (auto obstacle = find_obstacle(*row)) co_return fail(*std::move(obstacle));
    if (parts_.lists.find(id.value()) == nullptr)
        co_return refuse_change(id, ErrorCode::not_found, "the group no longer exists");
    co_return *std::move(row);
}

Task<TargetSetter::Current> GroupChanges::read_row(NodeGroupId id) {
    const ManagedGroup row = co_await read(id);
    const GroupLimits limits = parts_.lists.find(id.value())->limits();
    co_return TargetSetter::Current{
        .target = row.target_size, .min = limits.min, .max = limits.max};
}

Task<TargetSetter::Current> GroupChanges::read_all(NodeGroupId id) {
    TargetSetter::Current out = co_await read_row(id);
    const Result<void> done = co_await as_result(parts_.machines.read(id.value()));
    if (!done) co_return fail(within(changed_group(id), done.error()));
    co_return out;
}

Task<TargetSetter::Current> GroupChanges::read_for_resize(NodeGroupId id) {
    TargetSetter::Current out = co_await read_all(id);
    if (const ListedGroup* const listed = parts_.lists.find(id.value()))
        out.machines = listed->list.members;
    co_return out;
}

// Increases.

Task<Resized> GroupChanges::increase(Resize request) {
    if (request.all_or_nothing)
        co_return refuse_change(request.group, ErrorCode::unsupported,
                                "Google Cloud does not support all-or-nothing increases");
    const TargetSetter::Read read_target = [this, request] { return read_row(request.group); };
    const TargetSetter::Set by_names = [this, request](int) { return create(request); };
    auto grown = co_await as_result(targets_.increase(request, read_target, by_names));
    if (grown || !refuses_names(grown.error())) co_return std::move(grown);
    warnings_.set("names of " + request.group.value(),
                  changed_group(request.group) + " cannot create instances with given names (" +
                      grown.error().message + "); its target size is set instead");
    const TargetSetter::Read read_machines = [this, request] {
        return read_for_resize(request.group);
    };
    const TargetSetter::Set by_number = [this, request](int target) {
        return resize(request, target);
    };
    co_return co_await targets_.increase(request, read_machines, by_number);
}

/// A repeated request gets the names of its first attempt, so that no instance is created twice.
Result<std::vector<std::string>> GroupChanges::names_for(const Resize& request,
                                                         const ManagedGroup& row) {
    const auto count = static_cast<std::size_t>(request.delta);
    const Increase& last = increases_[request.group];
    const bool is_again = !request.idempotency_key.empty() && last.key == request.idempotency_key &&
                          last.names.size() == count;
    if (is_again) return last.names;
    std::set<std::string> taken = last.awaited;
    taken.insert(last.names.begin(), last.names.end());
    if (const ListedGroup* const listed = parts_.lists.find(request.group.value())) {
        for (const GroupMachine& machine : listed->list.machines) taken.insert(machine.link.name);
    }
    return choose_names(host_, row.base_name, count, taken);
}

Task<Resized> GroupChanges::create(Resize request) {
    const ListedGroup* const listed = parts_.lists.find(request.group.value());
    if (listed == nullptr)
        co_return refuse_change(request.group, ErrorCode::not_found, "the group no longer exists");
    const ManagedGroup row = listed->row;
    auto names = names_for(request, row);
    if (!names) co_return fail(within(changed_group(request.group), std::move(names).error()));
    Increase& last = increases_[request.group];
    last.key = request.idempotency_key;
    last.names = *names;
    last.resized_to = 0;
    Resized out{.target = request.expected_target};
    for (std::size_t made = 0; made < names->size(); made += instances_per_call) {
        const std::vector<std::string> part = chunk_of(*names, made);
        const Result<void> done = co_await as_result(create_some(request.group, row, part));
        if (!done && made == 0) co_return fail(done.error());
        if (!done) {
            out.shortfall = done.error();
            break;
        }
        out.target += static_cast<int>(part.size());
    }
    co_return out;
}

Task<void> GroupChanges::create_some(NodeGroupId group, ManagedGroup row,
                                     std::vector<std::string> names) {
    Increase& last = increases_[group];
    last.at = host_.monotonic();
    last.awaited.insert(names.begin(), names.end());
    const LateErrors late = [this, group, row, names](const std::vector<Error>& errors) {
        show_failed_creation(group, row, names, errors);
    };
    const Result<void> done =
        co_await as_result(carry_out(parts_.api.create_instances(row.link, names), group, late));
    Increase& now = increases_[group];
    now.at = host_.monotonic();
    if (done) co_return;
    if (done.error().code != ErrorCode::deadline)
        for (const std::string& name : names) now.awaited.erase(name);
    throw Failure(within(changed_group(group), done.error()));
}

Task<Resized> GroupChanges::resize(Resize request, int target) {
    const ListedGroup* const listed = parts_.lists.find(request.group.value());
    if (listed == nullptr)
        co_return refuse_change(request.group, ErrorCode::not_found, "the group no longer exists");
    const LateErrors late = [this, request](const std::vector<Error>& errors) {
        increases_.erase(request.group);
        parts_.failed.add(request.group, request.delta, errors.front());
    };
    increases_[request.group] = {.resized_to = target, .at = host_.monotonic()};
    const Result<void> done = co_await as_result(
        carry_out(parts_.api.resize(listed->row.link, target), request.group, late));
    if (done) co_return Resized{.target = target};
    if (done.error().code != ErrorCode::deadline) increases_.erase(request.group);
    co_return fail(within(changed_group(request.group), done.error()));
}

void GroupChanges::show_failed_creation(const NodeGroupId& group, const ManagedGroup& row,
                                        const std::vector<std::string>& names,
                                        const std::vector<Error>& errors) {
    std::vector<ResourceLink> links;
    for (const std::string& name : names)
        links.push_back({row.link.project, row.link.place, "instances", name});
    const InstanceTemplate* const made_from = parts_.templates.find_template(row.template_link);
    std::map<std::string, std::vector<Machine>> by_message;
    std::map<std::string, Error> first;
    for (const Error& error : errors_by_machine(links, errors)) {
        Machine machine{.id = MachineId(error.subject)};
        if (row.link.place.scope == Scope::zone) machine.zone = row.link.place.name;
        if (made_from != nullptr && row.flexible_types.empty())
            machine.machine_type = made_from->machine_type;
        increases_[group].awaited.erase(std::string(last_part(error.subject)));
        by_message[error.message].push_back(std::move(machine));
        first.try_emplace(error.message, error);
    }
    for (auto& [message, machines] : by_message)
        parts_.failed.add(group, std::move(machines), first.at(message));
}

// Decreases.

Task<Resized> GroupChanges::decrease_target(Resize request) {
    const TargetSetter::Read read_machines = [this, request] { return read_all(request.group); };
    const TargetSetter::Set by_names = [this, request](int) { return take_back(request); };
    return targets_.decrease(std::move(request), read_machines, by_names);
}

/// Whether the list has the last increase of this process, or must have it by now.
bool GroupChanges::is_shown(const Increase& increase, const ListedGroup& listed) const {
    if (host_.monotonic() - increase.at >= list_lag_max) return true;
    const auto is_listed = [&](const std::string& name) {
        return std::any_of(listed.list.machines.begin(), listed.list.machines.end(),
                           [&](const GroupMachine& machine) { return machine.link.name == name; });
    };
    return listed.row.target_size >= increase.resized_to &&
           std::all_of(increase.awaited.begin(), increase.awaited.end(), is_listed);
}

/// Members that Google has not made yet: they have no number. Those with a failed last attempt come
/// first; within both kinds they are ascending by name.
std::vector<ResourceLink> GroupChanges::find_unmade(const NodeGroupId& group,
                                                    const ListedGroup& listed) const {
    std::vector<ResourceLink> out, without_fault;
    for (const GroupMachine& machine : listed.list.machines) {
        const bool is_unmade = machine.id.empty() || machine.id == "0";
        if (machine.status.membership != Membership::member || !is_unmade ||
            is_being_deleted(group, machine.link.name))
            continue;
        (machine.fault ? out : without_fault).push_back(machine.link);
    }
    out.insert(out.end(), without_fault.begin(), without_fault.end());
    return out;
}

/// Deletes unmade machines by name, since Google would choose running ones by itself.
Task<Resized> GroupChanges::take_back(Resize request) {
    const NodeGroupId group = request.group;
    const ListedGroup* const listed = parts_.lists.find(group.value());
    if (listed == nullptr)
        co_return refuse_change(group, ErrorCode::not_found, "the group no longer exists");
    const auto last = increases_.find(group);
    if (last != increases_.end() && !is_shown(last->second, *listed))
        co_return refuse_change(
            group, ErrorCode::conflict,
            "its last increase is not listed yet, so the target cannot be lowered");
    std::vector<ResourceLink> going = find_unmade(group, *listed);
    if (going.empty())
        co_return refuse_change(group, ErrorCode::conflict,
                                "no pending instances among its " +
                                    counted(listed->list.members, "instance") +
                                    ", so the target cannot be lowered");
    going.resize(std::min(going.size(), static_cast<std::size_t>(request.delta)));
    const ResourceLink link = listed->row.link;
    Resized out{.target = request.expected_target};
    for (std::size_t first = 0; first < going.size(); first += instances_per_call) {
        const std::vector<ResourceLink> part = chunk_of(going, first);
        const LateErrors late = [this, group, part](const std::vector<Error>& errors) {
            show_failed_removal(group, part, errors);
        };
        const Result<void> done =
            co_await as_result(carry_out(parts_.api.delete_instances(link, part), group, late));
        if (!done && first == 0) co_return fail(within(changed_group(group), done.error()));
        if (!done) break;
        note_removal(group, part, {}, false);
        out.target -= static_cast<int>(part.size());
    }
    co_return out;
}

// Operations, and what is remembered.

Task<void> GroupChanges::carry_out(Task<Operation> change, NodeGroupId group, LateErrors late) {
    const Operation operation =
        co_await follow(std::move(change), std::move(group), std::move(late));
    if (!operation.errors.empty()) throw Failure(operation.errors.front());
}

/// An operation that cannot be polled counts as under way.
Task<Operation> GroupChanges::follow(Task<Operation> change, NodeGroupId group, LateErrors late) {
    note_change(group);
    auto begun = co_await as_result(std::move(change));
    note_change(group);
    if (!begun) co_return fail(outcome_of_change(std::move(begun).error()));
    auto ended =
        co_await as_result(await_operation(host_, parts_.client, *begun, operation_patience));
    note_change(group);
    if (ended && ended->is_done) co_return *std::move(ended);
    if (!ended)
        host_.debug(group.value() +
                    ": the result of an operation is unknown: " + ended.error().message);
    parts_.operations.add(begun->link, [this, group, late](const Operation& operation) {
        note_change(group);
        if (!operation.errors.empty()) late(operation.errors);
    });
    co_return ended ? *std::move(ended) : *std::move(begun);
}

void GroupChanges::note_change(const NodeGroupId& group) {
    changed_at_[group] = host_.monotonic();
    parts_.lists.note_change(group.value());
}

void GroupChanges::observe() {
    const auto is_past = [&](Duration at) { return host_.monotonic() - at >= list_lag_max; };
    forget_removed();
    for (auto& [group, increase] : increases_) {
        const ListedGroup* const listed = parts_.lists.find(group.value());
        if (listed == nullptr || is_past(increase.at)) {
            increase.awaited.clear();
            increase.resized_to = 0;
            continue;
        }
        for (const GroupMachine& machine : listed->list.machines)
            increase.awaited.erase(machine.link.name);
    }
    std::erase_if(changed_at_, [&](const auto& entry) { return is_past(entry.second); });
    // An outdated list may show the group at rest, and the machines of a group at rest are not read
    // in each pass.
    for (const auto& [group, at] : changed_at_) parts_.lists.note_change(group.value());
}

}  // namespace capstan::gce
