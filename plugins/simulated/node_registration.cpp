// Node objects of machines, and the saved state that lets the cloud survive its process.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "simulated.hpp"

namespace capstan::simulated {
namespace {

constexpr std::string_view state_key = "machines";

/// The machine of the node among the machines of its group; NULL if there is none.
const MachineStatus* find_shown(const std::vector<MachineStatus>& machines,
                                const JoinedNode& node) {
    const auto at = std::ranges::lower_bound(machines, node.number, {}, &MachineStatus::number);
    const bool is_its = at != machines.end() && at->number == node.number &&
                        node.name == node_name(NodeGroupId(node.group), node.number);
    return is_its ? &*at : nullptr;
}

bool has_node(MachineState state) {
    return state == MachineState::running || state == MachineState::deleting;
}

/// A launch time with which the machine runs now, since it has a node.
Time launch_of(const JoinedNode& node, const GroupConfig* config, Time now) {
    const Duration boot = config == nullptr ? Duration(0) : config->boot;
    return std::min(node.launched.value_or(now), now - boot);
}

}  // namespace

Task<void> Simulated::restore() {
    const Result<StoredValue> kept = read_state(host_, state_key);
    if (kept) {
        if (revision_ == kept->revision) co_return;
        Result<Ledger> ledger = parse_ledger(kept->value);
        if (!ledger) throw Failure(std::move(ledger.error()));
        // Its moments are on the clock of the process that wrote it.
        const Duration passed = std::max(Duration(0), host_.now() - ledger->written);
        shift(*ledger, now() - ledger->saved - passed);
        const Time saved = ledger->saved;
        restore_from(*std::move(ledger));
        restore_histories(saved);
        revision_ = kept->revision;
        co_return;
    }
    if (kept.error().code != ErrorCode::not_found)
        throw Failure(within("register_nodes cannot save the machines", kept.error()));
    const JoinedNodes nodes = co_await nodes_.list();
    // Another call may have saved a state meanwhile.
    if (revision_) co_return;
    restore_from(state_from_nodes(nodes));
    histories_.clear();
    begin_histories();
    revision_ = 0;
    save_state();
}

void Simulated::restore_from(Ledger ledger) {
    start_ = ledger.start;
    for (const auto& [name, plan] : made_plans_) {
        if (!ledger.plans.contains(name)) groups_.erase(name);
    }
    made_plans_ = std::move(ledger.plans);
    removed_groups_ = std::move(ledger.groups);
    std::vector<GroupConfig> groups = all_groups(config_);
    // Groups with a record come first, so that removed_groups_ is complete when new groups begin.
    std::ranges::stable_partition(groups, [&](const GroupConfig& group) {
        return removed_groups_.contains(group.id.value());
    });
    for (const GroupConfig& config : groups) {
        groups_.erase(config.id.value());
        groups_.emplace(config.id.value(), begin_group(config, ledger.saved));
    }
    std::erase_if(removed_groups_, [](const auto& entry) { return entry.second.machines.empty(); });
}

/// Approximates the histories after a restart: lists do not show machines that were requested
/// within the last `list_lag`.
void Simulated::restore_histories(Time saved) {
    histories_.clear();
    if (config_.list_lag <= Duration(0)) return;
    const Time listed = std::min(saved, now() - config_.list_lag);
    for (const auto& [id, group] : groups_) {
        const Group before(group.config(), start_, listed, record_before(group.record(), listed));
        histories_.try_emplace(id, before, listed).first->second.note(group, saved);
    }
}

/// The state by the Node objects: a group with nodes has exactly their machines, whether the
/// settings have the group or not. A group without nodes begins from its settings.
Ledger Simulated::state_from_nodes(const JoinedNodes& nodes) const {
    Ledger out{.start = now(), .saved = now(), .written = host_.now()};
    for (const auto& [name, node] : nodes) {
        if (node.group.empty()) continue;
        const Time launched = launch_of(node, find_config(node.group), out.start);
        GroupRecord& group = out.groups[node.group];
        group.last_number = std::max(group.last_number, node.number);
        group.machines.push_back({.number = node.number,
                                  .type = node.type,
                                  .requested = launched,
                                  .launched = launched,
                                  .gone_at = {}});
    }
    for (auto& [id, group] : out.groups) {
        std::ranges::sort(group.machines, {}, &MachineRecord::number);
        const auto twice = std::ranges::unique(group.machines, {}, &MachineRecord::number);
        group.machines.erase(twice.begin(), twice.end());
    }
    return out;
}

/// Saves the state. If that fails, the request counts as not made: the next call continues from the
/// saved state.
void Simulated::save_state() {
    Ledger ledger{.start = start_, .saved = now(), .written = host_.now(), .plans = made_plans_};
    for (const auto& [id, group] : groups_) ledger.groups.emplace(id, group.record());
    ledger.groups.insert(removed_groups_.begin(), removed_groups_.end());
    const std::uint64_t before = revision_.value_or(0);
    revision_.reset();
    const Result<std::uint64_t> written = write_state(host_, state_key, to_text(ledger), before);
    if (!written) {
        Error error = within("register_nodes cannot save the machines", written.error());
        if (error.code == ErrorCode::quota) error.message += ": there is room for about 2000";
        throw Failure(std::move(error));
    }
    revision_ = *written;
}

Task<void> Simulated::register_nodes() {
    // A copy, since requests may change the groups while Node objects are written.
    std::optional<Work> work = followed_work();
    if (!work) {
        const JoinedNodes nodes = co_await nodes_.list();
        nodes_.follow();
        work = work_after_adoption(nodes);
    }
    report_unreadable(work->unreadable);
    try {
        for (const JoinedNode& node : work->gone) {
            co_await nodes_.remove(node);
            const bool is_double = node.name != node_name(NodeGroupId(node.group), node.number);
            host_.info("deleted node " + node.name + ", whose machine " + node.group + "/" +
                       std::to_string(node.number) +
                       (is_double ? " has a node of its own" : " is gone"));
        }
        for (const auto& [name, object] : work->missing) co_await nodes_.create(name, object);
    } catch (const Failure& failure) {
        // In a dry run the host writes nothing, and the view is still returned.
        if (failure.error().code != ErrorCode::cancelled) throw;
        host_.info("nodes are not changed: " + failure.error().message);
    }
}

/// A list or object that lacks something must not cost a node.
void Simulated::report_unreadable(const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (unreadable_.insert(name).second)
            host_.warn("node " + name +
                       " has the label of this cloud, but no providerID of a simulated machine; "
                       "it is not changed");
}

/// The needed changes by the watched nodes; nullopt if the nodes have to be listed first.
std::optional<Simulated::Work> Simulated::followed_work() {
    const JoinedNodes* const followed = nodes_.find_followed();
    if (followed == nullptr) return std::nullopt;
    if (is_settled()) return Work();
    Work work = work_for(*followed);
    if (work.gone.empty() && work.missing.empty() && !work.has_unknown_machines) {
        settled_ = std::pair(nodes_.version(), versions());
        return work;
    }
    if (nodes_.is_behind()) return std::nullopt;
    return work.has_unknown_machines ? work_after_adoption(*followed) : work;
}

Simulated::Work Simulated::work_after_adoption(const JoinedNodes& nodes) {
    if (adopt_machines(nodes)) save_state();
    return work_for(nodes);
}

/// Whether there was nothing to do last time, and neither nodes nor groups have changed since.
bool Simulated::is_settled() const {
    return settled_ && settled_->first == nodes_.version() && settled_->second == versions();
}

Simulated::StatusesByGroup Simulated::machine_statuses() const {
    StatusesByGroup out;
    for (const auto& [id, group] : groups_) out.emplace(id, group.machine_statuses());
    return out;
}

/// Whether the node is of a machine that is not known to run. Either its number is unused, so the
/// state that another process saved was lost; or the clock was set back, so that its machine is not
/// running yet.
bool Simulated::is_unknown_machine(const StatusesByGroup& machine_statuses,
                                   const JoinedNode& node) const {
    const auto at = groups_.find(node.group);
    if (at == groups_.end()) return false;
    if (node.number > at->second.last_number()) return true;
    const MachineStatus* const machine = find_shown(machine_statuses.at(node.group), node);
    return machine != nullptr && !has_node(machine->state);
}

bool Simulated::adopt_machines(const JoinedNodes& nodes) {
    const StatusesByGroup machine_statuses = this->machine_statuses();
    std::vector<JoinedNode> unknown_nodes;
    for (const auto& [name, node] : nodes)
        if (is_unknown_machine(machine_statuses, node)) unknown_nodes.push_back(node);
    std::ranges::sort(unknown_nodes, {}, &JoinedNode::number);
    for (const JoinedNode& node : unknown_nodes) {
        Group& group = groups_.at(node.group);
        if (node.number > group.last_number()) {
            group.adopt(node.number, node.type, launch_of(node, &group.config(), now()));
        } else {
            group.begin_running(node.number);
        }
        record_history(group);
    }
    return !unknown_nodes.empty();
}

/// Whether the node's machine belongs to a group that was removed from the settings.
bool Simulated::has_left(const JoinedNode& node) const {
    const auto group = removed_groups_.find(node.group);
    if (group == removed_groups_.end()) return false;
    const auto& machines = group->second.machines;
    const auto machine = std::ranges::find(machines, node.number, &MachineRecord::number);
    if (machine == machines.end()) return false;
    const std::optional<Time>& gone_at = machine->gone_at;
    return !gone_at || *gone_at > now();
}

Simulated::Work Simulated::work_for(const JoinedNodes& nodes) const {
    Work out;
    const StatusesByGroup machine_statuses = this->machine_statuses();
    std::map<std::string_view, std::set<int>> joined;
    for (const auto& [name, node] : nodes) {
        if (node.group.empty()) {
            out.unreadable.push_back(name);
            continue;
        }
        const auto group = machine_statuses.find(node.group);
        const MachineStatus* const machine =
            group == machine_statuses.end() ? nullptr : find_shown(group->second, node);
        if (machine != nullptr && has_node(machine->state)) {
            joined[group->first].insert(node.number);
        } else if (!has_left(node)) {
            out.gone.push_back(node);
        }
        if (is_unknown_machine(machine_statuses, node)) out.has_unknown_machines = true;
    }
    for (const auto& [id, group] : groups_) {
        for (const MachineStatus& machine : machine_statuses.at(id)) {
            if (machine.state != MachineState::running || joined[id].contains(machine.number))
                continue;
            std::string name = node_name(group.config().id, machine.number);
            const auto present = nodes.find(name);
            if (present != nodes.end() && present->second.group.empty()) continue;
            out.missing.emplace(std::move(name), nodes_.write(group.config().node,
                                                              group.machine_now(machine.number)));
        }
    }
    return out;
}

}  // namespace capstan::simulated
