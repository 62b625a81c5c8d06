// How a cloud whose machines join a cluster comes through the end of its process.
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

/// Of these machines of its group, by number, the one whose node it is; NULL: there is none.
const MachineStanding* find_shown(const std::vector<MachineStanding>& machines,
                                  const JoinedNode& node) {
    const auto at = std::ranges::lower_bound(machines, node.number, {}, &MachineStanding::number);
    const bool is_its = at != machines.end() && at->number == node.number &&
                        node.name == node_name(NodeGroupId(node.group), node.number);
    return is_its ? &*at : nullptr;
}

bool has_node(MachineState state) {
    return state == MachineState::running || state == MachineState::deleting;
}

/// A machine with a node runs, however long machines take to boot by now.
Time launch_of(const JoinedNode& node, const GroupConfig* config, Time now) {
    const Duration boot = config == nullptr ? Duration(0) : config->boot;
    return std::min(node.launched.value_or(now), now - boot);
}

}  // namespace

Task<void> Simulated::recall() {
    const Result<StoredValue> kept = read_state(host_, state_key);
    if (kept) {
        if (revision_ == kept->revision) co_return;
        Result<Ledger> ledger = parse_ledger(kept->value);
        if (!ledger) throw Failure(std::move(ledger.error()));
        // Its moments are on the clock of the process that wrote it.
        const Duration passed = std::max(Duration(0), host_.now() - ledger->written);
        shift(*ledger, now() - ledger->saved - passed);
        const Time saved = ledger->saved;
        take_over(*std::move(ledger));
        restore_pasts(saved);
        revision_ = kept->revision;
        co_return;
    }
    if (kept.error().code != ErrorCode::not_found)
        throw Failure(within("register_nodes keeps the machines", kept.error()));
    const JoinedNodes nodes = co_await nodes_.list();
    // Another call may have been quicker; its word is written down.
    if (revision_) co_return;
    take_over(adopted(nodes));
    pasts_.clear();
    begin_pasts();
    revision_ = 0;
    write_down();
}

void Simulated::take_over(Ledger ledger) {
    start_ = ledger.start;
    for (const auto& [name, plan] : made_) {
        if (!ledger.plans.contains(name)) groups_.erase(name);
    }
    made_ = std::move(ledger.plans);
    left_ = std::move(ledger.groups);
    std::vector<GroupConfig> groups = all_groups(config_);
    // Those with a past first, so that only groups that left are left when the others begin.
    std::ranges::stable_partition(
        groups, [&](const GroupConfig& group) { return left_.contains(group.id.value()); });
    for (const GroupConfig& config : groups) {
        groups_.erase(config.id.value());
        groups_.emplace(config.id.value(), begin_group(config, ledger.saved));
    }
    std::erase_if(left_, [](const auto& entry) { return entry.second.machines.empty(); });
}

/// What lists showed is lost; what they cannot have shown yet is on record.
void Simulated::restore_pasts(Time saved) {
    pasts_.clear();
    if (config_.list_lag <= Duration(0)) return;
    const Time listed = std::min(saved, now() - config_.list_lag);
    for (const auto& [id, group] : groups_) {
        const Group before(group.config(), start_, listed, record_before(group.record(), listed));
        pasts_.try_emplace(id, before, listed).first->second.note(group, saved);
    }
}

