#include "group_lists.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/gather.hpp>
#include <capstan/sentence.hpp>

#include "../wire/resource_ids.hpp"

namespace capstan::gce {
namespace {

/// How long lists may lack a new group.
constexpr Duration new_group_lag = std::chrono::minutes(2);

std::string titled_group(const std::string& id) { return "group " + in_quotes(id); }

ResourceLink link_of(const std::string& id) {
    const auto link = group_of_id(id);
    return link ? *link : ResourceLink();
}

}  // namespace

bool is_at_rest(const ManagedGroup& row) noexcept {
    const auto is_action = [](const auto& entry) {
        return entry.first != "none" && entry.second > 0;
    };
    return row.is_stable && std::none_of(row.actions.begin(), row.actions.end(), is_action);
}

bool ListedGroup::is_in_motion() const noexcept {
    if (!was_read || unreadable) return false;
    if (changed_at > list.asked_at || list.unreadable || !is_at_rest(row)) return true;
    return list.members != row.target_size || list.leaving > 0 || list.unfinished > 0;
}

GroupLists::GroupLists(const Host& host, ManagedGroupsApi& api, GroupChoice choice,
                       std::size_t parallel_calls)
    : host_(host), api_(api), choice_(std::move(choice)), parallel_calls_(parallel_calls) {}

Task<void> GroupLists::update() {
    const std::uint64_t asked_at = updated_at_ = ++clock_;
    const std::vector<std::string> projects = choice_.projects();
    std::vector<Task<ManagedGroups>> calls;
    for (const std::string& project : projects) calls.push_back(api_.list_all(project));
    auto answers = co_await gather_results(std::move(calls), parallel_calls_);
    const auto failures_before = std::exchange(failures_, {});
    std::optional<Error> first;
    std::size_t failed = 0;
    for (std::size_t i = 0; i < projects.size(); ++i) {
        if (!answers[i]) ++failed;
        if (!answers[i] && !first) first = answers[i].error();
        store_list(projects[i], std::move(answers[i]), asked_at);
    }
    if (failures_ != failures_before) ++version_;
    if (first && failed == projects.size()) throw Failure(*first);
}

void GroupLists::store_list(const std::string& project, Result<ManagedGroups> answer,
                            std::uint64_t asked_at) {
    if (!answer) {
        failures_[{project, Place()}] = answer.error();
        for (const auto& [id, group] : choice_.named())
            if (group.link.project == project) store_error(id, answer.error(), asked_at);
        for (const auto& [id, group] : groups_)
            if (link_of(id).project == project) store_error(id, answer.error(), asked_at);
        return;
    }
    for (ManagedGroup& row : answer->groups) {
        const std::optional<Choice> choice = choice_.choose(row);
        if (choice) store(std::move(row), *choice, asked_at);
    }
    store_unreadable_places(project, *answer, asked_at);
    store_broken(*answer, asked_at);
    store_absent(project, asked_at);
}

void GroupLists::store_unreadable_places(const std::string& project, const ManagedGroups& answer,
                                         std::uint64_t asked_at) {
    for (const ManagedGroups::Unreadable& each : answer.unreadable) {
        if (choice_.looks_at(project, each.place)) failures_[{project, each.place}] = each.error;
        const auto is_there = [&](const ResourceLink& link) {
            return link.project == project && link.place == each.place;
        };
        for (const auto& [id, group] : choice_.named())
            if (is_there(group.link)) store_error(id, each.error, asked_at);
        for (const auto& [id, group] : groups_)
            if (is_there(link_of(id))) store_error(id, each.error, asked_at);
    }
}

/// A group that could not be parsed does not affect the others. Without a name it is only logged.
void GroupLists::store_broken(const ManagedGroups& answer, std::uint64_t asked_at) {
    for (const Error& error : answer.broken) {
        const auto link = group_of_id(error.subject);
        if (!link) {
            host_.warn("a group is ignored: " + error.message);
        } else if (const auto choice = choice_.choose({.link = *link}); choice) {
            groups_[error.subject].choice = *choice;
            store_error(error.subject, error, asked_at);
        } else if (groups_.contains(error.subject)) {
            store_error(error.subject, error, asked_at);
        }
    }
}

/// Drops the groups of the project that the list does not have. Groups that the settings name stay
/// as unreadable.
void GroupLists::store_absent(const std::string& project, std::uint64_t asked_at) {
    for (const auto& [id, named] : choice_.named()) {
        if (named.link.project != project) continue;
        const auto at = groups_.find(id);
        if (at != groups_.end() && at->second.tried_at >= asked_at) continue;
        ListedGroup& group = groups_[id];
        if (group.was_read) ++version_;
        const std::uint64_t changed_at = group.changed_at;
        group = {.choice = {Origin::named, {named.min, named.max}},
                 .read_at = asked_at,
                 .tried_at = asked_at,
                 .changed_at = changed_at};
        group.unreadable = missing(id);
    }
    const auto is_gone = [&](const auto& entry) {
        const ListedGroup& group = entry.second;
        if (group.tried_at >= asked_at || link_of(entry.first).project != project) return false;
        return !group.kept_until || host_.monotonic() >= *group.kept_until;
    };
    if (std::erase_if(groups_, is_gone) > 0) ++version_;
}

Error GroupLists::missing(const std::string& id) const {
    return {
        .code = ErrorCode::not_found, .message = titled_group(id) + ": not found", .subject = id};
}

void GroupLists::store(ManagedGroup row, const Choice& choice, std::uint64_t asked_at) {
    ListedGroup& listed = groups_[group_id_of(row.link)];
    if (listed.read_at > asked_at) return;
    const bool is_another = listed.was_read && listed.row.id != row.id;
    if (is_another) {
        listed.list = {};
        listed.is_made.reset();
    }
    const bool is_same = listed.was_read && listed.row == row;
    if (!is_same) {
        ++version_;
        ++listed.row_version;
        listed.row = std::move(row);
    }
    if (!choice_.may_be_made(listed.row)) listed.is_made = false;
    if (!listed.is_made.value_or(false) && listed.choice != choice) {
        listed.choice = choice;
        ++version_;
    }
    listed.was_read = true;
    set_unreadable(listed, std::nullopt);
    listed.read_at = listed.tried_at = asked_at;
}

void GroupLists::set_unreadable(ListedGroup& group, std::optional<Error> error) {
    if (group.unreadable != error) ++version_;
    group.unreadable = std::move(error);
}

/// Does nothing if the group was read since.
void GroupLists::store_error(const std::string& id, Error error, std::uint64_t asked_at) {
    ListedGroup& listed = groups_[id];
    if (listed.read_at >= asked_at) return;
    if (const auto named = choice_.named().find(id); named != choice_.named().end())
        listed.choice = {Origin::named, {named->second.min, named->second.max}};
    error.subject = id;
    listed.tried_at = asked_at;
    set_unreadable(listed, std::move(error));
}

Task<ManagedGroup> GroupLists::read(std::string id) {
    const auto known = groups_.find(id);
    if (known == groups_.end()) co_return fail(missing(id));
    const Choice choice = known->second.choice;
    const std::uint64_t asked_at = ++clock_;
    ManagedGroup row = co_await api_.get(link_of(id));
    if (groups_.contains(id)) store(row, choice, asked_at);
    co_return row;
}

Task<void> GroupLists::read_made(std::string id) {
    const std::uint64_t asked_at = ++clock_;
    ManagedGroup row = co_await api_.get(link_of(id));
    const auto named = choice_.choose(row);
    store(std::move(row), named ? *named : Choice{Origin::candidate, choice_.made_limits()},
          asked_at);
    groups_[id].kept_until = host_.monotonic() + new_group_lag;
    set_made(id, true);
}

void GroupLists::note_change(const std::string& id) {
    const auto at = groups_.find(id);
    if (at != groups_.end()) at->second.changed_at = ++clock_;
}

void GroupLists::forget(const std::string& id) {
    if (groups_.erase(id) > 0) ++version_;
}

void GroupLists::set_made(const std::string& id, bool is_made) {
    const auto at = groups_.find(id);
    if (at == groups_.end() || at->second.is_made == is_made) return;
    at->second.is_made = is_made;
    // The limits of auto-provisioning take precedence over those of a discovery expression.
    if (is_made && at->second.choice.origin != Origin::named)
        at->second.choice = {Origin::candidate, choice_.made_limits()};
    ++version_;
}

std::vector<std::string> GroupLists::find_candidates() const {
    std::vector<std::string> out;
    for (const auto& [id, group] : groups_)
        if (group.was_read && !group.is_made) out.push_back(id);
    return out;
}

void GroupLists::store_machines(const std::string& id, std::vector<GroupMachine> machines,
                                const ManagedGroup& row, std::uint64_t asked_at, bool is_whole) {
    const auto at = groups_.find(id);
    if (at == groups_.end() || at->second.list.asked_at > asked_at) return;
    MachineList& list = at->second.list;
    std::sort(machines.begin(), machines.end(),
              [](const GroupMachine& a, const GroupMachine& b) { return a.link < b.link; });
    if (list.asked_at == 0 || list.machines != machines || list.unreadable) ++version_;
    list.members = list.leaving = list.unfinished = 0;
    for (const GroupMachine& machine : machines) {
        const bool is_member = machine.status.membership == Membership::member;
        if (is_member) ++list.members;
        if (machine.status.membership == Membership::leaving) ++list.leaving;
        if (is_member && machine.status.state != MachineState::running) ++list.unfinished;
    }
    list.machines = std::move(machines);
    list.row = row;
    list.asked_at = asked_at;
    list.read_at = host_.monotonic();
    if (is_whole) list.whole_at = list.read_at;
    list.unreadable.reset();
}

void GroupLists::store_machine_error(const std::string& id, Error error) {
    const auto at = groups_.find(id);
    if (at == groups_.end()) return;
    error.subject = id;
    if (at->second.list.unreadable != error) ++version_;
    at->second.list.unreadable = std::move(error);
}

const ListedGroup* GroupLists::find(const std::string& id) const {
    const auto at = groups_.find(id);
    return at != groups_.end() && at->second.takes_part() ? &at->second : nullptr;
}

std::vector<std::string> GroupLists::find_failures() const {
    std::vector<std::string> out;
    for (const auto& [where, error] : failures_) {
        const auto& [project, place] = where;
        const std::string in = place.name.empty() ? "" : " in " + place.name;
        out.push_back("groups of project " + in_quotes(project) + in +
                      " cannot be listed: " + error.message);
    }
    for (const auto& [id, group] : groups_) {
        if (group.was_read && group.choice.origin == Origin::candidate && !group.is_made)
            out.push_back(titled_group(id) +
                          ": ignored: its instance template cannot be read, so it is unknown "
                          "whether capstan created it");
    }
    return out;
}

}  // namespace capstan::gce
