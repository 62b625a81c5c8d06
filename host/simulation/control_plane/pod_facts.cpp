#include "simulation/control_plane/pod_facts.hpp"

#include <capstan/duration.hpp>

#include "simulation/control_plane/conditions.hpp"

namespace capstan::simulation {
namespace {

std::string_view member(const json::object* texts, std::string_view key) {
    if (texts == nullptr) return {};
    const json::value* found = texts->if_contains(json_view(key));
    return found == nullptr || !found->is_string() ? std::string_view() : view(found->get_string());
}

}  // namespace

bool is_leaving(const json::object& object) {
    return find_value(object, "metadata.deletionTimestamp") != nullptr;
}

bool has_ended(const json::object& pod) {
    const std::string_view phase = text_at(pod, "status.phase");
    return phase == "Succeeded" || phase == "Failed";
}

bool is_active(const json::object& pod) { return !has_ended(pod) && !is_leaving(pod); }

bool is_ready(const json::object& pod) { return has_condition(pod, "Ready"); }

Availability availability(const json::object& pod, Duration min_ready, Time now) {
    if (!is_ready(pod)) return {};
    const Duration still = condition_since(pod, "Ready").value_or(now) + min_ready - now;
    if (min_ready <= Duration::zero() || still <= Duration::zero()) return {true, {}};
    return {false, still};
}

Duration stop_time(const json::object& pod, double grace_share) {
    const std::chrono::duration<double> grace =
        bounded_seconds(number_or(pod, "metadata.deletionGracePeriodSeconds", 0));
    return std::chrono::duration_cast<Duration>(grace * grace_share);
}

std::int64_t number_or(const json::object& object, std::string_view path, std::int64_t otherwise) {
    return integer_at(object, path).value_or(otherwise);
}

std::string_view label_of(const json::object& object, std::string_view key) {
    return member(find_object(object, "metadata.labels"), key);
}

std::string_view annotation_of(const json::object& object, std::string_view key) {
    return member(find_object(object, "metadata.annotations"), key);
}

void set_label(json::object& object, std::string_view key, std::string_view value) {
    make_object(make_object(object, "metadata"), "labels")[json_view(key)] = json_view(value);
}

void set_annotation(json::object& object, std::string_view key, std::string_view value) {
    make_object(make_object(object, "metadata"), "annotations")[json_view(key)] = json_view(value);
}

std::optional<Duration> annotated_duration(const json::object& object, std::string_view key) {
    const std::string_view written = annotation_of(object, key);
    if (written.empty()) return std::nullopt;
    const auto parsed = parse_duration(written);
    return parsed ? std::optional(*parsed) : std::nullopt;
}

}  // namespace capstan::simulation
