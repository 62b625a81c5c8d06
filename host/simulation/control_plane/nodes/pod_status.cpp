#include "simulation/control_plane/nodes/pod_status.hpp"

#include "simulation/control_plane/conditions.hpp"
#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
namespace {

struct StatusList {
    std::string_view of;    ///< in the spec
    std::string_view into;  ///< in the status
    bool is_init;
};

constexpr StatusList status_lists[] = {{"initContainers", "initContainerStatuses", true},
                                       {"containers", "containerStatuses", false}};

const json::object* find_named(const json::object& pod, std::string_view list,
                               std::string_view name) {
    const json::array* statuses = find_array(pod, std::string("status.").append(list));
    if (statuses == nullptr) return nullptr;
    for (const json::value& item : *statuses)
        if (item.is_object() && text_at(item.get_object(), "name") == name)
            return &item.get_object();
    return nullptr;
}

std::string made_up_id(const json::object& pod, std::string_view name) {
    return "simulated://" + std::string(text_at(pod, "metadata.uid")) + "/" + std::string(name);
}

json::object make_status(const json::object& pod, const json::object& container,
                         const StatusList& list) {
    const std::string_view name = text_at(container, "name");
    const std::string_view image = text_at(container, "image");
    const json::object* before = find_named(pod, list.into, name);
    return {{"name", json_view(name)},
            {"image", json_view(image)},
            {"imageID", json_view(image)},
            {"containerID", made_up_id(pod, name)},
            {"restartCount", before == nullptr ? 0 : number_or(*before, "restartCount", 0)},
            {"lastState", json::object()},
            {"ready", false},
            {"started", false}};
}

/// `change` completes each container's status.
template <class Change>
void set_containers(json::object& pod, const Change& change) {
    for (const StatusList& list : status_lists) {
        const json::array* containers = find_array(pod, std::string("spec.").append(list.of));
        if (containers == nullptr) continue;
        json::array statuses;
        for (const json::value& item : *containers) {
            if (!item.is_object()) continue;
            json::object status = make_status(pod, item.get_object(), list);
            change(status, list);
            statuses.push_back(std::move(status));
        }
        make_object(pod, "status")[json_view(list.into)] = std::move(statuses);
    }
}

json::object terminated(const json::object& pod, std::int64_t exit_code, Time now) {
    const std::string_view started = text_at(pod, "status.startTime");
    const std::string ended = timestamp_text(now);
    return {{"exitCode", exit_code},
            {"reason", exit_code == 0 ? "Completed" : "Error"},
            {"startedAt", started.empty() ? json_view(ended) : json_view(started)},
            {"finishedAt", ended}};
}

void set_container_running(json::object& status, const json::object& pod, const StatusList& list,
                           Time now) {
    status["ready"] = true;
    if (list.is_init) {
        status["state"] = json::object{{"terminated", terminated(pod, 0, now)}};
        return;
    }
    status["started"] = true;
    status["state"] = json::object{{"running", json::object{{"startedAt", timestamp_text(now)}}}};
}

void set_conditions(json::object& pod, bool is_ready, std::string_view reason, Time now) {
    // Somebody may have named the node without a scheduler.
    for (const std::string_view type : {"PodScheduled", "Initialized"})
        set_condition(pod, {.type = type}, now);
    for (const std::string_view type : {"Ready", "ContainersReady"})
        set_condition(pod, {.type = type, .status = is_ready ? "True" : "False", .reason = reason},
                      now);
}

}  // namespace

void set_creating(json::object& pod, std::string_view host_ip, Time now) {
    json::object& status = make_object(pod, "status");
    status["phase"] = "Pending";
    status["startTime"] = timestamp_text(now);
    if (!host_ip.empty()) {
        status["hostIP"] = json_view(host_ip);
        status["hostIPs"] = json::array{json::object{{"ip", json_view(host_ip)}}};
    }
    set_containers(pod, [](json::object& container, const StatusList& list) {
        container["state"] = json::object{
            {"waiting",
             json::object{{"reason", list.is_init ? "PodInitializing" : "ContainerCreating"}}}};
    });
    set_conditions(pod, false, "ContainersNotReady", now);
}

void set_running(json::object& pod, std::string_view pod_ip, Time now) {
    json::object& status = make_object(pod, "status");
    status["phase"] = "Running";
    status["podIP"] = json_view(pod_ip);
    status["podIPs"] = json::array{json::object{{"ip", json_view(pod_ip)}}};
    set_containers(pod, [&](json::object& container, const StatusList& list) {
        set_container_running(container, pod, list, now);
    });
    set_conditions(pod, true, {}, now);
}

void set_restarted(json::object& pod, std::int64_t exit_code, Time now) {
    set_containers(pod, [&](json::object& container, const StatusList& list) {
        set_container_running(container, pod, list, now);
        if (list.is_init) return;
        container["restartCount"] = number_or(container, "restartCount", 0) + 1;
        container["lastState"] = json::object{{"terminated", terminated(pod, exit_code, now)}};
    });
}

void set_ended(json::object& pod, std::int64_t exit_code, Time now) {
    make_object(pod, "status")["phase"] = exit_code == 0 ? "Succeeded" : "Failed";
    set_containers(pod, [&](json::object& container, const StatusList& list) {
        container["ready"] = list.is_init;
        container["state"] =
            json::object{{"terminated", terminated(pod, list.is_init ? 0 : exit_code, now)}};
    });
    set_conditions(pod, false, exit_code == 0 ? "PodCompleted" : "PodFailed", now);
}

void set_node_not_ready(json::object& pod, Time now) {
    set_condition(pod, {.type = "Ready", .status = "False", .reason = "NodeNotReady"}, now);
}

std::string pod_address(std::uint32_t number) {
    return "10." + std::to_string(number >> 16 & 0xff) + "." + std::to_string(number >> 8 & 0xff) +
           "." + std::to_string(number & 0xff);
}

}  // namespace capstan::simulation
