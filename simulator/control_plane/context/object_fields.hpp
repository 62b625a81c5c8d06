/// Members of objects that controllers read and write: conditions, finalizers, owner references,
/// states of pods, and numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/control_plane/context/api_names.hpp"

namespace capstan::simulator::control_plane {

// Conditions in the status of an object.

struct Condition {
    std::string_view type{};
    std::string_view status = "True";  ///< "True", "False", "Unknown"
    std::string_view reason{};
    std::string message{};
};

/// The lastTransitionTime of the condition; absent: the object has no such condition, or the
/// condition has no valid time.
std::optional<Time> condition_since(const json::object& object, std::string_view type);

/// Sets the condition of that type. lastTransitionTime changes only when the status does, and
/// members that Condition does not have stay. Returns the condition, valid until the next change.
json::object& set_condition(json::object& object, const Condition& condition, Time now);

// metadata.finalizers.

/// Added by a removal with propagation "Foreground": dependents are deleted first.
inline constexpr std::string_view foreground_finalizer = "foregroundDeletion";
/// Added by a removal with propagation "Orphan": dependents stay, without the owner.
inline constexpr std::string_view orphan_finalizer = "orphan";

bool has_finalizer(const json::object& object, std::string_view name);
void remove_finalizer(json::object& object, std::string_view name);

// metadata.ownerReferences.

/// The owner references, in the order of the object.
std::vector<const json::object*> owners_of(const json::object& object);
/// The reference to the controller; NULL: the object has none.
const json::object* find_controller(const json::object& object);
/// Empty: the object has no controller.
std::string_view controller_uid(const json::object& object);

/// A reference that makes `owner` the controller, with blockOwnerDeletion.
json::object make_controller_reference(const ResourceKind& kind, const json::object& owner);
void add_owner(json::object& object, json::object reference);
void remove_owner(json::object& object, std::string_view uid);

// States of pods.

/// Whether the object has a deletionTimestamp.
bool is_terminating(const json::object& object);
/// Whether the pod has succeeded or failed.
bool has_ended(const json::object& pod);
/// Whether the pod has not ended and is not terminating.
bool is_active(const json::object& pod);
bool is_ready(const json::object& pod);
/// A pod is available once it has been ready for minReadySeconds.
struct Availability {
    bool is_available = false;
    /// The time that a ready pod has to stay ready until it is available; absent: the pod is
    /// available, or not ready.
    std::optional<Duration> remaining{};
};
Availability availability(const json::object& pod, Duration min_ready, Time now);

/// The time that a terminating pod takes to stop: `grace_share` of its grace period.
Duration stop_time(const json::object& pod, double grace_share);

/// The objects in the list at `path`; empty: there is no such list.
std::vector<const json::object*> objects_at(api_server::JsonRoot object, std::string_view path);
/// Sets a list; erases it if it is empty.
void set_list(json::object& object, std::string_view key, json::array list);
/// The integer at `path`; `otherwise` if there is none.
std::int64_t number_or(const json::object& object, std::string_view path, std::int64_t otherwise);
void set_label(json::object& object, std::string_view key, std::string_view value);
void set_annotation(json::object& object, std::string_view key, std::string_view value);
/// The duration in an annotation; absent: there is no such annotation, or it is not a duration.
std::optional<Duration> annotated_duration(const json::object& object, std::string_view key);

enum class Rounding { up, down };

/// A number at `path` that may be a percentage of `of`. Never below zero. Absent: there is neither
/// a number nor a percentage.
///     {"maxSurge": "25%"}, of 5, up  ->  2
std::optional<std::int64_t> portion_at(const json::object& object, std::string_view path,
                                       std::int64_t of, Rounding rounding);

}  // namespace capstan::simulator::control_plane
