/// Why a node stays.
#pragma once

#include <cstdint>
#include <string_view>

namespace capstan::engine {

/// By upstream's names, which metrics and dashboards use.
enum class Unremovable : std::uint8_t {
    none,  ///< nothing keeps it
    scale_down_disabled_annotation,
    scale_down_unready_disabled,
    not_autoscaled,
    not_unneeded_long_enough,
    not_unready_long_enough,
    node_group_min_size_reached,
    atomic_scale_down_failed,
    minimal_resource_limit_exceeded,
    currently_being_deleted,
    not_underutilized,
    /// It is unneeded for long enough and waits for its turn: a cooldown, or the most removals at
    /// once are under way.
    not_unneeded_other_reason,
    recently_unremovable,  ///< its removal failed a while ago
    no_place_to_move_pods,
    blocked_by_pod,
    blocked_by_on_completion_pod,
    /// Pods that wait count on it.
    no_node_info,
    unexpected_error,
};

/// "NotUnderutilized"; "NoReason" for none.
std::string_view name_of(Unremovable reason) noexcept;

}  // namespace capstan::engine
