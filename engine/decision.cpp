#include "engine/decision.hpp"

#include <capstan/sentence.hpp>

namespace capstan::engine {

std::string_view name_of(Unremovable reason) noexcept {
    switch (reason) {
        case Unremovable::none: return "NoReason";
        case Unremovable::scale_down_disabled_annotation: return "ScaleDownDisabledAnnotation";
        case Unremovable::scale_down_unready_disabled: return "ScaleDownUnreadyDisabled";
        case Unremovable::not_autoscaled: return "NotAutoscaled";
        case Unremovable::not_unneeded_long_enough: return "NotUnneededLongEnough";
        case Unremovable::not_unready_long_enough: return "NotUnreadyLongEnough";
        case Unremovable::node_group_min_size_reached: return "NodeGroupMinSizeReached";
        case Unremovable::atomic_scale_down_failed: return "AtomicScaleDownFailed";
        case Unremovable::minimal_resource_limit_exceeded: return "MinimalResourceLimitExceeded";
        case Unremovable::currently_being_deleted: return "CurrentlyBeingDeleted";
        case Unremovable::not_underutilized: return "NotUnderutilized";
        case Unremovable::not_unneeded_other_reason: return "NotUnneededOtherReason";
        case Unremovable::recently_unremovable: return "RecentlyUnremovable";
        case Unremovable::no_place_to_move_pods: return "NoPlaceToMovePods";
        case Unremovable::blocked_by_pod: return "BlockedByPod";
        case Unremovable::blocked_by_on_completion_pod: return "BlockedByOnCompletionPod";
        case Unremovable::no_node_info: return "NoNodeInfo";
        case Unremovable::unexpected_error: return "UnexpectedError";
    }
    return "UnexpectedError";
}

std::string describe(const GroupReason& reason) {
    constexpr std::size_t most = 3;
    const std::string& sentence = reason.reason.sentence;
    const std::string names =
        (reason.groups.size() == 1 ? "group " : "groups ") +
        listed(reason.groups, [](const NodeGroupId& id) { return id.value(); }, most);
    return std::to_string(reason.groups.size()) + " " + sentence +
           (sentence.ends_with(')') ? ": " + names : " (" + names + ")");
}

std::string describe(const std::string& setting, const HeldBackNodes& held_back) {
    return setting + (held_back.after.empty() ? "" : " after " + held_back.after);
}

}  // namespace capstan::engine
