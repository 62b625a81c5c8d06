#include "engine/health/health.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/backoff.hpp"
#include "engine/health/group_counts.hpp"
#include "engine/health/known_groups.hpp"
#include "engine/health/readiness.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/health/requests.hpp"
#include "engine/health/shared_backoff.hpp"
#include "engine/templates/node_taints.hpp"

namespace capstan::engine::health {
namespace {

/// "4 of 6 nodes ..., more than scale_up.ok_total_unready_count (3) and ..."; empty: few enough.
std::string find_too_many(int bad, int of, std::string_view what, const Settings& settings) {
    const double most = settings.max_total_unready_percentage / 100 * of;
    if (bad <= settings.ok_total_unready_count || bad <= most) return {};
    return std::to_string(bad) + " of " + counted(of, "node") + " " + std::string(what) +
           ", more than scale_up.ok_total_unready_count (" +
           std::to_string(settings.ok_total_unready_count) +
           ") and scale_up.max_total_unready_percentage (" +
           percent(settings.max_total_unready_percentage / 100) + ")";
}

class Assessment {
public:
    Assessment(const Snapshot& snapshot, const templates::Membership& membership,
               const Memory& memory, const Settings& settings, const PassTime& time)
        : snapshot_(snapshot),
          membership_(membership),
          memory_(memory),
          settings_(settings),
          next_change_(time) {}

    Health run() {
        CAPSTAN_ASSERT(membership_.nodes.size() == snapshot_.groups->size() &&
                           membership_.machine_of.size() == snapshot_.cluster.node_count(),
                       "the membership is of another snapshot");
        out_.readiness = find_readiness(snapshot_, membership_, memory_, settings_, next_change_);
        out_.leaving = find_leaving_nodes(snapshot_, membership_, settings_, next_change_);
        out_.groups.resize(snapshot_.groups->size());
        std::vector<int> starting(out_.groups.size(), 0);
        for (NodeIndex n = 0; n < out_.readiness.size(); ++n) {
            add_node(out_.readiness[n], out_.all);
            out_.nodes.push_back(usability_of(n));
            const std::optional<templates::MachineIndex>& machine = membership_.machine_of[n];
            if (machine && out_.nodes.back() == NodeUsability::starting) ++starting[machine->group];
        }
        const auto groups =
            count_groups(snapshot_, membership_, out_.readiness, memory_, settings_);
        const std::vector<int> leaving =
            count_leaving_unjoined(snapshot_, membership_, settings_, next_change_);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            count_upcoming(groups[g], starting[g], memory_, next_change_, out_.groups[g]);
            int& missing = out_.groups[g].upcoming.missing;
            missing = std::max(0, missing - leaving[g]);
            assess_group(groups[g], out_.groups[g]);
        }
        out_.unhealthy_because =
            find_too_many(out_.all.unready, out_.all.registered() + out_.all.deleted,
                          out_.all.unready == 1 ? "is not ready" : "are not ready", settings_);
        out_.wake_at = next_change_.at();
        return std::move(out_);
    }

private:
    NodeUsability usability_of(NodeIndex n) const {
        if (is_vacated(out_.leaving, n)) return NodeUsability::out;
        const Readiness readiness = out_.readiness[n];
        const snapshot::NodeRow& node = snapshot_.cluster.node(n);
        if (readiness == Readiness::deleted || readiness == Readiness::suspended)
            return NodeUsability::out;
        if (readiness == Readiness::starting && is_upcoming(n)) return NodeUsability::starting;
        const bool takes_pods = node.ready && !carries_readiness_taint(node, settings_);
        return takes_pods ? NodeUsability::takes_pods : NodeUsability::out;
    }

    bool is_upcoming(NodeIndex n) const {
        const auto& machine = membership_.machine_of[n];
        if (!machine) return false;
        const snapshot::NodeRow& node = snapshot_.cluster.node(n);
        const bool leaving =
            node.unschedulable || std::ranges::any_of(node.taints, [](const Taint& t) {
                return templates::is_deletion_taint(t.key);
            });
        const NodeGroupId& group = (*snapshot_.groups)[machine->group].group.id;
        // The template would offer the room of the node's pods a second time.
        return !leaving && !has_been_used(snapshot_.cluster, n) &&
               is_waited_for(memory_, group,
                             created_at(memory_, snapshot_.cluster, n, next_change_.time()),
                             next_change_.now());
    }

