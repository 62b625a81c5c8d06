#include "simulation/control_plane/nodes/node_status.hpp"

#include "simulation/control_plane/conditions.hpp"
#include "simulation/control_plane/nodes/node_facts.hpp"
#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
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
    set_value(node, "status.addresses",
              json::array{json::object{{"type", "InternalIP"}, {"address", address}},
                          json::object{{"type", "Hostname"},
                                       {"address", json_view(text_at(node, "metadata.name"))}}});
}

void complete_info(json::object& node) {
    const auto set = [&](std::string_view key, std::string_view value) {
        set_default(node, std::string("status.nodeInfo.").append(key), json_view(value));
    };
    set("kubeletVersion", "v1.33.0");
    set("kubeProxyVersion", "v1.33.0");
    set("operatingSystem", label_of(node, "kubernetes.io/os"));
    set("architecture", label_of(node, "kubernetes.io/arch"));
    set("osImage", "simulated");
    set("kernelVersion", "simulated");
    set("containerRuntimeVersion", "simulated://1");
    for (const char* id : {"machineID", "systemUUID", "bootID"})
        set(id, text_at(node, "metadata.uid"));
}

}  // namespace

void complete_node(json::object& node, std::uint32_t number) {
    default_label(node, "kubernetes.io/hostname", text_at(node, "metadata.name"));
    default_label(node, "kubernetes.io/os", "linux");
    default_label(node, "kubernetes.io/arch", "amd64");
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
                      now)["lastHeartbeatTime"] = timestamp_text(now);
}

}  // namespace capstan::simulation
