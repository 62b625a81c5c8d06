#include "engine/health/health.hpp"

#include <algorithm>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/figures.hpp"
#include "engine/health/readiness.hpp"
#include "engine/health/upcoming.hpp"
#include "engine/templates/node_taints.hpp"

namespace capstan::engine {
namespace {

/// "4 of 6 nodes ...: more than 3, and more than 45%"; empty: few enough.
std::string find_too_many(int bad, int of, std::string_view what, const Settings& settings) {
    const double most = settings.max_total_unready_percentage / 100 * of;
    if (bad <= settings.ok_total_unready_count || bad <= most) return {};
    return std::to_string(bad) + " of " + counted(of, "node") + " " + std::string(what) +
           ", more than " + std::to_string(settings.ok_total_unready_count) + " and more than " +
           percent(settings.max_total_unready_percentage / 100);
}

class Assessment {
public:
    Assessment(const Snapshot& snapshot, const Membership& membership, const Memory& memory,
               const Settings& settings, const PassTime& time)
        : snapshot_(snapshot),
          membership_(membership),
          memory_(memory),
          settings_(settings),
          alarm_(time) {}

    Health run() {
        out_.readiness = read_nodes(snapshot_, membership_, memory_, settings_, alarm_);
        out_.groups.resize(snapshot_.groups->size());
        std::vector<int> starting(out_.groups.size(), 0);
        for (NodeIndex n = 0; n < out_.readiness.size(); ++n) {
            add_node(out_.readiness[n], out_.all);
            out_.nodes.push_back(standing(n));
            if (out_.nodes.back() == Standing::starting) {
                ++starting[membership_.machine_of[n]->group];
            }
        }
        const auto groups =
            count_groups(snapshot_, membership_, out_.readiness, memory_, settings_);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            count_upcoming(groups[g], starting[g], memory_, alarm_, out_.groups[g]);
            assess_group(groups[g], out_.groups[g]);
        }
        out_.unhealthy_because =
            find_too_many(out_.all.unready, out_.all.registered() + out_.all.deleted,
                          out_.all.unready == 1 ? "is not ready" : "are not ready", settings_);
        out_.wake_at = alarm_.at();
        return std::move(out_);
    }

private:
    Standing standing(NodeIndex n) const {
        const Readiness readiness = out_.readiness[n];
        const NodeRow& node = snapshot_.cluster.node(n);
        if (readiness == Readiness::deleted || readiness == Readiness::suspended ||
            readiness == Readiness::long_starting) {
            return Standing::out;
        }
        if (readiness == Readiness::starting && is_upcoming(n)) return Standing::starting;
        const bool takes_pods = node.ready && !carries_readiness_taint(node, settings_);
        return takes_pods ? Standing::takes_pods : Standing::out;
    }

    bool is_upcoming(NodeIndex n) const {
        const auto& machine = membership_.machine_of[n];
        if (!machine) return false;
        const NodeRow& node = snapshot_.cluster.node(n);
        const bool leaving =
            node.unschedulable || std::ranges::any_of(node.taints, [](const Taint& t) {
                return is_deletion_taint(t.key);
            });
        const NodeGroupId& group = (*snapshot_.groups)[machine->group].group.id;
        // A template would promise the room of its pods a second time.
        return !leaving && !has_been_used(snapshot_.cluster, n) &&
               is_waited_for(memory_, group,
                             created_at(memory_, snapshot_.cluster, n, alarm_.time()),
                             alarm_.now());
    }

    void assess_group(const GroupFigures& group, GroupHealth& out) {
        out.nodes = group.nodes;
        out.most = group.target() + group.machines.going;
        hear_deadlines(group);
        if (!group.group->group.target) return;
        const auto request = memory_.requests.find(group.id());
        const int asked_for =
            request == memory_.requests.end() ? 0 : std::max(0, request->second.increase);
        // On its way is right whoever asked for it; what goes is right too.
        const int coming = std::max(asked_for, out.unjoined + group.nodes.starting);
        out.least = std::max(0, group.target() - out.long_unjoined - out.failed - coming -
                                    group.nodes.deleted - group.machines.foreign);
        // Whoever suspended a node knows of it: it is not missing.
        const int well = group.nodes.ready + group.nodes.suspended;
        const int present = well + group.nodes.unready + group.nodes.starting;
        const int missing = std::max(0, out.least - well);
        out.unhealthy_because =
            find_too_many(missing, std::max(missing, present),
                          missing == 1 ? "is not ready" : "are not ready", settings_);
    }

    /// Of what `remember` looks at.
    void hear_deadlines(const GroupFigures& group) {
        const auto request = memory_.requests.find(group.id());
        if (request != memory_.requests.end()) alarm_.is_before_end(request->second.deadline);
        const auto size = memory_.wrong_sizes.find(group.id());
        if (size != memory_.wrong_sizes.end()) alarm_.is_within(size->second.since, group.limit);
    }

    const Snapshot& snapshot_;
    const Membership& membership_;
    const Memory& memory_;
    const Settings& settings_;
    Alarm alarm_;
    Health out_;
};

}  // namespace

Health assess(const Snapshot& snapshot, const Membership& membership, const Memory& memory,
              const Settings& settings, const PassTime& time) {
    return Assessment(snapshot, membership, memory, settings, time).run();
}

}  // namespace capstan::engine
