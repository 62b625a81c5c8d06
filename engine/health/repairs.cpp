#include "engine/health/repairs.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <capstan/assert.hpp>
#include <capstan/duration.hpp>
#include <capstan/sentence.hpp>

#include "engine/health/answered_targets.hpp"
#include "engine/health/backoff.hpp"
#include "engine/health/group_counts.hpp"
#include "engine/health/removal_backoff.hpp"
#include "engine/health/removed_machines.hpp"
#include "engine/health/unrecognized_nodes.hpp"
#include "engine/limits/limits.hpp"

namespace capstan::engine::health {
namespace {

std::string not_joined(const GroupCounts& group, const MachineIndices& machines) {
    return counted(std::ssize(machines), "machine") + " did not join within " +
           format_duration(group.limit);
}

/// How many machines that never joined are removed in one pass. If most of a group seems not to
/// join, the machines may not be to blame, so there is time to see that.
std::ptrdiff_t never_joined_max(const GroupCounts& group) {
    return std::max(3, group.target() / 10);
}

class GroupRepair {
public:
    GroupRepair(const PassView& view, const GroupCounts& group,
                const UnrecognizedNodes& unrecognized, bool cluster_is_healthy, Repairs& out)
        : group_(group),
          unrecognized_(unrecognized),
          memory_(view.memory),
          settings_(view.settings),
          cluster_is_healthy_(cluster_is_healthy),
          now_(view.time.now),
          out_(out),
          not_begun_(group.target() - group.machines.real()),
          above_min_(std::max(0, group.target() - count_uncertain(view.memory, *group.group) -
                                     group.machines.removal_asked -
                                     group.group->group.min.value_or(0))) {}

    /// Whether it changes the group.
    bool run() {
        if (!group_.group->group.target || !group_.group->unreadable_because.empty()) return false;
        return group_.is_atomic() ? give_up_atomic() : take_back() || remove_some();
    }

private:
    bool take_back() {
        ExcessTarget excess = failed_requests(group_, memory_, now_);
        if (cluster_is_healthy_) {
            ExcessTarget other = long_outstanding(group_, memory_, now_);
            if (other.machines > excess.machines) excess = std::move(other);
        }
        const bool one_stays = keeps_one(group_, memory_, now_) &&
                               !find_backoff(memory_, group_.id(), now_)->given_back;
        const int most = not_begun_ - (one_stays ? 1 : 0);
        return decrease(std::min(excess.machines, most),
                        excess.because + (one_stays ? "; one request is kept" : ""));
    }

    bool remove_some() {
        if (remove_failed()) return true;
        return cluster_is_healthy_ && remove_never_joined();
    }

    bool remove_never_joined() {
        MachineIndices late = now_due(find_overdue(group_, MachineFate::begun, memory_, now_));
        if (late.empty()) return false;
        std::string because = not_joined(group_, late);
        if (keeps_unrecognized(because)) return false;
        const auto most = std::min(std::ssize(late), never_joined_max(group_));
        const auto at_once = above_min_ > 0 ? std::min<std::ptrdiff_t>(most, above_min_) : most;
        if (above_min_ == 0 && find_unreplaceable(memory_, group_.id(), now_) == nullptr)
            return replace(late, at_once, because);
        late.resize(static_cast<std::size_t>(at_once));
        return remove(RemovalCause::never_joined, std::move(late), because);
    }

    /// Whether nodes without a machine may be those of the machines.
    bool keeps_unrecognized(const std::string& because) {
        if (nodes().empty()) return false;
        out_.warnings.push_back("group " + group_.id().value() + ": " + because +
                                "; not removed because " + describe_strays(nodes()) +
                                " may belong to the group; correct spec.providerID");
        return true;
    }
    /// Whether the cloud's list lags behind its last answer: what it lacks may be machines.
    bool is_listed_late() const {
        return find_counting_answer(memory_, group_.group->group) != nullptr;
    }
    const std::vector<std::string>& nodes() {
        if (!nodes_) nodes_ = unrecognized_.of(group_);
        return *nodes_;
    }

    bool replace(MachineIndices machines, std::ptrdiff_t most, const std::string& because) {
        CAPSTAN_ASSERT(most > 0 && most <= std::ssize(machines),
                       "more machines are replaced than are late");
        machines.resize(static_cast<std::size_t>(most));
        MachineRemoval removal = make_removal(machines);
        removal.keep_target = true;
        removal.cause = RemovalCause::never_joined;
        removal.because = because + "; node group min size reached (" +
                          std::to_string(group_.group->group.min.value_or(0)) +
                          "): the cloud replaces " + counted(most, "machine");
        out_.removals.push_back(std::move(removal));
        return true;
    }

