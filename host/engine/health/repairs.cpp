#include "engine/health/repairs.hpp"

#include <algorithm>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/backoff.hpp"
#include "engine/health/figures.hpp"
#include "engine/health/minimum.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/health/surplus.hpp"

namespace capstan::engine {
namespace {

std::string not_joined(const GroupFigures& group, const MachinePlaces& machines) {
    return counted(std::ssize(machines), "machine") + " did not join within " +
           format_duration(group.limit);
}

class GroupRepair {
public:
    GroupRepair(const GroupFigures& group, const Memory& memory, const Settings& settings,
                bool cluster_is_healthy, Time now, Repairs& out)
        : group_(group),
          memory_(memory),
          settings_(settings),
          cluster_is_healthy_(cluster_is_healthy),
          now_(now),
          out_(out),
          not_begun_(group.target() - group.machines.real()),
          above_min_(std::max(
              0, group.target() - group.machines.leaving - group.group->group.min.value_or(0))) {}

    /// Whether it changes the group.
    bool run() {
        if (!group_.group->group.target || !group_.group->unreadable_because.empty()) return false;
        return group_.is_whole() ? give_up_whole() : take_back() || remove_some();
    }

private:
    bool take_back() {
        Surplus surplus = failed_requests(group_, memory_, now_);
        if (cluster_is_healthy_) {
            Surplus other = long_outstanding(group_, memory_, now_);
            if (other.machines > surplus.machines) surplus = std::move(other);
        }
        const bool one_stays = keeps_one(group_, memory_, now_) &&
                               !find_backoff(memory_, group_.id(), now_)->given_back;
        const int most = not_begun_ - (one_stays ? 1 : 0);
        return decrease(std::min(surplus.machines, most),
                        surplus.because + (one_stays ? "; one stays asked for" : ""));
    }

    bool remove_some() {
        if (remove(RemovalCause::failed, now_due(find_machines(group_, MachineFate::failed))))
            return true;
        return cluster_is_healthy_ &&
               remove(RemovalCause::never_joined,
                      now_due(find_overdue(group_, MachineFate::begun, memory_, now_)));
    }

    /// A group that is only ever empty or full: where one machine fails, the others that have no
    /// node are of no use. Nodes that are there go as nodes do, when nobody needs them.
    bool give_up_whole() {
        const std::string because = why_whole();
        if (because.empty()) return false;
        MachinePlaces unjoined = find_machines(group_, MachineFate::failed);
        const MachinePlaces begun = find_machines(group_, MachineFate::begun);
        unjoined.insert(unjoined.end(), begun.begin(), begun.end());
        const bool decreased = decrease(not_begun_, because);
        return remove(RemovalCause::failed, now_due(std::move(unjoined)), because) || decreased;
    }

    /// The machines without a removal back-off at this time.
    MachinePlaces now_due(MachinePlaces machines) const {
        if (find_unremovable(memory_, group_.id(), now_) != nullptr) return {};
        std::erase_if(machines, [&](std::size_t m) {
            return find_removal_backoff(memory_, group_.id(), group_.group->machines[m].id, now_) !=
                   nullptr;
        });
        return machines;
    }

    std::string why_whole() const {
        for (const MachineFate bad : {MachineFate::failed_request, MachineFate::failed}) {
            const MachinePlaces machines = find_machines(group_, bad);
            if (!machines.empty()) return why_failed(group_, machines);
        }
        if (!cluster_is_healthy_) return {};
        const MachinePlaces late = find_overdue(group_, MachineFate::begun, memory_, now_);
        if (!late.empty()) return not_joined(group_, late);
        const Surplus other = long_outstanding(group_, memory_, now_);
        return other.machines > 0 ? other.because : std::string();
    }

    bool decrease(int wanted, std::string because) {
        const int by = std::min(wanted, above_min_);
        if (by <= 0 || is_decrease_backed_off(memory_, group_.id(), now_)) return false;
        above_min_ -= by;
        out_.decreases.push_back({.group = group_.id(),
                                  .cloud = group_.group->cloud,
                                  .from = group_.target(),
                                  .by = by,
                                  .because = std::move(because)});
        return true;
    }

    bool remove(RemovalCause cause, MachinePlaces machines) {
        if (machines.empty()) return false;
        const std::string because = cause == RemovalCause::failed ? why_failed(group_, machines)
                                                                  : not_joined(group_, machines);
        return remove(cause, std::move(machines), because);
    }

    bool remove(RemovalCause cause, MachinePlaces machines, const std::string& because) {
        const bool force = cause == RemovalCause::failed
                               ? settings_.force_delete_failed_nodes
                               : settings_.force_delete_unregistered_nodes;
        const auto too_many = std::ssize(machines) - above_min_;
        if (!force && too_many > 0) {
            note_minimum(because, static_cast<int>(too_many));
            machines.resize(static_cast<std::size_t>(above_min_));
        }
        if (machines.empty()) return false;
        MachineRemoval removal{.group = group_.id(),
                               .cloud = group_.group->cloud,
                               .nodes = std::vector<std::string>(machines.size()),
                               .force = force,
                               .cause = cause,
                               .because = because};
        for (const std::size_t m : machines) {
            removal.machines.push_back(group_.group->machines[m].id);
        }
        out_.removals.push_back(std::move(removal));
        return true;
    }

    void note_minimum(const std::string& because, int staying) {
        out_.notes.push_back("group " + group_.id().value() + ": " + because + ", and " +
                             counted(staying, "machine") + (staying == 1 ? " stays" : " stay") +
                             " because of its minimum of " +
                             std::to_string(group_.group->group.min.value_or(0)));
    }

    const GroupFigures& group_;
    const Memory& memory_;
    const Settings& settings_;
    bool cluster_is_healthy_;
    Time now_;
    Repairs& out_;
    int not_begun_;
    int above_min_;  ///< how much lower the target may be, beside the machines that are leaving
};

}  // namespace

Repairs plan_repairs(const Snapshot& snapshot, const Membership& membership, const Health& health,
                     const Memory& memory, const Settings& settings, Time now) {
    Repairs out;
    const bool is_healthy = health.unhealthy_because.empty();
    const std::vector<GroupFigures> groups =
        count_groups(snapshot, membership, health.readiness, memory, settings);
    std::vector<bool> changed;
    for (const GroupFigures& group : groups) {
        changed.push_back(GroupRepair(group, memory, settings, is_healthy, now, out).run());
    }
    if (is_healthy && settings.enforce_min_size) {
        raise_to_minimum(snapshot, health, memory, settings, changed, now, out);
    }
    return out;
}

}  // namespace capstan::engine
