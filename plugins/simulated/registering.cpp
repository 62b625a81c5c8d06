// How a cloud whose machines join a cluster comes through the end of its process.
#include <algorithm>
#include <set>
#include <utility>

#include "simulated.hpp"

namespace capstan::simulated {
namespace {

constexpr std::string_view state_key = "machines";

bool has_node(const Machine& machine) {
    return machine.state == MachineState::running || machine.state == MachineState::deleting;
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
    const JoinedNodes* const followed = nodes_.find_followed();
    if (followed != nullptr && is_settled(*followed)) co_return;
    // By value, for requests go on while these are under way.
    JoinedNodes nodes;
    if (followed != nullptr && !nodes_.is_behind()) {
        nodes = *followed;
    } else {
        nodes = co_await nodes_.list();
        nodes_.follow();
    }
    if (take_in(nodes)) write_down();
    const Work work = work_for(nodes);
    try {
        for (const JoinedNode& node : work.gone) co_await nodes_.remove(node);
        for (const auto& [name, object] : work.missing) co_await nodes_.create(name, object);
    } catch (const Failure& failure) {
        // In a dry run the host writes nothing; what the cloud has is worth telling all the same.
        if (failure.error().code != ErrorCode::cancelled) throw;
        host_.info("nodes stay as they are: " + failure.error().message);
    }
}

Simulated::Standings Simulated::standings() const {
    Standings out;
    for (const auto& [id, group] : groups_) out.emplace(id, group.standings());
    return out;
}

/// Each machine that runs has its node, and each node a machine: there is nothing to do. Asked in
/// each refresh, and worked out anew only when one of the two is not as it was.
bool Simulated::is_settled(const JoinedNodes& followed) {
    std::pair now(nodes_.version(), standings());
    if (settled_ == now) return true;
    const auto is_stranger = [this](const auto& entry) {
        return find_stranger(entry.second) != nullptr;
    };
    if (std::ranges::any_of(followed, is_stranger)) return false;
    const Work work = work_for(followed);
    if (!work.gone.empty() || !work.missing.empty()) return false;
    settled_ = std::move(now);
    return true;
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
    std::set<std::string, std::less<>> wanted;
    for (const auto& [id, group] : groups_) {
        for (const Machine& machine : group.machines_now()) {
            if (!has_node(machine)) continue;
            std::string name = node_name(machine.group, number_of(machine.id));
            const bool joins = machine.state == MachineState::running && !nodes.contains(name);
            if (joins) out.missing.emplace(name, nodes_.write(group.config().node, machine));
            wanted.insert(std::move(name));
        }
    }
    for (const auto& [name, node] : nodes) {
        if (!wanted.contains(name)) out.gone.push_back(node);
    }
    return out;
}

}  // namespace capstan::simulated
