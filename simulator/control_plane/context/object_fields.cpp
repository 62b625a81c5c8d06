#include "simulator/control_plane/context/object_fields.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <capstan/duration.hpp>
#include <capstan/time_text.hpp>

namespace capstan::simulator::control_plane {
namespace {

bool is_of_type(const json::value& item, std::string_view type) {
    const json::object* condition = item.if_object();
    return condition != nullptr && text_at(*condition, "type") == type;
}

json::array& conditions_in(json::object& object) {
    json::value& list = make_object(object, "status")["conditions"];
    return list.is_array() ? list.get_array() : list.emplace_array();
}

/// No member at all where there is nothing to say.
void set_text(json::object& condition, std::string_view key, std::string_view text) {
    if (text.empty()) {
        condition.erase(json_view(key));
    } else {
        condition[json_view(key)] = json_view(text);
    }
}

}  // namespace

std::optional<Time> condition_since(const json::object& object, std::string_view type) {
    const json::object* found = find_condition(object, type);
    if (found == nullptr) return std::nullopt;
    return find_rfc3339(text_at(*found, "lastTransitionTime"));
}

json::object& set_condition(json::object& object, const Condition& condition, Time now) {
    json::array& list = conditions_in(object);
    auto* found = std::ranges::find_if(
        list, [&](const json::value& item) { return is_of_type(item, condition.type); });
    if (found == list.end()) {
        list.push_back(json::object{{"type", json_view(condition.type)}});
        found = list.end() - 1;
    }
    json::object& out = found->get_object();
    if (text_at(out, "status") != condition.status) {
        out["status"] = json_view(condition.status);
        out["lastTransitionTime"] = format_rfc3339(now, 0);
    }
    set_text(out, "reason", condition.reason);
    set_text(out, "message", condition.message);
    return out;
}

bool has_finalizer(const json::object& object, std::string_view name) {
    return std::ranges::any_of(
        list_at(object, "metadata.finalizers"), [&](const json::value& item) {
            return item.is_string() && api_server::view(item.get_string()) == name;
        });
}

void remove_finalizer(json::object& object, std::string_view name) {
    json::array kept;
    for (const json::value& item : list_at(object, "metadata.finalizers"))
        if (!item.is_string() || api_server::view(item.get_string()) != name) kept.push_back(item);
    set_list(make_object(object, "metadata"), "finalizers", std::move(kept));
}

std::vector<const json::object*> owners_of(const json::object& object) {
    return objects_at(object, "metadata.ownerReferences");
}

const json::object* find_controller(const json::object& object) {
    for (const json::object* owner : owners_of(object))
        if (is_true_at(*owner, "controller")) return owner;
    return nullptr;
}

std::string_view controller_uid(const json::object& object) {
    const json::object* controller = find_controller(object);
    return controller == nullptr ? std::string_view() : text_at(*controller, "uid");
}

json::object make_controller_reference(const ResourceKind& kind, const json::object& owner) {
    return {{"apiVersion", kind.api_version()},
            {"kind", kind.kind},
            {"name", json_view(name_of(owner))},
            {"uid", json_view(uid_of(owner))},
            {"controller", true},
            {"blockOwnerDeletion", true}};
}

void add_owner(json::object& object, json::object reference) {
    remove_owner(object, text_at(reference, "uid"));
    json::value& list = make_object(object, "metadata")["ownerReferences"];
    if (!list.is_array()) list.emplace_array();
    list.get_array().push_back(std::move(reference));
}

void remove_owner(json::object& object, std::string_view uid) {
    json::array kept;
    for (const json::object* owner : owners_of(object))
        if (text_at(*owner, "uid") != uid) kept.push_back(*owner);
    set_list(make_object(object, "metadata"), "ownerReferences", std::move(kept));
}

bool is_terminating(const json::object& object) {
    return api_server::find_value(object, "metadata.deletionTimestamp") != nullptr;
}

bool has_ended(const json::object& pod) {
    const std::string_view phase = text_at(pod, "status.phase");
    return phase == "Succeeded" || phase == "Failed";
}

bool is_active(const json::object& pod) { return !has_ended(pod) && !is_terminating(pod); }

bool is_ready(const json::object& pod) { return has_condition(pod, "Ready"); }

Availability availability(const json::object& pod, Duration min_ready, Time now) {
    if (!is_ready(pod)) return {};
    const Duration remaining = condition_since(pod, "Ready").value_or(now) + min_ready - now;
    if (min_ready <= Duration::zero() || remaining <= Duration::zero()) return {true, {}};
    return {false, remaining};
}

Duration stop_time(const json::object& pod, double grace_share) {
    const std::chrono::duration<double> grace =
        api_server::bounded_seconds(number_or(pod, "metadata.deletionGracePeriodSeconds", 0));
    return std::chrono::duration_cast<Duration>(grace * grace_share);
}

std::vector<const json::object*> objects_at(api_server::JsonRoot object, std::string_view path) {
    std::vector<const json::object*> out;
    for (const json::value& item : list_at(object, path))
        if (item.is_object()) out.push_back(&item.get_object());
    return out;
}

void set_list(json::object& object, std::string_view key, json::array list) {
    if (list.empty()) {
        object.erase(json_view(key));
    } else {
        object[json_view(key)] = std::move(list);
    }
}

std::int64_t number_or(const json::object& object, std::string_view path, std::int64_t otherwise) {
    return integer_at(object, path).value_or(otherwise);
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

std::optional<std::int64_t> portion_at(const json::object& object, std::string_view path,
                                       std::int64_t of, Rounding rounding) {
    if (const auto whole = integer_at(object, path)) return std::max<std::int64_t>(*whole, 0);
    const std::string_view written = text_at(object, path);
    if (!written.ends_with('%')) return std::nullopt;
    std::int64_t percent = 0;
    const char* end = written.data() + written.size() - 1;
    if (const auto read = std::from_chars(written.data(), end, percent);
        read.ec != std::errc() || read.ptr != end)
        return std::nullopt;
    const std::int64_t hundredths = std::max<std::int64_t>(percent, 0) * of;
    return (hundredths + (rounding == Rounding::up ? 99 : 0)) / 100;
}

}  // namespace capstan::simulator::control_plane
