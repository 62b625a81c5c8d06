#include <set>
#include <utility>
#include <vector>

#include "engine/health/backoff.hpp"
#include "engine/health/failures.hpp"
#include "engine/health/figures.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/health/makes.hpp"
#include "engine/health/readiness.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/health/requests.hpp"
#include "engine/health/sizes.hpp"

namespace capstan::engine {
namespace {

/// Of groups that are gone nothing is outstanding.
void forget_groups(Memory& memory, const std::vector<GroupFigures>& groups) {
    std::set<NodeGroupId> there;
    for (const GroupFigures& group : groups) there.insert(there.end(), group.id());
    const auto is_gone = [&](const auto& entry) { return !there.contains(entry.first); };
    std::erase_if(memory.requests, is_gone);
    std::erase_if(memory.unjoined, is_gone);
    std::erase_if(memory.launched, is_gone);
    std::erase_if(memory.wrong_sizes, is_gone);
}

const std::set<MachineId>& find_known(
    const std::map<NodeGroupId, std::set<MachineId>>& failed_machines, const NodeGroupId& group) {
    static const std::set<MachineId> none;
    const auto at = failed_machines.find(group);
    return at == failed_machines.end() ? none : at->second;
}

}  // namespace

Memory remember(Memory memory, const Snapshot& snapshot, const Membership& membership,
                const Settings& settings, const PassTime& time) {
    const Time now = time.now;
    forget_backoffs(memory, snapshot, settings, now);
    forget_removal_backoffs(memory, snapshot, settings, now);
    time_nodes(memory, snapshot, membership, settings, time);
    Alarm unheard(time);  // what is read here is read again by assess, and timed there
    const std::vector<Readiness> readiness =
        read_nodes(snapshot, membership, memory, settings, unheard);
    const std::vector<GroupFigures> groups =
        count_groups(snapshot, membership, readiness, memory, settings);
    forget_groups(memory, groups);
    const auto known = std::exchange(memory.failed_machines, {});
    for (const GroupFigures& group : groups) {
        if (is_unread(*group.group)) {
            if (known.contains(group.id()))
                memory.failed_machines[group.id()] = known.at(group.id());
            continue;
        }
        // A target that its cloud does not tell now is no sign of anything.
        const bool has_target =
            group.group->group.target && group.group->unreadable_because.empty();
        const int at_once = has_target ? follow_request(memory, group, settings, now) : 0;
        follow_failures(memory, group, find_known(known, group.id()), settings, now);
        time_machines(memory, group, time);
        if (has_target) follow_size(memory, group, at_once, now);
    }
    forget_make_backoffs(memory, settings, now);
    return memory;
}

}  // namespace capstan::engine
