#include "group_lists.hpp"

#include <algorithm>
#include <utility>

#include <capstan/gather.hpp>
#include <capstan/sentence.hpp>

#include "group_settings.hpp"
#include "lifecycle.hpp"

namespace capstan::aws {
namespace {

constexpr std::size_t names_per_call = 100;

Error missing_group(const std::string& name) {
    return {.code = ErrorCode::not_found,
            .message = "Auto Scaling group " + in_quotes(name) + ": not found",
            .subject = name};
}

}  // namespace

InstanceCounts count_instances(const AutoScalingGroup& group) noexcept {
    InstanceCounts out;
    for (const AsgInstance& instance : group.instances) {
        const Lifecycle lifecycle = read_lifecycle(instance.lifecycle_state);
        if (lifecycle.membership == Membership::leaving) ++out.leaving;
        if (lifecycle.membership != Membership::member) continue;
        ++out.members;
        if (instance.is_protected) ++out.protected_members;
        if (lifecycle.state != MachineState::running) ++out.unfinished;
    }
    return out;
}

bool ListedGroup::is_in_motion() const noexcept {
    if (changed_at > read_at || unreadable) return true;
    return was_read && (settled_size(group.desired, counts.protected_members) != counts.members ||
                        counts.leaving > 0 || counts.unfinished > 0);
}

GroupLists::GroupLists(const Host& host, AutoScalingApi& api, ListConfig config)
    : host_(host), api_(api), config_(std::move(config)) {
    for (const std::vector<TagFilter>& tags : config_.discovery) sources_.push_back({.tags = tags});
    if (config_.names.empty()) return;
    Source& named = sources_.emplace_back();
    named.asked = config_.names;
    named.names.insert(config_.names.begin(), config_.names.end());
}

Task<void> GroupLists::update() {
    const std::uint64_t asked_at = updated_at_ = ++clock_;
    const std::vector<Source*> due = find_due();
    std::vector<Task<AutoScalingGroups>> calls;
    for (const Source* source : due) calls.push_back(list(*source));
    const Duration began = host_.monotonic();
    auto answers = co_await gather_results(std::move(calls), config_.parallel_calls);
    for (std::size_t i = 0; i < due.size(); ++i) {
        if (answers[i]) due[i]->listed_at = began;
        store_list(*due[i], std::move(answers[i]), asked_at);
    }
    drop_unlisted();
    const auto has_failed = [](const Source& source) { return source.failure.has_value(); };
    if (!sources_.empty()) {
        const std::optional<Error>& first = sources_.front().failure;
        if (first && std::all_of(sources_.begin(), sources_.end(), has_failed))
            throw Failure(*first);
    }
    const std::vector<Error> errors = co_await read_moving(asked_at);
    drop_unlisted();
    const bool is_throttled =
        due.empty() && !errors.empty() && errors.front().code == ErrorCode::throttled;
    if (is_throttled) throw Failure(errors.front());
}

std::vector<GroupLists::Source*> GroupLists::find_due() {
    std::vector<Source*> out;
    for (Source& source : sources_) {
        const bool is_old =
            !source.listed_at || host_.monotonic() - *source.listed_at >= config_.refresh_every;
        if (is_old || source.failure) out.push_back(&source);
    }
    return out;
}

Task<AutoScalingGroups> GroupLists::list(const Source& source) {
    if (!source.tags.empty()) return api_.find_groups(source.tags);
    return api_.describe_groups(source.asked);
}

void GroupLists::store_list(Source& source, Result<AutoScalingGroups> answer,
                            std::uint64_t asked_at) {
    ++version_;
    source.failure.reset();
    if (answer) leave_out_nameless(*answer);
    if (!answer) {
        source.failure = answer.error();
        for (const std::string& name : source.names) store_error(name, answer.error(), asked_at);
        return;
    }
    if (source.tags.empty()) {
        store_absent(source.asked, *answer, asked_at);
    } else {
        source.names.clear();
    }
    for (const Error& error : answer->unreadable) source.names.insert(error.subject);
    store_group_errors(*answer, asked_at);
    for (AutoScalingGroup& group : answer->groups) {
        source.names.insert(group.name);
        store(std::move(group), asked_at);
    }
}

/// Marks groups that were asked for by name and are not in the answer as not found.
void GroupLists::store_absent(const std::vector<std::string>& names,
                              const AutoScalingGroups& answer, std::uint64_t asked_at) {
    std::set<std::string> there;
    for (const AutoScalingGroup& group : answer.groups) there.insert(group.name);
    for (const Error& error : answer.unreadable) there.insert(error.subject);
    for (const std::string& name : names) {
        if (there.contains(name)) continue;
        ListedGroup& group = groups_[name];
        if (group.read_at > asked_at) continue;
        group = {.unreadable = missing_group(name),
                 .read_at = asked_at,
                 .tried_at = asked_at,
                 .changed_at = group.changed_at};
    }
}

void GroupLists::store(AutoScalingGroup group, std::uint64_t asked_at) {
    ++version_;
    ListedGroup& listed = groups_[group.name];
    if (listed.read_at > asked_at) return;
    listed.counts = count_instances(group);
    listed.group = std::move(group);
    listed.was_read = true;
    listed.unreadable.reset();
    listed.read_at = listed.tried_at = asked_at;
}

/// A group without a name cannot be stored; the other groups of the answer still are.
void GroupLists::leave_out_nameless(AutoScalingGroups& answer) const {
    std::erase_if(answer.unreadable, [&](const Error& error) {
        if (error.subject.empty()) host_.warn("a group is ignored: " + error.message);
        return error.subject.empty();
    });
}

void GroupLists::store_group_errors(AutoScalingGroups& answer, std::uint64_t asked_at) {
    for (Error& error : answer.unreadable) {
        const std::string name = error.subject;
        store_error(name, std::move(error), asked_at);
    }
}

/// Does nothing if another list of the same update, or a later call, has read the group.
void GroupLists::store_error(const std::string& name, Error error, std::uint64_t asked_at) {
    ListedGroup& listed = groups_[name];
    if (listed.read_at >= asked_at) return;
    error.subject = name;
    listed.unreadable = std::move(error);
    listed.tried_at = asked_at;
}

/// Groups in motion that no list of this update has tried to read, in batches of names.
std::vector<std::vector<std::string>> GroupLists::find_moving(std::uint64_t asked_at) const {
    std::vector<std::vector<std::string>> out;
    for (const auto& [name, group] : groups_) {
        if (group.tried_at >= asked_at || !group.is_in_motion()) continue;
        if (group.unreadable && group.unreadable->code == ErrorCode::not_found) continue;
        if (out.empty() || out.back().size() == names_per_call) out.emplace_back();
        out.back().push_back(name);
    }
    return out;
}

/// Returns the errors of the calls if none succeeded.
Task<std::vector<Error>> GroupLists::read_moving(std::uint64_t asked_at) {
    const std::vector<std::vector<std::string>> batches = find_moving(asked_at);
    std::vector<Task<AutoScalingGroups>> calls;
    for (const std::vector<std::string>& batch : batches)
        calls.push_back(api_.describe_groups(batch));
    auto answers = co_await gather_results(std::move(calls), config_.parallel_calls);
    std::vector<Error> errors;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        ++version_;
        if (!answers[i]) {
            errors.push_back(answers[i].error());
            for (const std::string& name : batches[i])
                store_error(name, answers[i].error(), asked_at);
            continue;
        }
        leave_out_nameless(*answers[i]);
        store_absent(batches[i], *answers[i], asked_at);
        store_group_errors(*answers[i], asked_at);
        for (AutoScalingGroup& group : answers[i]->groups) store(std::move(group), asked_at);
    }
    if (errors.size() < batches.size()) errors.clear();
    co_return errors;
}

