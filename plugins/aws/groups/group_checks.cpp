#include "group_checks.hpp"

#include <algorithm>
#include <string_view>

#include <capstan/sentence.hpp>

#include "lifecycle.hpp"

namespace capstan::aws {
namespace {

std::string named_group(const AutoScalingGroup& group) {
    return "Auto Scaling group " + in_quotes(group.name);
}

bool is_weight(const std::string& weight) { return !weight.empty() && weight != "1"; }

bool is_weighted(const AutoScalingGroup& group) {
    const bool has_overrides =
        group.mixed && std::any_of(group.mixed->overrides.begin(), group.mixed->overrides.end(),
                                   [](const auto& o) { return is_weight(o.weighted_capacity); });
    return has_overrides ||
           std::any_of(group.instances.begin(), group.instances.end(),
                       [](const auto& i) { return is_weight(i.weighted_capacity); });
}

bool has_both_kinds_of_overrides(const AutoScalingGroup& group) {
    if (!group.mixed) return false;
    const auto& overrides = group.mixed->overrides;
    const auto is_type = [](const TypeOverride& each) { return !each.instance_type.empty(); };
    const auto is_asked = [](const TypeOverride& each) { return each.requirements.has_value(); };
    return std::any_of(overrides.begin(), overrides.end(), is_type) &&
           std::any_of(overrides.begin(), overrides.end(), is_asked);
}

bool is_suspended(const AutoScalingGroup& group, std::string_view process) {
    return std::find(group.suspended_processes.begin(), group.suspended_processes.end(), process) !=
           group.suspended_processes.end();
}

Error obstacle(const AutoScalingGroup& group, ErrorCode code, const std::string& why) {
    return {.code = code, .message = named_group(group) + " " + why, .subject = group.name};
}

}  // namespace

std::optional<Error> find_obstacle(const AutoScalingGroup& group) {
    if (group.status == "Delete in progress")
        return obstacle(group, ErrorCode::not_found, "is being deleted");
    const std::string& type = group.desired_capacity_type;
    if (!type.empty() && type != "units")
        return obstacle(group, ErrorCode::unsupported,
                        "measures its capacity in " + in_quotes(type) + ", not in instances");
    if (is_weighted(group))
        return obstacle(
            group, ErrorCode::unsupported,
            "has weighted instance types, so its capacity is not a number of instances");
    if (has_both_kinds_of_overrides(group))
        return obstacle(group, ErrorCode::unsupported,
                        "has both instance types and instance requirements in its overrides");
    if (group.min > group.max)
        return obstacle(group, ErrorCode::unsupported,
                        "has minimum " + std::to_string(group.min) + " above maximum " +
                            std::to_string(group.max));
    return std::nullopt;
}

std::string why_not_growing(const AutoScalingGroup& group) {
    return is_suspended(group, "Launch") ? "its Launch process is suspended" : "";
}

std::vector<std::string> find_notes(const AutoScalingGroup& group) {
    std::vector<std::string> out;
    const auto remark = [&](const std::string& what) {
        out.push_back(named_group(group) + ": " + what);
    };
    if (is_suspended(group, "Launch"))
        remark("its Launch process is suspended, so it is not scaled up");
    if (is_suspended(group, "Terminate"))
        remark("its Terminate process is suspended, so removed instances may keep running");
    const bool has_warm = std::any_of(
        group.instances.begin(), group.instances.end(), [](const AsgInstance& instance) {
            return read_lifecycle(instance.lifecycle_state).membership == Membership::warm;
        });
    if (group.has_warm_pool || has_warm)
        remark(
            "its warm pool is ignored: instances in it are not counted, and only AWS terminates "
            "them");
    return out;
}

std::string recommend_protection(const std::vector<const AutoScalingGroup*>& groups) {
    std::vector<std::string> names;
    for (const AutoScalingGroup* const group : groups)
        if (!group->protects_new_instances && !group->tags.contains("eks:nodegroup-name"))
            names.push_back(group->name);
    if (names.empty()) return {};
    return (names.size() == 1 ? "group " : "groups ") +
           listed(names, [](const std::string& name) { return in_quotes(name); }) +
           ": NewInstancesProtectedFromScaleIn is recommended, so that AWS terminates no other "
           "instance when a failed request is cancelled; capstan can still remove protected "
           "instances";
}

}  // namespace capstan::aws
