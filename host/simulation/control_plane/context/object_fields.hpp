/// The conditions in the status of objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/api_server/api_object.hpp"
#include "simulation/api_server/resource_kinds.hpp"

namespace capstan::simulation::control_plane {

struct Condition {
    std::string_view type{};
    std::string_view status = "True";  ///< "True", "False", "Unknown"
    std::string_view reason{};
    std::string message{};
};

/// Nothing: none, or it does not say.
std::optional<Time> condition_since(const json::object& object, std::string_view type);

/// In place of the one of that type, whose members of other names stay; its lastTransitionTime
/// changes with the status alone. The answer may be added to, and is valid until the next change.
json::object& set_condition(json::object& object, const Condition& condition, Time now);

// metadata.finalizers: what has still to be done before an object may go.

/// Left by a removal with propagation "Foreground": dependents go first.
inline constexpr std::string_view foreground_finalizer = "foregroundDeletion";
/// By one with "Orphan": dependents stay, on their own.
inline constexpr std::string_view orphan_finalizer = "orphan";

bool has_finalizer(const json::object& object, std::string_view name);
void remove_finalizer(json::object& object, std::string_view name);

// metadata.ownerReferences: the owners of an object, and its controller.

/// In the order in which they are written.
std::vector<const json::object*> owners_of(const json::object& object);
/// NULL: it has none.
const json::object* find_controller(const json::object& object);
/// Empty: it has no controller.
std::string_view controller_uid(const json::object& object);

/// A reference that makes `owner` the controller, and holds up its foreground deletion.
json::object make_controller_reference(const api_server::ResourceKind& kind,
                                       const json::object& owner);
void add_owner(json::object& object, json::object reference);
void remove_owner(json::object& object, std::string_view uid);

// What controllers ask of pods.

bool is_leaving(const json::object& object);
/// Succeeded or Failed: nothing of it runs any more.
bool has_ended(const json::object& pod);
/// Neither ended nor on its way out.
bool is_active(const json::object& pod);
bool is_ready(const json::object& pod);
/// Whether it has been ready for that long. `still`: how long it has to stay ready from `now` on;
/// nothing: it is available, or not ready at all.
struct Availability {
    bool is_available = false;
    std::optional<Duration> still{};
};
Availability availability(const json::object& pod, Duration min_ready, Time now);

/// How long a pod that is asked to go takes to stop, of its grace.
Duration stop_time(const json::object& pod, double grace_share);

/// Absent or not a number: `otherwise`.
std::int64_t number_or(const json::object& object, std::string_view path, std::int64_t otherwise);
void set_label(json::object& object, std::string_view key, std::string_view value);
void set_annotation(json::object& object, std::string_view key, std::string_view value);
/// As its annotation writes it; nothing: none, or no duration.
std::optional<Duration> annotated_duration(const json::object& object, std::string_view key);

// Numbers that may be written as a share, "25%" or 3.

enum class Rounding { up, down };

/// Nothing: absent, or neither. Never below zero.
///     {"maxSurge": "25%"}, of 5, up  ->  2
std::optional<std::int64_t> portion_at(const json::object& object, std::string_view path,
                                       std::int64_t of, Rounding rounding);

}  // namespace capstan::simulation::control_plane