/// Drops groups that no list has any more, and discovered groups that AWS no longer has.
void GroupLists::drop_unlisted() {
    const auto is_gone = [this](const std::string& name) {
        const ListedGroup* const group = find(name);
        return group != nullptr && group->unreadable &&
               group->unreadable->code == ErrorCode::not_found;
    };
    std::set<std::string> wanted(config_.names.begin(), config_.names.end());
    for (Source& source : sources_) {
        if (!source.tags.empty()) std::erase_if(source.names, is_gone);
        wanted.insert(source.names.begin(), source.names.end());
    }
    std::erase_if(groups_, [&](const auto& entry) { return !wanted.contains(entry.first); });
}

Task<AutoScalingGroup> GroupLists::read(std::string name) {
    const std::uint64_t asked_at = ++clock_;
    const std::vector<std::string> names{name};
    AutoScalingGroups answer = co_await api_.describe_groups(names);
    if (!answer.unreadable.empty()) co_return fail(std::move(answer.unreadable.front()));
    if (answer.groups.empty()) co_return fail(missing_group(name));
    store(answer.groups.front(), asked_at);
    co_return std::move(answer.groups.front());
}

std::vector<std::string> GroupLists::find_failures() const {
    std::vector<std::string> out;
    for (const Source& source : sources_) {
        if (!source.failure) continue;
        const std::string which = source.tags.empty() ? "of the configuration"
                                                      : "with the tags " + format_tags(source.tags);
        out.push_back("groups " + which + " cannot be listed: " + source.failure->message);
    }
    return out;
}

void GroupLists::note_change(const std::string& name) {
    const auto at = groups_.find(name);
    if (at != groups_.end()) at->second.changed_at = ++clock_;
}

void GroupLists::expire() noexcept {
    for (Source& source : sources_) source.listed_at.reset();
}

const ListedGroup* GroupLists::find(const std::string& name) const {
    const auto at = groups_.find(name);
    return at != groups_.end() ? &at->second : nullptr;
}

}  // namespace capstan::aws
