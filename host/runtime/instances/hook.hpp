/// The names of everything the host calls in a plugin: in metrics, messages and the breadcrumbs of
/// a crash.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace capstan::runtime {

enum class Hook {
    create,
    start,
    stop,
    destroy,
    reconfigure,
    self_check,
    callback,  ///< a task, timer, reply or cancellation handed back to it
    blocking,
    refresh,
    increase,
    decrease_target,
    remove,
    describe,
    price,
    options,
    machine_types,
    new_group,
    create_group,
    destroy_group,
    filter,
    similar,
    bucket,
    split,
    suggest,
    owns,
    reconcile,
};
inline constexpr std::array<std::string_view, 26> hook_names{
    "create",        "start",    "stop",    "destroy",       "reconfigure",     "self_check",
    "callback",      "blocking", "refresh", "increase",      "decrease_target", "remove",
    "describe",      "price",    "options", "machine_types", "new_group",       "create_group",
    "destroy_group", "filter",   "similar", "bucket",        "split",           "suggest",
    "owns",          "reconcile"};
inline constexpr std::size_t hook_count = hook_names.size();

/// What passes ask; these alone are left out, see HookRests.
inline constexpr std::array decision_hooks{Hook::price,  Hook::options, Hook::new_group,
                                           Hook::filter, Hook::similar, Hook::bucket,
                                           Hook::split,  Hook::suggest, Hook::owns};

constexpr std::size_t index_of(Hook hook) noexcept { return static_cast<std::size_t>(hook); }
constexpr std::string_view name_of(Hook hook) noexcept { return hook_names[index_of(hook)]; }

}  // namespace capstan::runtime