    /// For a group that is only ever empty or full: if one machine fails, the other machines
    /// without a node are of no use. Its nodes are removed like other nodes once they are unneeded.
    bool give_up_atomic() {
        const std::string because = why_whole();
        if (because.empty() || keeps_unrecognized(because)) return false;
        // The machines that the cloud does not list yet have to go, too.
        if (not_begun_ > 0 && is_listed_late()) return false;
        MachineIndices unjoined = find_machines(group_, MachineFate::failed);
        const MachineIndices begun = find_machines(group_, MachineFate::begun);
        unjoined.insert(unjoined.end(), begun.begin(), begun.end());
        const bool decreased = decrease(not_begun_, because);
        return remove(RemovalCause::failed, now_due(std::move(unjoined)), because) || decreased;
    }

    /// The machines whose removal was not asked for lately, and that have no removal back-off.
    MachineIndices now_due(MachineIndices machines) const {
        if (find_unremovable(memory_, group_.id(), now_) != nullptr) return {};
        std::erase_if(machines, [&](std::size_t m) {
            const MachineId& machine = group_.group->machines[m].id;
            return find_removed_machine(memory_, group_.id(), machine) != nullptr ||
                   find_removal_backoff(memory_, group_.id(), machine, now_) != nullptr;
        });
        return machines;
    }

    std::string why_whole() const {
        for (const MachineFate bad : {MachineFate::failed_request, MachineFate::failed}) {
            const MachineIndices machines = find_machines(group_, bad);
            if (!machines.empty()) return why_failed(group_, machines);
        }
        if (!cluster_is_healthy_) return {};
        const MachineIndices late = find_overdue(group_, MachineFate::begun, memory_, now_);
        if (!late.empty()) return not_joined(group_, late);
        const ExcessTarget other = long_outstanding(group_, memory_, now_);
        return other.machines > 0 ? other.because : std::string();
    }

    bool decrease(int wanted, std::string because) {
        const int by = std::min(wanted, above_min_);
        if (by <= 0 || is_decrease_backed_off(memory_, group_.id(), now_)) return false;
        if (is_listed_late() || !nodes().empty()) {
            if (!nodes().empty())
                out_.notes.push_back("group " + group_.id().value() + ": " + because +
                                     "; target not lowered because " + describe_strays(nodes()) +
                                     " may belong to the group");
            return false;
        }
        CAPSTAN_ASSERT(by <= not_begun_, "a target falls below the machines that exist");
        above_min_ -= by;
        out_.decreases.push_back({.group = group_.id(),
                                  .cloud = group_.group->cloud,
                                  .from = group_.target(),
                                  .by = by,
                                  .because = std::move(because)});
        return true;
    }

    bool remove_failed() {
        MachineIndices failed = now_due(find_machines(group_, MachineFate::failed));
        if (failed.empty()) return false;
        const std::string because = why_failed(group_, failed);
        return remove(RemovalCause::failed, std::move(failed), because);
    }

    bool remove(RemovalCause cause, MachineIndices machines, const std::string& because) {
        const bool force = cause == RemovalCause::failed
                               ? settings_.force_delete_failed_nodes
                               : settings_.force_delete_unregistered_nodes;
        const auto too_many = std::ssize(machines) - above_min_;
        if (!force && too_many > 0) {
            note_minimum(because, static_cast<int>(too_many));
            machines.resize(static_cast<std::size_t>(above_min_));
        }
        if (machines.empty()) return false;
        MachineRemoval removal = make_removal(machines);
        removal.force = force;
        removal.cause = cause;
        removal.because = because;
        out_.removals.push_back(std::move(removal));
        return true;
    }

    MachineRemoval make_removal(const MachineIndices& machines) const {
        MachineRemoval out{.group = group_.id(),
                           .cloud = group_.group->cloud,
                           .nodes = std::vector<std::string>(machines.size())};
        for (const std::size_t m : machines) {
            CAPSTAN_ASSERT(m < group_.group->machines.size(), "the group has no such machine");
            out.machines.push_back(group_.group->machines[m].id);
        }
        return out;
    }

    void note_minimum(const std::string& because, int staying) {
        out_.notes.push_back("group " + group_.id().value() + ": " + because + "; " +
                             counted(staying, "machine") + (staying == 1 ? " stays" : " stay") +
                             ": node group min size reached (" +
                             std::to_string(group_.group->group.min.value_or(0)) + ")");
    }

