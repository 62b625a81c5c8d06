#include "group_checks.hpp"

#include <capstan/sentence.hpp>

#include "../wire/resource_ids.hpp"
#include "machine_states.hpp"

namespace capstan::gce {
namespace {

std::string named_mig(const ManagedGroup& group) {
    return "managed instance group " + in_quotes(group_id_of(group.link));
}

Error obstacle_of(const ManagedGroup& group, const std::string& why) {
    return {.code = ErrorCode::unsupported,
            .message = named_mig(group) + " " + why,
            .subject = group_id_of(group.link)};
}

/// Whether the group has versions with several instance templates.
bool is_being_updated(const ManagedGroup& group) { return group.version_templates.size() > 1; }

}  // namespace

std::optional<Error> find_obstacle(const ManagedGroup& group) {
    if (!group.autoscaler.empty())
        return obstacle_of(
            group, "is sized by Google's autoscaler " + in_quotes(last_part(group.autoscaler)));
    if (group.is_stateful)
        return obstacle_of(group, "is stateful, so its instances cannot be replaced by others");
    return std::nullopt;
}

std::vector<std::string> find_notes(const ManagedGroup& group) {
    std::vector<std::string> out;
    const auto remark = [&](const std::string& what) {
        out.push_back(named_mig(group) + ": " + what);
    };
    if (group.update_type == "PROACTIVE")
        remark(
            "its update type is PROACTIVE: when its instance template changes, Google replaces "
            "instances without draining their nodes");
    if (is_being_updated(group))
        remark("it is being updated: " +
               counted(static_cast<std::int64_t>(group.version_templates.size()),
                       "instance template") +
               " are in use; new nodes are assumed to use the first");
    if (group.shape == "ANY_SINGLE_ZONE")
        remark(
            "its shape is ANY_SINGLE_ZONE: all instances are in one zone, which is not known in "
            "advance");
    if (!group.flexible_types.empty())
        remark("its instance flexibility policy has " +
               counted(static_cast<std::int64_t>(group.flexible_types.size()), "machine type") +
               ": a new node is assumed to have the minimum of each resource");
    if (has_standby(group))
        remark(
            "its suspended and stopped instances are not counted; only Google resumes, starts or "
            "deletes them");
    return out;
}

}  // namespace capstan::gce
