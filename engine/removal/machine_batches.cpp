#include "engine/removal/machine_batches.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <capstan/sentence.hpp>

#include "engine/next_change.hpp"
#include "engine/removal/phases.hpp"

namespace capstan::engine::removal {
namespace {

using Removals = decltype(Memory::removals);

RemovalCause cause_of(const NodeRemoval& removal) {
    if (!removal.ready) return RemovalCause::unready;
    return removal.empty ? RemovalCause::empty : RemovalCause::underutilized;
}

/// The removals of one group that are ready.
struct Batch {
    std::vector<std::string> ready{};
    Time first = Time::max();  ///< since when the first of them waits
    bool is_whole = true;      ///< all removals of the group are ready
};

std::map<NodeGroupId, Batch> find_batches(const Removals& removals,
                                          const std::set<std::string>& ready) {
    std::map<NodeGroupId, Batch> out;
    for (const auto& [node, removal] : removals) {
        if (!is_revocable(removal.phase)) continue;
        Batch& batch = out[removal.group];
        if (!ready.contains(node)) {
            batch.is_whole = false;
            continue;
        }
        batch.ready.push_back(node);
        batch.first = std::min(batch.first, removal.phase_since);
    }
    return out;
}

MachineRemoval make_machine_removal(const Group& group, RemovalCause cause,
                                    const std::vector<const Removals::value_type*>& members) {
    MachineRemoval out{.group = group.group.id, .cloud = group.cloud, .cause = cause};
    for (const auto* member : members) {
        out.machines.push_back(member->second.machine);
        out.nodes.push_back(member->first);
    }
    out.because = members.size() == 1
                      ? members[0]->second.because.text()
                      : listed(members, [](const auto* member) {
                            return member->first + ": " + member->second.because.text();
                        });
    return out;
}

}  // namespace

void start_deleting(const Snapshot& snapshot, const std::set<std::string>& ready, Memory& memory,
                    const ScaleDownSettings& settings, Time now, std::optional<Time>& wake_at) {
    for (const auto& [group, batch] : find_batches(memory.removals, ready)) {
        if (batch.ready.empty()) continue;
        const Time due = later(batch.first, settings.node_deletion_batcher_interval);
        if (is_zero_or_max(find_group(snapshot, group))) {
            if (!batch.is_whole) continue;
        } else if (now < due) {
            wake_by(wake_at, due);
            continue;
        }
        for (const std::string& node : batch.ready)
            enter(memory.removals.at(node), RemovalPhase::deleting, now);
    }
    for (auto& [node, removal] : memory.removals) {
        if (removal.phase != RemovalPhase::deleting) continue;
        const Group* const group = find_group(snapshot, removal.group);
        if (group != nullptr) removal.target = group->group.target;
    }
}

std::vector<MachineRemoval> make_machine_removals(const Snapshot& snapshot, const Memory& memory) {
    std::map<NodeGroupId, std::map<RemovalCause, std::vector<const Removals::value_type*>>> batches;
    for (const auto& entry : memory.removals) {
        if (entry.second.phase != RemovalPhase::deleting) continue;
        const bool is_one = is_zero_or_max(find_group(snapshot, entry.second.group));
        batches[entry.second.group][is_one ? RemovalCause::underutilized : cause_of(entry.second)]
            .push_back(&entry);
    }
    std::vector<MachineRemoval> out;
    for (const auto& [id, causes] : batches) {
        const Group* group = find_group(snapshot, id);
        if (group == nullptr || is_unreadable(group)) continue;
        for (const auto& [cause, members] : causes)
            out.push_back(make_machine_removal(*group, cause, members));
    }
    return out;
}

}  // namespace capstan::engine::removal