    const GroupCounts& group_;
    const UnrecognizedNodes& unrecognized_;
    std::optional<std::vector<std::string>> nodes_{};  ///< of unrecognized_, once it is asked
    const Memory& memory_;
    const Settings& settings_;
    bool cluster_is_healthy_;
    Time now_;
    Repairs& out_;
    int not_begun_;
    int above_min_;  ///< how much the target may be lowered; machines being removed are gone
};

}  // namespace

Repairs plan_repairs(const PassView& view, const Health& health) {
    Repairs out;
    const bool is_healthy = health.unhealthy_because.empty();
    const std::vector<GroupCounts> groups =
        count_groups(view.snapshot, view.membership, health.readiness, view.memory, view.settings);
    const UnrecognizedNodes unrecognized(view.snapshot, view.membership, view.memory, view.time);
    std::vector<bool> changed;
    for (const GroupCounts& group : groups)
        changed.push_back(GroupRepair(view, group, unrecognized, is_healthy, out).run());
    if (is_healthy && view.settings.enforce_min_size) raise_to_minimum(view, health, changed, out);
    return out;
}

namespace {

ExcessTarget overdue_requests(const GroupCounts& group, const Memory& memory, Time now) {
    const auto n = std::ssize(find_overdue(group, MachineFate::requested, memory, now));
    return {static_cast<int>(n), counted(n, "machine") + " requested more than " +
                                     format_duration(group.limit) + " ago"};
}

std::string why_wrong(const GroupCounts& group, const IncorrectNodeGroupSize& size,
                      const Memory& memory, Time now) {
    if (is_of_failure(size, group.id(), memory, now))
        return find_backoff(memory, group.id(), now)->because;
    const int there = group.machines.real();
    return "target of " + std::to_string(size.expected) + " not reached for " +
           format_duration(group.limit) + ": " + counted(there, "machine") +
           (there == 1 ? " exists" : " exist");
}

ExcessTarget wrong_size(const GroupCounts& group, const Memory& memory, Time now) {
    const auto at = memory.wrong_sizes.find(group.id());
    if (at == memory.wrong_sizes.end() || at->second.expected != group.target()) return {};
    if (!is_due(at->second, group, memory, now)) return {};
    return {at->second.expected - at->second.current, why_wrong(group, at->second, memory, now)};
}

}  // namespace

bool keeps_one(const GroupCounts& group, const Memory& memory, Time now) noexcept {
    const Backoff* backoff = find_backoff(memory, group.id(), now);
    return backoff != nullptr && !backoff->until;
}

std::string why_failed(const GroupCounts& group, const MachineIndices& machines) {
    const auto& error = group.group->machines[machines.front()].error;
    return counted(std::ssize(machines), "machine") +
           " failed: " + (error ? error->message : "the cloud could not create it");
}

ExcessTarget failed_requests(const GroupCounts& group, const Memory& memory, Time now) {
    const MachineIndices failed = find_machines(group, MachineFate::failed_request);
    if (failed.empty()) return {};
    const int all = keeps_one(group, memory, now) ? group.target() - group.machines.real() - 1
                                                  : static_cast<int>(std::ssize(failed));
    return {all, why_failed(group, failed)};
}

ExcessTarget long_outstanding(const GroupCounts& group, const Memory& memory, Time now) {
    ExcessTarget overdue = overdue_requests(group, memory, now);
    ExcessTarget wrong = wrong_size(group, memory, now);
    return std::move(wrong.machines > overdue.machines ? wrong : overdue);
}

namespace {

/// The cloud's template of the group; an empty template if the cloud gives none.
NodeTemplate node_of(const Group& group) {
    return group.described == nullptr ? NodeTemplate() : *group.described;
}

limits::Budget budget_beside_outstanding(const Snapshot& snapshot, const Health& health,
                                         const Settings& settings) {
    std::vector<limits::UpcomingNodes> to_come;
    for (std::size_t g = 0; g < health.groups.size(); ++g) {
        const int nodes = health.groups[g].outstanding;
        if (nodes > 0) to_come.push_back({node_of((*snapshot.groups)[g]), nodes});
    }
    return limits::Budget(snapshot, to_come, settings);
}

bool may_grow(const Group& group, const GroupHealth& health, const Memory& memory, Time now) {
    return group.group.healthy != false && group.unreadable_because.empty() &&
           health.unhealthy_because.empty() && find_backoff(memory, group, now) == nullptr;
}

}  // namespace

void raise_to_minimum(const PassView& view, const Health& health, const std::vector<bool>& changed,
                      Repairs& out) {
    const std::size_t count = view.snapshot.groups->size();
    CAPSTAN_ASSERT(changed.size() == count && health.groups.size() == count,
                   "the health is of another snapshot");
    limits::Budget budget = budget_beside_outstanding(view.snapshot, health, view.settings);
    for (std::size_t g = 0; g < count; ++g) {
        const Group& group = (*view.snapshot.groups)[g];
        if (!group.group.target || !group.group.min) continue;
        if (changed[g] || !may_grow(group, health.groups[g], view.memory, view.time.now)) continue;
        const int min = *group.group.min;
        const int most = group.group.max.value_or(std::numeric_limits<int>::max());
        const int missing = std::min(min, most) - *group.group.target;
        if (missing <= 0) continue;
        const NodeTemplate node = node_of(group);
        const limits::Allowed allowed = budget.allows(node, missing);
        if (allowed.nodes < missing) {
            out.notes.push_back("group " + group.group.id.value() + " stays below its min size (" +
                                std::to_string(min) + "): " + allowed.because);
        }
        if (allowed.nodes <= 0) continue;
        CAPSTAN_ASSERT(allowed.nodes <= missing, "a group is raised beyond its minimum");
        budget.take(node, allowed.nodes);
        out.increases.push_back({.group = group.group.id,
                                 .cloud = group.cloud,
                                 .from = *group.group.target,
                                 .by = allowed.nodes,
                                 .option = no_option,
                                 .because = "min size is " + std::to_string(min)});
    }
}

}  // namespace capstan::engine::health
