/// What controllers ask of pods.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simulation/api_server/api_object.hpp"

namespace capstan::simulation {

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
/// Absent, or not text: empty. Keys have points in them, so paths do not do.
std::string_view label_of(const json::object& object, std::string_view key);
std::string_view annotation_of(const json::object& object, std::string_view key);
void set_label(json::object& object, std::string_view key, std::string_view value);
void set_annotation(json::object& object, std::string_view key, std::string_view value);
/// As its annotation writes it; nothing: none, or no duration.
std::optional<Duration> annotated_duration(const json::object& object, std::string_view key);

}  // namespace capstan::simulation
