#include "recent_changes.hpp"

#include <algorithm>

#include "lifecycle.hpp"

namespace capstan::aws {

void RecentChanges::expect_target(const NodeGroupId& group, int target) {
    targets_[group] = {.value = target, .set_at = host_.monotonic()};
}

void RecentChanges::forget_target(const NodeGroupId& group) { targets_.erase(group); }

void RecentChanges::begin_termination(const NodeGroupId& group, const std::string& instance_id) {
    terminations_[group][instance_id] = {.asked_at = host_.monotonic()};
}

void RecentChanges::agree_to_termination(const NodeGroupId& group, const std::string& instance_id,
                                         bool lowers_target) {
    Termination& termination = terminations_[group][instance_id];
    termination.asked_at = host_.monotonic();
    termination.is_agreed = true;
    termination.lowers_target = lowers_target;
}

void RecentChanges::forget_termination(const NodeGroupId& group, const std::string& instance_id) {
    terminations_[group].erase(instance_id);
}

const RecentChanges::Termination* RecentChanges::find(const NodeGroupId& group,
                                                      const std::string& instance_id) const {
    const auto instances = terminations_.find(group);
    if (instances == terminations_.end()) return nullptr;
    const auto at = instances->second.find(instance_id);
    return at != instances->second.end() ? &at->second : nullptr;
}

bool RecentChanges::is_terminating(const NodeGroupId& group, const std::string& instance_id) const {
    const Termination* const termination = find(group, instance_id);
    return termination != nullptr && termination->is_agreed;
}

bool RecentChanges::is_unanswered(const NodeGroupId& group, const std::string& instance_id) const {
    const Termination* const termination = find(group, instance_id);
    return termination != nullptr && !termination->is_agreed;
}

RecentChanges::Counts RecentChanges::count(const AutoScalingGroup& group) const {
    const NodeGroupId id(group.name);
    Counts out;
    int desired = group.desired, protected_members = 0;
    for (const AsgInstance& instance : group.instances) {
        if (!is_member(instance)) continue;
        const Termination* const termination = find(id, instance.id);
        if (termination == nullptr || !termination->is_agreed) {
            ++out.members;
            if (instance.is_protected) ++protected_members;
            continue;
        }
        // A list that still has the instance as a member still counts it in the desired capacity.
        out.is_outdated = true;
        if (termination->lowers_target) --desired;
    }
    out.target = settled_size(desired, protected_members);
    out.surplus = out.target - desired;
    const auto target = targets_.find(id);
    if (target != targets_.end() && !target->second.was_listed && !is_past(target->second.set_at))
        out.is_outdated = out.is_outdated || target->second.value != group.desired;
    return out;
}

void RecentChanges::observe(const AutoScalingGroup& group) {
    const NodeGroupId id(group.name);
    const auto target = targets_.find(id);
    if (target != targets_.end() && target->second.value == group.desired)
        target->second.was_listed = true;
    const auto instances = terminations_.find(id);
    if (instances == terminations_.end()) return;
    std::erase_if(instances->second, [&](const auto& one) {
        const AsgInstance* const instance = find_instance(group, one.first);
        return instance == nullptr || !is_member(*instance);
    });
}

void RecentChanges::forget_old() {
    std::erase_if(targets_, [&](const auto& entry) { return is_past(entry.second.set_at); });
    for (auto& [group, instances] : terminations_)
        std::erase_if(instances, [&](const auto& one) { return is_past(one.second.asked_at); });
    std::erase_if(terminations_, [](const auto& entry) { return entry.second.empty(); });
}

bool RecentChanges::is_recent(const NodeGroupId& group) const {
    return targets_.contains(group) || terminations_.contains(group);
}

}  // namespace capstan::aws