/// Groups that have nodes have those machines and no others, be they in the settings or not; groups
/// without begin anew.
Ledger Simulated::adopted(const JoinedNodes& nodes) const {
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

/// What cannot be written down has not happened: the next call goes on from what is.
void Simulated::write_down() {
    Ledger ledger{.start = start_, .saved = now(), .written = host_.now(), .plans = made_};
    for (const auto& [id, group] : groups_) ledger.groups.emplace(id, group.record());
    ledger.groups.insert(left_.begin(), left_.end());
    const std::uint64_t before = revision_.value_or(0);
    revision_.reset();
    const Result<std::uint64_t> written = write_state(host_, state_key, to_text(ledger), before);
    if (!written) throw Failure(within("register_nodes keeps the machines", written.error()));
    revision_ = *written;
}

Task<void> Simulated::register_nodes() {
    // By value, for requests go on while these are under way.
    std::optional<Work> work = followed_work();
    if (!work) {
        const JoinedNodes nodes = co_await nodes_.list();
        nodes_.follow();
        work = work_with_strangers(nodes);
    }
    try {
        for (const JoinedNode& node : work->gone) co_await nodes_.remove(node);
        for (const auto& [name, object] : work->missing) co_await nodes_.create(name, object);
    } catch (const Failure& failure) {
        // In a dry run the host writes nothing; what the cloud has is worth telling all the same.
        if (failure.error().code != ErrorCode::cancelled) throw;
        host_.info("nodes stay as they are: " + failure.error().message);
    }
}

/// By the nodes that are followed; nothing: they are to be listed.
std::optional<Simulated::Work> Simulated::followed_work() {
    const JoinedNodes* const followed = nodes_.find_followed();
    if (followed == nullptr) return std::nullopt;
    if (is_settled()) return Work();
    Work work = work_for(*followed);
    if (work.gone.empty() && work.missing.empty() && !work.has_strangers) {
        settled_ = std::pair(nodes_.version(), versions());
        return work;
    }
    if (nodes_.is_behind()) return std::nullopt;
    return work.has_strangers ? work_with_strangers(*followed) : work;
}

Simulated::Work Simulated::work_with_strangers(const JoinedNodes& nodes) {
    if (take_in(nodes)) write_down();
    return work_for(nodes);
}

/// Each machine that runs has its node, and each node a machine: there was nothing to do, and since
/// then neither of the two has changed.
bool Simulated::is_settled() const {
    return settled_ && settled_->first == nodes_.version() && settled_->second == versions();
}

Simulated::Standings Simulated::standings() const {
    Standings out;
    for (const auto& [id, group] : groups_) out.emplace(id, group.standings());
    return out;
}

/// Its number was never given out, so it is another process' whose word was lost; or its machine
/// has yet to run, by a clock that was set back while no process looked.
bool Simulated::is_stranger(const Standings& standings, const JoinedNode& node) const {
    const auto at = groups_.find(node.group);
    if (at == groups_.end()) return false;
    if (node.number > at->second.last_number()) return true;
    const MachineStanding* const machine = find_shown(standings.at(node.group), node);
    return machine != nullptr && !has_node(machine->state);
}

bool Simulated::take_in(const JoinedNodes& nodes) {
    const Standings standings = this->standings();
    std::vector<JoinedNode> strangers;
    for (const auto& [name, node] : nodes)
        if (is_stranger(standings, node)) strangers.push_back(node);
    std::ranges::sort(strangers, {}, &JoinedNode::number);
    for (const JoinedNode& node : strangers) {
        Group& group = groups_.at(node.group);
        if (node.number > group.last_number()) {
            group.adopt(node.number, node.type, launch_of(node, &group.config(), now()));
        } else {
            group.begin_running(node.number);
        }
        note_request(group);
    }
    return !strangers.empty();
}

/// Whether its machine is one of a group that the settings do not have any more.
bool Simulated::has_left(const JoinedNode& node) const {
    const auto group = left_.find(node.group);
    if (group == left_.end()) return false;
    const auto& machines = group->second.machines;
    const auto machine = std::ranges::find(machines, node.number, &MachineRecord::number);
    return machine != machines.end() && (!machine->gone_at || *machine->gone_at > now());
}

Simulated::Work Simulated::work_for(const JoinedNodes& nodes) const {
    Work out;
    const Standings standings = this->standings();
    std::map<std::string_view, std::set<int>> joined;
    for (const auto& [name, node] : nodes) {
        const auto group = standings.find(node.group);
        const MachineStanding* const machine =
            group == standings.end() ? nullptr : find_shown(group->second, node);
        if (machine != nullptr && has_node(machine->state)) {
            joined[group->first].insert(node.number);
        } else if (!has_left(node)) {
            out.gone.push_back(node);
        }
        if (is_stranger(standings, node)) out.has_strangers = true;
    }
    for (const auto& [id, group] : groups_) {
        for (const MachineStanding& machine : standings.at(id)) {
            if (machine.state != MachineState::running || joined[id].contains(machine.number))
                continue;
            out.missing.emplace(
                node_name(group.config().id, machine.number),
                nodes_.write(group.config().node, group.machine_now(machine.number)));
        }
    }
    return out;
}

}  // namespace capstan::simulated