    void assess_group(const GroupCounts& group, GroupHealth& out) {
        out.nodes = group.nodes;
        out.most = group.target() + group.machines.being_removed;
        note_deadlines(group);
        if (!group.group->group.target) return;
        const auto request = memory_.requests.find(group.id());
        const int asked_for =
            request == memory_.requests.end() ? 0 : std::max(0, request->second.increase);
        // Upcoming machines are not missing, whether this host or another client requested them.
        // Machines that are being deleted are not missing either.
        const int coming = std::max(asked_for, out.unjoined + group.nodes.starting);
        out.least = std::max(0, group.target() - out.long_unjoined - out.failed - coming -
                                    group.nodes.deleted - group.machines.counted_elsewhere);
        // A suspended node was suspended on purpose: it is not missing.
        const int well = group.nodes.ready + group.nodes.suspended;
        const int present = well + group.nodes.unready + group.nodes.starting;
        const int missing = std::max(0, out.least - well);
        out.unhealthy_because =
            find_too_many(missing, std::max(missing, present),
                          missing == 1 ? "is not ready" : "are not ready", settings_);
    }

    /// Records the ends of the times that `remember` checks.
    void note_deadlines(const GroupCounts& group) {
        const auto request = memory_.requests.find(group.id());
        if (request != memory_.requests.end()) next_change_.is_before_end(request->second.deadline);
        const auto size = memory_.wrong_sizes.find(group.id());
        if (size != memory_.wrong_sizes.end())
            next_change_.is_within(size->second.since, group.limit);
    }

    const Snapshot& snapshot_;
    const templates::Membership& membership_;
    const Memory& memory_;
    const Settings& settings_;
    NextChange next_change_;
    Health out_;
};

}  // namespace

Health assess(const Snapshot& snapshot, const templates::Membership& membership,
              const Memory& memory, const Settings& settings, const PassTime& time) {
    return Assessment(snapshot, membership, memory, settings, time).run();
}

namespace {

/// Forgets requests and times of groups that are gone.
void forget_groups(Memory& memory, const std::vector<GroupCounts>& groups) {
    std::set<NodeGroupId> there;
    for (const GroupCounts& group : groups) there.insert(there.end(), group.id());
    const auto is_gone = [&](const auto& entry) { return !there.contains(entry.first); };
    std::erase_if(memory.requests, is_gone);
    std::erase_if(memory.unjoined, is_gone);
    std::erase_if(memory.lost_nodes, is_gone);
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

Memory remember(Memory memory, const Snapshot& snapshot, const templates::Membership& membership,
                const Settings& settings, const PassTime& time) {
    const Time now = time.now;
    forget_backoffs(memory, snapshot, settings, now);
    forget_removal_backoffs(memory, snapshot, settings, now);
    record_node_times(memory, snapshot, membership, settings, time);
    NextChange unanswered(time);  // not used: `assess` asks the same again and records the times
    const std::vector<Readiness> readiness =
        find_readiness(snapshot, membership, memory, settings, unanswered);
    std::vector<GroupCounts> groups =
        count_groups(snapshot, membership, readiness, memory, settings);
    forget_groups(memory, groups);
    const auto known = std::exchange(memory.failed_machines, {});
    std::size_t room = find_room_for_unjoined(memory);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        GroupCounts& group = groups[g];
        if (is_unread(*group.group)) {
            if (known.contains(group.id()))
                memory.failed_machines[group.id()] = known.at(group.id());
            continue;
        }
        record_lost_nodes(memory, group, snapshot.cluster, membership.nodes[g].size());
        // A target that the cloud does not report now is no reason for any change.
        const bool has_target =
            group.group->group.target && group.group->unreadable_because.empty();
        const int to_take_back = has_target ? update_request(memory, group, settings, now) : 0;
        update_failed_machines(memory, group, find_known(known, group.id()), settings, now);
        record_machine_times(memory, group, time, room);
        if (has_target) update_incorrect_size(memory, group, to_take_back, now);
    }
    share_backoffs(memory, snapshot, now);
    forget_offering_backoffs(memory, settings, now);
    return memory;
}

}  // namespace capstan::engine::health
