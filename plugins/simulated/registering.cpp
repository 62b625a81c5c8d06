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

/// Whether it is the node of one of these machines of its group, by number.
bool shows_one_of(const std::vector<MachineStanding>& machines, const JoinedNode& node) {
    const auto at = std::ranges::lower_bound(machines, node.number, {}, &MachineStanding::number);
    const bool has_node =
        at != machines.end() && at->number == node.number &&
        (at->state == MachineState::running || at->state == MachineState::deleting);
    return has_node && node.name == node_name(NodeGroupId(node.group), node.number);
}

/// Whoever has a node runs, however long machines take to boot by now.
Time launch_of(const JoinedNode& node, const GroupConfig& config, Time now) {
    return std::min(node.launched.value_or(now), now - config.boot);
}

}  // namespace

Task<void> Simulated::recall() {
    const Result<StoredValue> kept = read_state(host_, state_key);
    if (kept) {
        if (revision_ == kept->revision) co_return;
        Result<Ledger> ledger = parse_ledger(kept->value);
        if (!ledger) throw Failure(std::move(ledger.error()));
        restore(*std::move(ledger));
        revision_ = kept->revision;
        co_return;
    }
    if (kept.error().code != ErrorCode::not_found)
        throw Failure(within("register_nodes keeps the machines", kept.error()));
    const JoinedNodes nodes = co_await nodes_.list();
    // Another call may have been quicker; its word is written down.
    if (revision_) co_return;
    restore(adopted(nodes));
    revision_ = 0;
    write_down();
}

void Simulated::restore(Ledger ledger) {
    const std::lock_guard lock(mutex_);
    start_ = ledger.start;
    for (const auto& [name, plan] : made_) {
        if (!ledger.plans.contains(name)) groups_.erase(name);
    }
    made_ = std::move(ledger.plans);
    for (const GroupConfig& config : all_groups(config_)) {
        const auto known = ledger.groups.find(config.id.value());
        groups_.erase(config.id.value());
        groups_.emplace(config.id.value(),
                        known == ledger.groups.end()
                            ? Group(config, start_, ledger.saved)
                            : Group(config, start_, ledger.saved, std::move(known->second)));
    }
}

/// Groups that have nodes have those machines and no others; groups without begin anew.
Ledger Simulated::adopted(const JoinedNodes& nodes) const {
    Ledger out{.start = host_.now(), .saved = host_.now()};
    for (const auto& [name, node] : nodes) {
        const GroupConfig* const config = find_config(node.group);
        if (config == nullptr) continue;
        const Time launched = launch_of(node, *config, out.start);
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
    Ledger ledger{.start = start_, .saved = host_.now(), .plans = made_};
    for (const auto& [id, group] : groups_) ledger.groups.emplace(id, group.record());
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

/// The group of a node whose number was never given out: it is another process' whose word was
/// lost.
const std::string* Simulated::find_stranger(const JoinedNode& node) const {
    const auto at = groups_.find(node.group);
    const bool is_one = at != groups_.end() && node.number > at->second.last_number();
    return is_one ? &at->first : nullptr;
}

bool Simulated::take_in(const JoinedNodes& nodes) {
    std::vector<JoinedNode> strangers;
    for (const auto& [name, node] : nodes)
        if (find_stranger(node)) strangers.push_back(node);
    std::ranges::sort(strangers, {}, &JoinedNode::number);
    for (const JoinedNode& node : strangers) {
        Group& group = groups_.at(node.group);
        group.adopt(node.number, node.type, launch_of(node, group.config(), host_.now()));
    }
    return !strangers.empty();
}

Simulated::Work Simulated::work_for(const JoinedNodes& nodes) const {
    Work out;
    std::map<std::string_view, std::vector<MachineStanding>> standings;
    for (const auto& [id, group] : groups_) standings.emplace(id, group.standings());
    std::map<std::string_view, std::set<int>> joined;
    for (const auto& [name, node] : nodes) {
        const auto group = standings.find(node.group);
        if (group != standings.end() && shows_one_of(group->second, node)) {
            joined[group->first].insert(node.number);
        } else {
            out.gone.push_back(node);
        }
        if (find_stranger(node) != nullptr) out.has_strangers = true;
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
