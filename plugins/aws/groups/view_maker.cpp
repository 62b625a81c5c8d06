#include "view_maker.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <capstan/sentence.hpp>

#include "../provisioning/autoprovisioned_group.hpp"
#include "group_checks.hpp"
#include "lifecycle.hpp"
#include "machine_names.hpp"
#include "recent_changes.hpp"

namespace capstan::aws {
namespace {

/// Whether AWS terminates the instance because a health check failed. It replaces no instance while
/// the group's process ReplaceUnhealthy or Terminate is suspended, and none in standby.
bool is_being_replaced(const AutoScalingGroup& group, const AsgInstance& instance) {
    const auto prevents = [](const std::string& process) {
        return process == "ReplaceUnhealthy" || process == "Terminate";
    };
    return instance.health_status == "Unhealthy" &&
           read_lifecycle(instance.lifecycle_state).membership == Membership::member &&
           std::ranges::none_of(group.suspended_processes, prevents);
}

}  // namespace

CloudView ViewMaker::make(const PriceTable* prices) {
    CloudView out;
    out.target_lag = list_lag_max;
    for (const auto& [name, listed] : parts_.lists.groups()) add(name, listed, prices, out);
    // A list that was never read has no known groups to mark unreadable; it is only incomplete.
    std::vector<std::string> failures = parts_.lists.find_failures();
    out.complete = out.unreadable.empty() && failures.empty();
    warnings_.set("lists", std::move(failures));
    return out;
}

void ViewMaker::add(const std::string& name, const ListedGroup& listed, const PriceTable* prices,
                    CloudView& out) {
    if (listed.unreadable) out.unreadable.push_back(*listed.unreadable);
    if (!listed.was_read) {
        NodeGroup& group = out.groups.emplace_back();
        group.id = NodeGroupId(name);
        if (const StaticGroup* const limits = parts_.limits.find(name)) {
            group.min = limits->min;
            group.max = limits->max;
        }
        return;
    }
    if (auto obstacle = find_obstacle(listed.group))
        return leave_out(name, *std::move(obstacle), out);
    GroupContext context{.group = listed.group, .prices = prices};
    context.terms = terms_of(listed.group, parts_.templates.find_launch_data(listed.group));
    context.fingerprint = parts_.templates.fingerprint(listed.group, listed.read_at);
    context.types = parts_.templates.find_type_names(listed.group);
    out.groups.push_back(make_group(context, listed.counts));
    warn_of_group(listed.group, out.groups.back());
    add_machines(context, listed, out);
}

/// A group that the settings name is expected in the view, so it stays there as unreadable.
void ViewMaker::leave_out(const std::string& name, Error why, CloudView& out) {
    const StaticGroup* const limits = parts_.limits.find(name);
    if (limits == nullptr) return warnings_.set(name, why.message + "; the group is ignored");
    NodeGroup& group = out.groups.emplace_back();
    group.id = NodeGroupId(name);
    group.min = limits->min;
    group.max = limits->max;
    why.subject = name;
    out.unreadable.push_back(std::move(why));
}

void ViewMaker::warn_of_group(const AutoScalingGroup& group, const NodeGroup& made) {
    std::vector<std::string> sentences = find_notes(group);
    for (std::string& conflict : parts_.limits.find_conflicts(group))
        sentences.push_back(std::move(conflict));
    for (const std::string& warning : read_option_tags(group.tags).warnings)
        sentences.push_back("group " + in_quotes(made.id.value()) + ": " + warning);
    warnings_.set(group.name, std::move(sentences));
}

NodeGroup ViewMaker::make_group(const GroupContext& context, const InstanceCounts& counts) const {
    const AutoScalingGroup& group = context.group;
    const GroupLimits limits = parts_.limits.of(group);
    NodeGroup out;
    out.id = NodeGroupId(group.name);
    out.min = limits.min;
    out.max = limits.max;
    out.target = settled_size(group.desired, counts.protected_members);
    out.health_reason = why_not_growing(group);
    if (!out.health_reason.empty()) out.healthy = false;
    out.autoprovisioned = is_made_for(group.tags, parts_.cluster);
    out.template_fingerprint = context.fingerprint;
    out.debug =
        group.name + " (" + std::to_string(limits.min) + ":" + std::to_string(limits.max) + ")";
    if (const std::string made_from = parts_.templates.make_of(group); !made_from.empty())
        out.debug += ", " + made_from;
    out.tags = group.tags;
    out.spot = context.terms.spot;
    out.zones = group.zones;
    if (context.prices != nullptr)
        out.price = price_of_group(*context.prices, group, context.terms, context.types);
    out.options = read_option_tags(group.tags).options;
    return out;
}

void ViewMaker::add_machines(const GroupContext& context, const ListedGroup& listed,
                             CloudView& out) const {
    const auto first = static_cast<std::ptrdiff_t>(out.machines.size());
    for (const AsgInstance& instance : listed.group.instances) {
        if (read_lifecycle(instance.lifecycle_state).membership != Membership::warm)
            out.machines.push_back(make_machine(context, instance));
    }
    std::sort(out.machines.begin() + first, out.machines.end(),
              [](const Machine& a, const Machine& b) { return a.id < b.id; });
    add_placeholders(context, listed, out);
}

Machine ViewMaker::make_machine(const GroupContext& context, const AsgInstance& instance) const {
    const Lifecycle lifecycle = read_lifecycle(instance.lifecycle_state);
    Machine out;
    out.id = MachineId(machine_id_of(instance.zone, instance.id));
    if (lifecycle.membership != Membership::non_member) out.group = NodeGroupId(context.group.name);
    out.state = lifecycle.state;
    out.machine_type = instance.instance_type;
    out.zone = instance.zone;
    out.spot = context.terms.machine_spot;
    out.addresses = parts_.addresses.find(instance.id);
    out.template_fingerprint =
        parts_.templates.fingerprint(instance, context.group, context.fingerprint);
    if (lifecycle.state != MachineState::deleting) {
        out.leaves = parts_.find_notice(instance.id);
        if (!out.leaves && is_being_replaced(context.group, instance))
            out.leaves = Leaving{.reason = LeaveReason::unhealthy};
    }
    if (context.prices != nullptr && out.spot) {
        const auto price = context.prices->find(instance.instance_type, instance.zone, *out.spot);
        if (price) out.price_per_hour = price->per_hour;
    }
    return out;
}

void ViewMaker::add_placeholders(const GroupContext& context, const ListedGroup& listed,
                                 CloudView& out) const {
    const AutoScalingGroup& group = context.group;
    const Error* const failure =
        parts_.failures != nullptr ? parts_.failures->find(group.name) : nullptr;
    for (int ordinal = listed.counts.members; ordinal < group.desired; ++ordinal) {
        Machine& machine = out.machines.emplace_back();
        machine.id = MachineId(placeholder_of(group.name, ordinal));
        machine.group = NodeGroupId(group.name);
        machine.state = MachineState::requested;
        if (context.types.size() == 1) machine.machine_type = context.types.front();
        if (group.zones.size() == 1) machine.zone = group.zones.front();
        machine.spot = context.terms.machine_spot;
        if (failure != nullptr) machine.error = *failure;
    }
}

}  // namespace capstan::aws
