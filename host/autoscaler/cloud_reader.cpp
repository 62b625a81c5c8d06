#include "autoscaler/cloud_reader.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/sentence.hpp>

#include "autoscaler/time_text.hpp"

namespace capstan::autoscaler {
namespace {

using MachinesByGroup = std::map<NodeGroupId, std::vector<const Machine*>>;

/// Borrows the machines; sorted by id within each group.
MachinesByGroup by_group(const std::vector<Machine>& machines) {
    MachinesByGroup out;
    for (const Machine& machine : machines) out[machine.group].push_back(&machine);
    for (auto& [group, of_group] : out) std::ranges::sort(of_group, {}, &Machine::id);
    return out;
}

std::vector<Machine> copies(const std::vector<const Machine*>& machines) {
    std::vector<Machine> out;
    out.reserve(machines.size());
    for (const Machine* const machine : machines) out.push_back(*machine);
    return out;
}

/// The first error of each unreadable group; under the empty id that of the view itself.
std::map<NodeGroupId, std::string> unreadable_groups(const CloudView& view) {
    std::map<NodeGroupId, std::string> out;
    for (const Error& error : view.unreadable)
        out.try_emplace(NodeGroupId(error.subject), error.message);
    return out;
}

/// Why a group may be missing in the view.
std::string why_hidden(const CloudView& view) {
    const auto at = std::ranges::find(view.unreadable, std::string(), &Error::subject);
    return at == view.unreadable.end() ? "its cloud did not list all groups" : at->message;
}

/// Whether there may be groups that the view does not name.
bool may_hide_groups(const CloudView& view) {
    const bool names_all =
        std::ranges::none_of(view.unreadable, [](const Error& e) { return e.subject.empty(); });
    return !view.complete && (view.unreadable.empty() || !names_all);
}

}  // namespace

/// One reading under way.
struct CloudReader::Reading {
    Done done;
    CloudReading result{};
    bool is_repeated = false;  ///< the view is unchanged, and so are the groups
    std::vector<engine::Group> groups{};
    std::map<NodeGroupId, Description> descriptions{};
    std::size_t open = 1;  ///< open questions, and one for the asking itself
};

std::string CloudReader::with_plugin(std::string_view what) const {
    return "plugin " + client_->instance()->id() + ": " + std::string(what);
}

void CloudReader::read(Request request, Done done) {
    client_->refresh(
        {.known = view_, .probe = request.probe},
        [self = shared_from_this(), with_machine_types = request.machine_types,
         done = std::move(done)](Result<plugin_runtime::instances::CloudClient::View> view) {
            self->take(std::move(view), with_machine_types, done);
        });
}

void CloudReader::take(Result<plugin_runtime::instances::CloudClient::View> view,
                       bool with_machine_types, Done done) {
    if (!view)
        return done({.groups = known_groups_,
                     .problems = {view.error()},
                     .failure = view.error(),
                     .unread_because = view_ == nullptr ? view.error().message : std::string()});
    const auto reading = std::make_shared<Reading>(Reading{.done = std::move(done)});
    reading->is_repeated = *view == view_ && is_settled_;
    view_ = *std::move(view);
    reading->result.view = view_;
    if (!reading->is_repeated) {
        is_settled_ = false;
        merge(*view_, *reading);
        describe(reading);
    }
    if (with_machine_types && client_->makes_groups()) ask_machine_types(reading);
    finish(*reading);
}

void CloudReader::merge(const CloudView& view, Reading& out) const {
    for (const Error& error : view.unreadable) {
        const std::string what =
            error.subject.empty() ? "refresh" : "group " + in_quotes(error.subject);
        out.result.problems.push_back(within(with_plugin(what), error));
    }
    const std::map<NodeGroupId, std::string> unreadable = unreadable_groups(view);
    MachinesByGroup machines = by_group(view.machines);
    std::set<NodeGroupId> listed;
    for (const NodeGroup& group : view.groups) {
        listed.insert(group.id);
        if (unreadable.contains(group.id)) continue;
        out.groups.push_back({.group = group,
                              .cloud = client_->instance()->context().identity().id,
                              .machines = copies(machines[group.id]),
                              .target_lag = view.target_lag});
    }
    for (const engine::Group& group : *known_groups_) {
        const NodeGroupId& id = group.group.id;
        if (unreadable.contains(id)) continue;
        if (!may_hide_groups(view) || listed.contains(id)) continue;
        out.groups.push_back(group);
        out.groups.back().unreadable_because = why_hidden(view);
    }
    for (const auto& [id, because] : unreadable) {
        if (id.empty()) continue;
        out.groups.push_back(last_known(id, copies(machines[id])));
        out.groups.back().unreadable_because = because;
    }
    for (const engine::Group& group : out.groups) machines.erase(group.group.id);
    for (const auto& [group, stray] : machines) {
        const bool is_of_none = group.empty();
        if (is_of_none || unreadable.contains(group)) continue;
        out.result.problems.push_back(
            {.code = ErrorCode::internal,
             .message =
                 with_plugin(counted(static_cast<std::int64_t>(stray.size()), "machine") +
                             " of group " + in_quotes(group.value()) + ", which it does not list"),
             .subject = group.value()});
    }
}

/// The group as it was known last, or, where it was never read, its id and machines.
engine::Group CloudReader::last_known(const NodeGroupId& id, std::vector<Machine> machines) const {
    const auto at = std::ranges::find(
        *known_groups_, id, [](const engine::Group& group) -> auto& { return group.group.id; });
    const bool was_read =
        at != known_groups_->end() && (at->group.target || at->unreadable_because.empty());
    if (was_read) return *at;
    return {.group = {.id = id},
            .cloud = client_->instance()->context().identity().id,
            .machines = std::move(machines)};
}

/// The description of the group if it is still valid; NULL: the cloud has to be asked.
const CloudReader::Description* CloudReader::find_description(const engine::Group& group) const {
    const auto known = descriptions_.find(group.group.id);
    if (known == descriptions_.end()) return nullptr;
    const bool is_kept = group.described != nullptr || !group.undescribed_because.empty();
    const std::string& fingerprint = group.group.template_fingerprint;
    const bool is_same = !fingerprint.empty() && known->second.fingerprint == fingerprint;
    return is_kept || is_same ? &known->second : nullptr;
}

/// Asks for missing descriptions. Unchanged groups keep theirs.
void CloudReader::describe(const std::shared_ptr<Reading>& reading) {
    for (std::size_t at = 0; at < reading->groups.size(); ++at) {
        const NodeGroup& group = reading->groups[at].group;
        if (const Description* const known = find_description(reading->groups[at])) {
            reading->descriptions.emplace(group.id, *known);
            continue;
        }
        if (!reading->groups[at].unreadable_because.empty()) {
            reading->descriptions.emplace(
                group.id, Description{.missing_because = "the group cannot be read"});
            continue;
        }
        ++reading->open;
        client_->describe(group.id,
                          [self = shared_from_this(), reading, at](Result<NodeTemplate> node) {
                              self->described(*reading, at, std::move(node));
                              self->finish(*reading);
                          });
    }
}

void CloudReader::ask_machine_types(const std::shared_ptr<Reading>& reading) {
    ++reading->open;
    client_->machine_types([self = shared_from_this(), reading](Result<MachineTypes> machines) {
        self->take_machine_types(*reading, std::move(machines));
        self->finish(*reading);
    });
}

void CloudReader::take_machine_types(Reading& reading, Result<MachineTypes> machines) {
    if (!machines) return reading.result.problems.push_back(std::move(machines).error());
    std::ranges::sort(machines->types, {}, &MachineType::name);
    if (*machines_ != machines->types)
        machines_ = std::make_shared<const std::vector<MachineType>>(std::move(machines->types));
    reading.result.machines = machines_;
}

void CloudReader::described(Reading& reading, std::size_t at, Result<NodeTemplate> node) {
    CAPSTAN_ASSERT(at < reading.groups.size(), "a group is described that was not read");
    const NodeGroup& group = reading.groups[at].group;
    Description out{.fingerprint = group.template_fingerprint};
    if (node) {
        out.node = std::make_shared<const NodeTemplate>(*std::move(node));
    } else {
        out.missing_because = node.error().message;
        // Asked for again at the next refresh, unless the cloud has no templates at all.
        if (node.error().code != ErrorCode::unsupported) {
            out.fingerprint.clear();
            Error problem = within("group " + in_quotes(group.id.value()), node.error());
            problem.subject = group.id.value();
            reading.result.problems.push_back(std::move(problem));
        }
    }
    reading.descriptions.insert_or_assign(group.id, std::move(out));
}

/// Makes the reading the last known one.
void CloudReader::keep(Reading& reading) {
    for (engine::Group& group : reading.groups) {
        const Description& description = reading.descriptions.at(group.group.id);
        group.described = description.node;
        group.undescribed_because = description.missing_because;
    }
    known_groups_ = std::make_shared<const std::vector<engine::Group>>(std::move(reading.groups));
    descriptions_ = std::move(reading.descriptions);
    const auto is_asked_again = [](const auto& each) { return each.second.fingerprint.empty(); };
    is_settled_ =
        reading.result.problems.empty() && std::ranges::none_of(descriptions_, is_asked_again);
}

void CloudReader::finish(Reading& reading) {
    CAPSTAN_ASSERT(reading.open > 0, "a reading ends twice");
    if (--reading.open > 0) return;
    if (!reading.is_repeated) keep(reading);
    reading.result.groups = known_groups_;
    // Descriptions end in any order.
    std::ranges::sort(reading.result.problems, {},
                      [](const Error& error) { return std::tie(error.subject, error.message); });
    reading.done(std::move(reading.result));
}

namespace {

/// The groups, all of them unreadable. A group that was unreadable before keeps its own reason.
CloudReading::Groups marked(const std::vector<engine::Group>& groups, const std::string& because) {
    std::vector<engine::Group> out = groups;
    for (engine::Group& group : out)
        if (group.unreadable_because.empty()) group.unreadable_because = because;
    return std::make_shared<const std::vector<engine::Group>>(std::move(out));
}

}  // namespace

std::string_view name_of(CloudStatus status) noexcept {
    switch (status) {
        case CloudStatus::answered: return "answered";
        case CloudStatus::failed: return "failed";
        case CloudStatus::unresponsive: return "unresponsive";
        case CloudStatus::backed_off: return "backed_off";
    }
    return "answered";
}

void CloudAnswers::begin(Duration now, Time wall) {
    CAPSTAN_ASSERT(!is_under_way_, "a cloud is refreshed twice at once");
    is_under_way_ = true;
    is_used_ = true;  // an earlier answer is superseded
    began_ = now;
    began_wall_ = wall;
}

void CloudAnswers::end(CloudReading reading, Duration now, Time wall,
                       std::optional<Duration> patience) {
    CAPSTAN_ASSERT(is_under_way_, "a refresh ends that has not begun");
    is_under_way_ = false;
    is_used_ = false;
    ended_ = now;
    is_slow_ = patience && now - began_ > *patience;
    if (!reading.failure) answered_wall_ = wall;
    last_ = std::move(reading);
}

bool CloudAnswers::has_unused(Duration since) const noexcept {
    return !is_used_ && ended_ >= since;
}

CloudReading CloudAnswers::untouched(const CloudState& state, Error problem) {
    CloudReading out{.groups = last_.groups,
                     .machines = no_machines_,
                     .problems = {std::move(problem)},
                     .failure = last_.failure};
    if (!out.groups->empty() && (marked_from_ != out.groups || marked_because_ != state.because)) {
        marked_ = marked(*out.groups, state.because);
        marked_from_ = out.groups;
        marked_because_ = state.because;
    }
    if (!out.groups->empty()) out.groups = marked_;
    // There are no known groups of a cloud that has never answered.
    if (!answered_wall_) out.unread_because = state.because;
    return out;
}

CloudReading CloudAnswers::reading_for_view(const PluginInstanceId& cloud,
                                            const std::string* backed_off_because,
                                            CloudState& state) {
    state = {.cloud = cloud, .answered = answered_wall_};
    const bool is_new = !std::exchange(is_used_, true);
    if (is_new) state.failure = last_.failure;
    was_given_up_ = is_under_way_ && !is_new;
    is_slow_ = is_slow_ || was_given_up_;
    state.is_slow = is_slow_;
    if (backed_off_because != nullptr) {
        state.status = CloudStatus::backed_off;
        state.because = *backed_off_because;
        return untouched(state, {.code = ErrorCode::throttled, .message = *backed_off_because});
    }
    if (was_given_up_) {
        state.status = CloudStatus::unresponsive;
        state.because =
            "cloud " + cloud.value() + " has not responded since " + whole_second_text(began_wall_);
        return untouched(
            state, {.code = ErrorCode::deadline, .message = state.because + "; waiting for it"});
    }
    if (!last_.failure) return last_;
    state.status = CloudStatus::failed;
    state.because = last_.failure->message;
    return untouched(state, *last_.failure);
}

}  // namespace capstan::autoscaler
