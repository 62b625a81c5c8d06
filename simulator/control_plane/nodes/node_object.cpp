#include "simulator/control_plane/nodes/node_object.hpp"

#include <algorithm>
#include <utility>

#include <capstan/time_text.hpp>
#include <capstan/well_known.hpp>

#include "simulator/control_plane/context/control_plane_options.hpp"
#include "simulator/control_plane/context/object_fields.hpp"

namespace capstan::simulator::control_plane {
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
    for (const json::object* item : objects_at(node, "status.addresses"))
        if (text_at(item, "type") == type) return text_at(item, "address");
    return {};
}

const json::object* find_taint(const json::object& node, std::string_view key,
                               std::string_view effect) {
    for (const json::object* taint : objects_at(node, "spec.taints"))
        if (text_at(taint, "key") == key && text_at(taint, "effect") == effect) return taint;
    return nullptr;
}

void set_taint(json::object& node, std::string_view key, std::string_view effect, bool is_wanted,
               Time now) {
    const json::object* existing = find_taint(node, key, effect);
    if ((existing != nullptr) == is_wanted) return;
    json::array taints;
    for (const json::object* taint : objects_at(node, "spec.taints"))
        if (taint != existing) taints.push_back(*taint);
    if (is_wanted)
        taints.push_back(json::object{{"key", json_view(key)},
                                      {"effect", json_view(effect)},
                                      {"timeAdded", format_rfc3339(now, 0)}});
    set_list(make_object(node, "spec"), "taints", std::move(taints));
}

std::optional<Duration> toleration_time(const json::object& pod, const json::object& taint) {
    bool is_tolerated = false;
    std::optional<Duration> out;
    for (const json::object* toleration : objects_at(pod, "spec.tolerations")) {
        if (!is_for(*toleration, taint)) continue;
        is_tolerated = true;
        const auto seconds = integer_at(toleration, "tolerationSeconds");
        if (!seconds) continue;
        const Duration given = api_server::bounded_seconds(*seconds);
        out = out ? std::min(*out, given) : given;
    }
    return is_tolerated ? out : Duration::zero();
}

namespace {

struct Row {
    std::string_view condition, status, taint;
};

constexpr Row pressures[] = {
    {"MemoryPressure", "True", well_known::memory_pressure_taint},
    {"DiskPressure", "True", well_known::disk_pressure_taint},
    {"PIDPressure", "True", well_known::pid_pressure_taint},
    {"NetworkUnavailable", "True", well_known::network_unavailable_taint},
};

}  // namespace

void set_condition_taints(json::object& node, Time now) {
    const bool is_down = has_condition(node, "Ready", "False");
    const bool is_lost = has_condition(node, "Ready", "Unknown");
    const bool is_new = find_condition(node, "Ready") == nullptr;
    set_taint(node, well_known::not_ready_taint, "NoSchedule", is_down || is_new, now);
    set_taint(node, well_known::not_ready_taint, "NoExecute", is_down, now);
    set_taint(node, well_known::unreachable_taint, "NoSchedule", is_lost, now);
    set_taint(node, well_known::unreachable_taint, "NoExecute", is_lost, now);
    set_taint(node, well_known::unschedulable_taint, "NoSchedule",
              is_true_at(node, "spec.unschedulable"), now);
    for (const Row& row : pressures)
        set_taint(node, row.taint, "NoSchedule", has_condition(node, row.condition, row.status),
                  now);
}

namespace {

void default_label(json::object& node, std::string_view key, std::string_view value) {
    if (label_of(node, key).empty()) set_label(node, key, value);
}

void complete_capacity(json::object& node) {
    if (find_object(node, "status.capacity") == nullptr) {
        const json::object* allocatable = find_object(node, "status.allocatable");
        const json::object capacity =
            allocatable != nullptr
                ? *allocatable
                : json::object{{"cpu", "4"}, {"memory", "16Gi"}, {"pods", "110"}};
        set_value(node, "status.capacity", capacity);
    }
    if (find_object(node, "status.allocatable") == nullptr) {
        const json::object capacity = *find_object(node, "status.capacity");
        set_value(node, "status.allocatable", capacity);
    }
}

void complete_addresses(json::object& node, std::uint32_t number) {
    if (!node_address(node, "InternalIP").empty()) return;
    const std::string address =
        "172.16." + std::to_string(number >> 8 & 0xff) + "." + std::to_string(number & 0xff);
    set_value(
        node, "status.addresses",
        json::array{json::object{{"type", "InternalIP"}, {"address", address}},
                    json::object{{"type", "Hostname"}, {"address", json_view(name_of(node))}}});
}

void complete_info(json::object& node) {
    const auto set = [&](std::string_view key, std::string_view value) {
        api_server::set_default(node, std::string("status.nodeInfo.").append(key),
                                json_view(value));
    };
    set("kubeletVersion", "v1.33.0");
    set("kubeProxyVersion", "v1.33.0");
    set("operatingSystem", label_of(node, well_known::os_label));
    set("architecture", label_of(node, well_known::arch_label));
    set("osImage", "simulated");
    set("kernelVersion", "simulated");
    set("containerRuntimeVersion", "simulated://1");
    for (const char* id : {"machineID", "systemUUID", "bootID"}) set(id, uid_of(node));
}

}  // namespace

void complete_node(json::object& node, std::uint32_t number) {
    default_label(node, well_known::hostname_label, name_of(node));
    default_label(node, well_known::os_label, "linux");
    default_label(node, well_known::arch_label, "amd64");
    complete_capacity(node);
    complete_addresses(node, number);
    complete_info(node);
}

void set_node_ready(json::object& node, Time now) {
    struct Row {
        std::string_view type, status, reason, message;
    };
    constexpr Row rows[] = {
        {"MemoryPressure", "False", "KubeletHasSufficientMemory",
         "kubelet has sufficient memory available"},
        {"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
        {"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
        {"Ready", "True", "KubeletReady", "kubelet is posting ready status"},
    };
    for (const Row& row : rows)
        set_condition(node, {row.type, row.status, row.reason, std::string(row.message)},
                      now)["lastHeartbeatTime"] = format_rfc3339(now, 0);
}

}  // namespace capstan::simulator::control_plane
