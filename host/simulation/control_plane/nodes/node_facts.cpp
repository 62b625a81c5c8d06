#include "simulation/control_plane/nodes/node_facts.hpp"

#include <algorithm>
#include <utility>

#include "simulation/control_plane/conditions.hpp"
#include "simulation/control_plane/control_plane.hpp"
#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
namespace {

bool is_for(const json::object& toleration, const json::object& taint) {
    const std::string_view effect = text_at(toleration, "effect");
    const std::string_view key = text_at(toleration, "key");
    if (!effect.empty() && effect != text_at(taint, "effect")) return false;
    if (!key.empty() && key != text_at(taint, "key")) return false;
    if (text_at(toleration, "operator") == "Exists") return true;
    return !key.empty() && text_at(toleration, "value") == text_at(taint, "value");
}

}  // namespace

bool is_node_ready(const json::object& node) { return has_condition(node, "Ready"); }

bool is_kubelet_stopped(const json::object& node) {
    return annotation_of(node, kubelet_annotation) == "stopped";
}

std::string_view node_address(const json::object& node, std::string_view type) {
    if (const json::array* list = find_array(node, "status.addresses"))
        for (const json::value& item : *list)
            if (item.is_object() && text_at(item.get_object(), "type") == type)
                return text_at(item.get_object(), "address");
    return {};
}

const json::object* find_taint(const json::object& node, std::string_view key,
                               std::string_view effect) {
    if (const json::array* list = find_array(node, "spec.taints"))
        for (const json::value& item : *list)
            if (const json::object* taint = item.if_object(); taint != nullptr &&
                                                              text_at(*taint, "key") == key &&
                                                              text_at(*taint, "effect") == effect)
                return taint;
    return nullptr;
}

void set_taint(json::object& node, std::string_view key, std::string_view effect, bool is_wanted,
               Time now) {
    const json::object* there = find_taint(node, key, effect);
    if ((there != nullptr) == is_wanted) return;
    json::array taints;
    if (const json::array* list = find_array(node, "spec.taints"))
        for (const json::value& item : *list)
            if (item.if_object() != there) taints.push_back(item);
    if (is_wanted)
        taints.push_back(json::object{{"key", json_view(key)},
                                      {"effect", json_view(effect)},
                                      {"timeAdded", timestamp_text(now)}});
    json::object& spec = make_object(node, "spec");
    if (taints.empty()) {
        spec.erase("taints");
    } else {
        spec["taints"] = std::move(taints);
    }
}

std::optional<Duration> patience(const json::object& pod, const json::object& taint) {
    bool is_borne = false;
    std::optional<Duration> out;
    const json::array* list = find_array(pod, "spec.tolerations");
    if (list == nullptr) return Duration::zero();
    for (const json::value& item : *list) {
        if (!item.is_object() || !is_for(item.get_object(), taint)) continue;
        is_borne = true;
        const auto seconds = integer_at(item.get_object(), "tolerationSeconds");
        if (!seconds) continue;
        const Duration given = bounded_seconds(*seconds);
        out = out ? std::min(*out, given) : given;
    }
    return is_borne ? out : Duration::zero();
}

}  // namespace capstan::simulation
