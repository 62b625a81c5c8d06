#include "runtime/cloud_reader.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <capstan/sentence.hpp>

namespace capstan::runtime {
namespace {

using MachinesByGroup = std::map<NodeGroupId, std::vector<Machine>>;

MachinesByGroup by_group(std::vector<Machine> machines) {
    MachinesByGroup out;
    for (Machine& machine : machines) {
        std::vector<Machine>& of_group = out[machine.group];
        of_group.push_back(std::move(machine));
    }
    for (auto& [group, of_group] : out) std::ranges::sort(of_group, {}, &Machine::id);
    return out;
}

std::set<NodeGroupId> unreadable_groups(const CloudView& view) {
    std::set<NodeGroupId> out;
    for (const Error& error : view.unreadable) out.emplace(error.subject);
    return out;
}

/// Whether the view leaves it open that there are groups it does not name.
bool may_hide_groups(const CloudView& view) {
    const bool names_all =
        std::ranges::none_of(view.unreadable, [](const Error& e) { return e.subject.empty(); });
    return !view.complete && (view.unreadable.empty() || !names_all);
}

}  // namespace

/// One reading under way.
struct CloudReader::Reading {
    CloudReading result;
    Done done;
    std::map<NodeGroupId, Description> descriptions{};
    std::size_t open = 1;  ///< answers that are awaited, and one for asking for them
};

std::string CloudReader::named(std::string_view what) const {
    return "plugin " + client_->instance()->id() + ": " + std::string(what);
}

void CloudReader::read(Done done) {
    client_->refresh([self = shared_from_this(), done = std::move(done)](Result<CloudView> view) {
        self->take(std::move(view), done);
    });
}

void CloudReader::take(Result<CloudView> view, Done done) {
    if (!view) return done({.groups = known_, .problems = {std::move(view).error()}});
    describe(std::make_shared<Reading>(Reading{merge(*std::move(view)), std::move(done)}));
}

CloudReading CloudReader::merge(CloudView view) const {
    CloudReading out;
    for (const Error& error : view.unreadable) {
        const std::string what =
            error.subject.empty() ? "refresh" : "group " + in_quotes(error.subject);
        out.problems.push_back(within(named(what), error));
    }
    std::set<NodeGroupId> unreadable = unreadable_groups(view);
    MachinesByGroup machines = by_group(std::move(view.machines));
    std::set<NodeGroupId> listed;
    for (NodeGroup& group : view.groups) {
        listed.insert(group.id);
        if (unreadable.contains(group.id)) continue;
        auto of_group = machines.extract(group.id);
        out.groups.push_back(
            {.group = std::move(group),
             .cloud = client_->instance()->context().identity().id,
             .machines = of_group.empty() ? std::vector<Machine>() : std::move(of_group.mapped())});
    }
    const bool keeps_all = may_hide_groups(view);
    for (const engine::Group& group : known_) {
        const NodeGroupId& id = group.group.id;
        if (unreadable.contains(id) || (keeps_all && !listed.contains(id)))
            out.groups.push_back(group);
    }
    for (const engine::Group& group : out.groups) machines.erase(group.group.id);
    for (const auto& [group, stray] : machines) {
        if (unreadable.contains(group)) continue;
        out.problems.push_back(
            {.code = ErrorCode::internal,
             .message = named(counted(static_cast<std::int64_t>(stray.size()), "machine") +
                              " of a group it does not list, " + in_quotes(group.value())),
             .subject = group.value()});
    }
    return out;
}

/// What is known of the group and still holds; NULL: it is to be asked for.
const CloudReader::Description* CloudReader::find_description(const engine::Group& group) const {
    const auto known = descriptions_.find(group.group.id);
    if (known == descriptions_.end()) return nullptr;
    const bool is_kept = group.described != nullptr || !group.undescribed_because.empty();
    const std::string& fingerprint = group.group.template_fingerprint;
    const bool is_same = !fingerprint.empty() && known->second.fingerprint == fingerprint;
    return is_kept || is_same ? &known->second : nullptr;
}

/// Asks for what is not known yet; groups that are as they were keep their description.
void CloudReader::describe(const std::shared_ptr<Reading>& reading) {
    for (std::size_t at = 0; at < reading->result.groups.size(); ++at) {
        const NodeGroup& group = reading->result.groups[at].group;
        if (const Description* const known = find_description(reading->result.groups[at])) {
            reading->descriptions.emplace(group.id, *known);
            continue;
        }
        ++reading->open;
        client_->describe(group.id,
                          [self = shared_from_this(), reading, at](Result<NodeTemplate> node) {
                              self->described(*reading, at, std::move(node));
                              self->finish(*reading);
                          });
    }
    if (asks_machine_types_) ask_machine_types(reading);
    finish(*reading);
}

void CloudReader::ask_machine_types(const std::shared_ptr<Reading>& reading) {
    ++reading->open;
    client_->machine_types([self = shared_from_this(), reading](Result<MachineTypes> machines) {
        if (machines) {
            reading->result.machines = std::move(machines->types);
            std::ranges::sort(reading->result.machines, {}, &MachineType::name);
        } else {
            reading->result.problems.push_back(std::move(machines).error());
        }
        self->finish(*reading);
    });
}

void CloudReader::described(Reading& reading, std::size_t at, Result<NodeTemplate> node) {
    const NodeGroup& group = reading.result.groups[at].group;
    Description out{.fingerprint = group.template_fingerprint};
    if (node) {
        out.node = std::make_shared<const NodeTemplate>(*std::move(node));
    } else {
        out.missing_because = node.error().message;
        // Asked for again, unless the cloud has no descriptions to give.
        if (node.error().code != ErrorCode::unsupported) {
            out.fingerprint.clear();
            Error problem = within("group " + in_quotes(group.id.value()), node.error());
            problem.subject = group.id.value();
            reading.result.problems.push_back(std::move(problem));
        }
    }
    reading.descriptions.insert_or_assign(group.id, std::move(out));
}

void CloudReader::finish(Reading& reading) {
    if (--reading.open > 0) return;
    for (engine::Group& group : reading.result.groups) {
        const Description& description = reading.descriptions.at(group.group.id);
        group.described = description.node;
        group.undescribed_because = description.missing_because;
    }
    known_ = reading.result.groups;
    descriptions_ = std::move(reading.descriptions);
    // Descriptions end in any order.
    std::ranges::sort(reading.result.problems, {},
                      [](const Error& error) { return std::tie(error.subject, error.message); });
    reading.done(std::move(reading.result));
}

}  // namespace capstan::runtime
