#include "simulator/node_registrar.hpp"

#include <algorithm>
#include <iterator>

#include <capstan/assert.hpp>
#include <capstan/hash.hpp>
#include <capstan/sentence.hpp>
#include <capstan/well_known.hpp>

#include "simulator/event_loop.hpp"

namespace capstan::simulator {
namespace {

/// Whether the cloud still works on the group: machines are starting or being deleted, or fewer run
/// than its target.
bool is_at_work(const engine::Group& group) {
    const auto is_settled = [](const Machine& m) {
        return m.state == MachineState::running || m.state == MachineState::failed;
    };
    const auto running = std::ranges::count(group.machines, MachineState::running, &Machine::state);
    return !std::ranges::all_of(group.machines, is_settled) ||
           group.group.target.value_or(0) > running;
}

void merge_registration(const Registration& given, Registration& to) {
    if (given.joins) to.joins = given.joins;
    if (given.register_delay) to.register_delay = given.register_delay;
    if (given.ready_delay) to.ready_delay = given.ready_delay;
    if (given.taints) to.taints = given.taints;
    if (given.missing_labels) to.missing_labels = given.missing_labels;
    if (given.late_resources) to.late_resources = given.late_resources;
    if (given.late_labels) to.late_labels = given.late_labels;
    if (given.late_taints) to.late_taints = given.late_taints;
    if (given.late_by) to.late_by = given.late_by;
    if (given.provider_ids) to.provider_ids = given.provider_ids;
    if (given.nodes_stay) to.nodes_stay = given.nodes_stay;
    if (!given.types.empty()) to.types = given.types;
}

/// The value of a member that every registration in force has, since the usual one has it.
template <class T>
const T& always_set(const std::optional<T>& member) {
    CAPSTAN_ASSERT(member, "the usual registration does not set this member");
    return *member;
}

/// Gives the node the machine type and resources of its machine, where these are not those of the
/// group's template.
void set_machine_type(const std::string& type, const Resources& amounts,
                      engine::snapshot::NodeObject& node) {
    for (const std::string_view key :
         {well_known::instance_type_label, well_known::beta_instance_type_label})
        node.labels.insert_or_assign(std::string(key), type);
    for (const auto& [resource, amount] : amounts) {
        node.capacity.set(resource, amount);
        node.allocatable.set(resource, amount);
    }
}

template <class Map>
std::optional<Time> first_moment(const Map& map) {
    return map.empty() ? std::nullopt : std::optional(map.begin()->first);
}

/// "spot: 2 nodes join" for each group.
void report_nodes(EventLog& event_log, Time now, const std::map<std::string, std::int64_t>& nodes,
                  const std::string& one, const std::string& many) {
    for (const auto& [group, count] : nodes) {
        event_log.add(now, EventKind::node, group,
                      group + ": " + counted(count, "node") + " " + (count == 1 ? one : many),
                      count);
    }
}

}  // namespace

void NodeRegistrar::adopt(const std::vector<engine::Group>& groups, Time now) {
    for (const engine::Group& group : groups) {
        for (const Machine& machine : group.machines) {
            if (machine.state != MachineState::running) continue;
            Member& member = members_[machine.id.value()];
            member.group = group.group.id.value();
            add_fact(FactKind::machine_started, Cause::scenario, machine.id.value(), member, now);
            if (auto existing = cluster_.adopt_node(machine.id.value(), member.group)) {
                member.node = *std::move(existing);
                add_fact(FactKind::machine_joined, Cause::scenario, machine.id.value(), member,
                         now);
            } else if (group.described) {
                engine::snapshot::NodeObject node = make_node(group, machine, now);
                node.ready = true;
                member.node = node.name;
                add_fact(FactKind::machine_joined, Cause::scenario, machine.id.value(), member,
                         now);
                cluster_.add_node(std::move(node), member.group, now);
            }
        }
    }
    observe(groups, now);
}

void NodeRegistrar::observe(const std::vector<engine::Group>& groups, Time now) {
    is_awaiting_ = std::ranges::any_of(groups, is_at_work);
    std::set<std::string> present;
    for (const engine::Group& group : groups) {
        report_failures(group, now);
        for (const Machine& machine : group.machines) {
            watch(group, machine, now);
            if (machine.state == MachineState::running || machine.state == MachineState::deleting)
                present.insert(machine.id.value());
        }
    }
    // Machines of a group that left the cloud's settings are not listed any more, but still run.
    std::set<std::string> listed;
    for (const engine::Group& group : groups) listed.insert(group.group.id.value());
    for (const auto& [id, member] : members_)
        if ((keeps_missing_ || !listed.contains(member.group)) && !member.is_going)
            present.insert(id);
    vanish(present, now);
    end_stays(now);
}

void NodeRegistrar::expect_end(const MachineId& machine) {
    const auto member = members_.find(machine.value());
    if (member != members_.end()) member->second.is_going = true;
}

void NodeRegistrar::set(const Registration& given) {
    merge_registration(given, given.group.empty() ? usual_ : registrations_[given.group]);
    if (!given.group.empty()) return;
    for (auto& [group, own] : registrations_) merge_registration(given, own);
}

Registration NodeRegistrar::registration_of(const std::string& group) const {
    Registration out = usual_;
    const auto own = registrations_.find(group);
    if (own != registrations_.end()) merge_registration(own->second, out);
    return out;
}

void NodeRegistrar::watch(const engine::Group& group, const Machine& machine, Time now) {
    const std::string& id = machine.id.value();
    if (machine.state == MachineState::deleting) {
        std::erase_if(joining_, [&](const auto& j) { return j.second.machine == id; });
        return;
    }
    if (machine.state != MachineState::running || members_.contains(id)) return;
    members_[id] = {.group = group.group.id.value()};
    add_fact(FactKind::machine_started, Cause::cloud, id, members_[id], now);
    if (always_set(registration_of(group.group.id.value()).joins)) join(group, machine, now);
}

void NodeRegistrar::join(const engine::Group& group, const Machine& machine, Time now) {
    const std::string& id = machine.id.value();
    if (!group.described) {
        event_log_.add(
            now, EventKind::note, group.group.id.value(),
            group.group.id.value() + ": machine " + id + " runs, but has no node template", 1,
            group.undescribed_because);
        return;
    }
    const Time due = now + always_set(registration_of(group.group.id.value()).register_delay);
    joining_.emplace(due, Joining{id, group.group.id.value(), make_node(group, machine, due)});
}

/// Reports each failed machine once; failures for the same reason are one event.
void NodeRegistrar::report_failures(const engine::Group& group, Time now) {
    std::map<std::string, std::int64_t> failed;
    for (const Machine& machine : group.machines) {
        if (!machine.error || !failed_.insert(machine.id.value()).second) continue;
        ++failed[machine.error->message];
        event_log_.add(Fact{.kind = FactKind::machine_failed,
                            .cause = Cause::cloud,
                            .at = now,
                            .group = group.group.id.value(),
                            .machine = machine.id.value(),
                            .text = machine.error->message});
    }
    const std::string& id = group.group.id.value();
    for (const auto& [because, count] : failed) {
        event_log_.add(now, EventKind::failure, id,
                       id + ": " + counted(count, "machine") + (count == 1 ? " fails" : " fail"),
                       count, because);
    }
}

/// Removes nodes without a machine whose group lets nodes stay no longer.
void NodeRegistrar::end_stays(Time now) {
    for (auto stay = staying_.begin(); stay != staying_.end();) {
        const auto& [node, group] = *stay;
        const bool stays = always_set(registration_of(group).nodes_stay);
        if (!stays) cluster_.remove_node(node, now);
        stay = stays ? std::next(stay) : staying_.erase(stay);
    }
}

void NodeRegistrar::vanish(const std::set<std::string>& present, Time now) {
    for (auto member = members_.begin(); member != members_.end();) {
        if (present.contains(member->first)) {
            ++member;
            continue;
        }
        std::erase_if(joining_, [&](const auto& j) { return j.second.machine == member->first; });
        const std::string& node = member->second.node;
        const Cause cause = member->second.is_going ? Cause::autoscaler : Cause::cloud;
        add_fact(FactKind::machine_ended, cause, member->first, member->second, now);
        if (always_set(registration_of(member->second.group).nodes_stay)) {
            cluster_.set_ready(node, false, now);
            if (!node.empty()) staying_.emplace(node, member->second.group);
        } else if (!node.empty()) {
            cluster_.remove_node(node, now, cause);
        }
        member = members_.erase(member);
    }
}

void NodeRegistrar::add_fact(FactKind kind, Cause cause, std::string_view machine,
                             const Member& member, Time now) {
    event_log_.add(Fact{.kind = kind,
                        .cause = cause,
                        .at = now,
                        .node = member.node,
                        .group = member.group,
                        .machine = machine});
}

engine::snapshot::NodeObject NodeRegistrar::make_node(const engine::Group& group,
                                                      const Machine& machine, Time now) {
    const Registration registration = registration_of(group.group.id.value());
    engine::snapshot::NodeObject node = autoscaler::dump::node_of_machine(
        group, machine,
        node_names_.make(group.group.id.value(), machine,
                         [this](const std::string& name) { return cluster_.has_node(name); }),
        cluster_.wall(now));
    node.ready = false;
    if (!always_set(registration.provider_ids)) node.provider_id.clear();
    const std::vector<Taint>& taints = always_set(registration.taints);
    node.taints.insert(node.taints.end(), taints.begin(), taints.end());
    for (const std::string& key : registration.missing_labels.value_or(std::vector<std::string>()))
        node.labels.erase(key);
    const auto type = registration.types.find(machine.machine_type);
    if (type != registration.types.end()) set_machine_type(type->first, type->second, node);
    autoscaler::dump::set_own_labels(machine, node);
    hold_back(registration, node);
    return node;
}

/// Takes from the node what it gets later.
void NodeRegistrar::hold_back(const Registration& registration,
                              engine::snapshot::NodeObject& node) {
    const std::vector<std::string> none;
    LateTraits late{.node = node.name,
                    .taints = registration.late_taints.value_or(none),
                    .by = registration.late_by.value_or(std::chrono::seconds(60))};
    for (const std::string& resource : registration.late_resources.value_or(none)) {
        if (node.allocatable.amount(resource) == 0) continue;
        late.resources.set(resource, node.allocatable.amount(resource));
        node.capacity.set(resource, 0);
        node.allocatable.set(resource, 0);
    }
    for (const std::string& key : registration.late_labels.value_or(none)) {
        if (auto label = node.labels.extract(key)) late.labels.insert(std::move(label));
    }
    if (!late.resources.empty() || !late.labels.empty() || !late.taints.empty())
        late_.insert_or_assign(node.name, std::move(late));
}

std::optional<Time> NodeRegistrar::next_due() const {
    return earliest(earliest(first_moment(joining_), first_moment(becoming_ready_)),
                    first_moment(settling_));
}

std::uint64_t NodeRegistrar::state_hash(Time now) const {
    std::uint64_t out = 0;
    const auto add = [&](std::string_view what, Time due) {
        Hash hash;
        hash.add(what);
        hash.add((due - now).count());
        out += hash.value();
    };
    for (const auto& [due, joining] : joining_) add(joining.group, due);
    for (const auto& [due, of] : becoming_ready_)
        if (cluster_.has_node(of.second)) add(of.first, due);
    for (const auto& [due, late] : settling_)
        if (cluster_.has_node(late.node)) add("", due);
    return out;
}

void NodeRegistrar::reach(Time now) {
    std::map<std::string, std::int64_t> joined, ready;
    while (!joining_.empty() && joining_.begin()->first <= now) {
        Joining joining = std::move(joining_.begin()->second);
        joining.node.created = joining.node.ready_since = cluster_.wall(joining_.begin()->first);
        joining_.erase(joining_.begin());
        members_[joining.machine].node = joining.node.name;
        becoming_ready_.emplace(now + always_set(registration_of(joining.group).ready_delay),
                                std::pair(joining.group, joining.node.name));
        ++joined[joining.group];
        add_fact(FactKind::machine_joined, Cause::cloud, joining.machine, members_[joining.machine],
                 now);
        cluster_.add_node(std::move(joining.node), joining.group, now);
    }
    while (!becoming_ready_.empty() && becoming_ready_.begin()->first <= now) {
        const auto [group, node] = std::move(becoming_ready_.begin()->second);
        becoming_ready_.erase(becoming_ready_.begin());
        if (!cluster_.has_node(node)) continue;
        cluster_.set_ready(node, true, now);
        ++ready[group];
        if (auto late = late_.extract(node)) {
            const Time due = now + late.mapped().by;
            settling_.emplace(due, std::move(late.mapped()));
        }
    }
    while (!settling_.empty() && settling_.begin()->first <= now) {
        const LateTraits late = std::move(settling_.begin()->second);
        settling_.erase(settling_.begin());
        cluster_.settle(late.node, late.resources, late.labels, late.taints, now);
    }
    report_nodes(event_log_, now, joined, "joins", "join");
    report_nodes(event_log_, now, ready, "is ready", "are ready");
}

}  // namespace capstan::simulator
