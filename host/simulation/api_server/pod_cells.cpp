/// A pod's row: its state in one word, as kubectl's users know it.
#include <algorithm>

#include "simulation/api_server/table_cells.hpp"

namespace capstan::simulation {
namespace {

struct Containers {
    std::int64_t total = 0, ready = 0, restarts = 0;
    std::string reason{};
    bool has_running = false;
    std::string last_restart{};
};

std::string ended_reason(const json::object& terminated) {
    if (const std::string_view reason = text_at(terminated, "reason"); !reason.empty())
        return std::string(reason);
    if (const auto signal = integer_at(terminated, "signal"); signal && *signal != 0)
        return "Signal:" + std::to_string(*signal);
    return "ExitCode:" + std::to_string(count_at(terminated, "exitCode"));
}

void look_at(const json::object& status, Containers& out) {
    out.restarts += count_at(status, "restartCount");
    out.last_restart =
        std::max(out.last_restart, std::string(text_at(status, "lastState.terminated.finishedAt")));
    const json::object* ended = find_object(status, "state.terminated");
    if (const std::string_view waiting = text_at(status, "state.waiting.reason");
        !waiting.empty()) {
        out.reason = waiting;
    } else if (ended != nullptr) {
        out.reason = ended_reason(*ended);
    } else if (is_true_at(status, "ready") && find_object(status, "state.running") != nullptr) {
        out.has_running = true;
        ++out.ready;
    }
}

Containers containers_of(const json::object& pod) {
    Containers out;
    out.total = static_cast<std::int64_t>(list_at(pod, "spec.containers").size());
    const json::array& statuses = list_at(pod, "status.containerStatuses");
    for (auto item = statuses.rbegin(); item != statuses.rend(); ++item)
        if (const json::object* status = item->if_object()) look_at(*status, out);
    return out;
}

/// "Init:1/2"; empty: all init containers are through.
std::string init_state(const json::object& pod) {
    const json::array& statuses = list_at(pod, "status.initContainerStatuses");
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        const json::object* status = statuses[i].if_object();
        if (status == nullptr) continue;
        const json::object* ended = find_object(*status, "state.terminated");
        if (ended != nullptr && count_at(*ended, "exitCode") == 0) continue;
        if (is_true_at(*status, "started")) continue;
        if (ended != nullptr) return "Init:" + ended_reason(*ended);
        const std::string_view waiting = text_at(*status, "state.waiting.reason");
        if (!waiting.empty() && waiting != "PodInitializing") return "Init:" + std::string(waiting);
        return "Init:" + std::to_string(i) + "/" +
               std::to_string(list_at(pod, "spec.initContainers").size());
    }
    return {};
}

bool is_gated(const json::object& pod) {
    return std::ranges::any_of(list_at(pod, "status.conditions"), [](const json::value& item) {
        const json::object* condition = item.if_object();
        return condition != nullptr && text_at(*condition, "type") == "PodScheduled" &&
               text_at(*condition, "reason") == "SchedulingGated";
    });
}

std::string state_of(const json::object& pod, const Containers& containers) {
    const bool is_lost = text_at(pod, "status.reason") == "NodeLost";
    if (find_value(pod, "metadata.deletionTimestamp") != nullptr)
        return is_lost ? "Unknown" : "Terminating";
    if (std::string init = init_state(pod); !init.empty()) return init;
    if (containers.reason == "Completed" && containers.has_running) return "Running";
    if (!containers.reason.empty()) return containers.reason;
    if (is_gated(pod)) return "SchedulingGated";
    const std::string_view reason = text_at(pod, "status.reason");
    const std::string_view phase = text_at(pod, "status.phase");
    return std::string(!reason.empty() ? reason : phase.empty() ? "Unknown" : phase);
}

std::string restarts_text(const Containers& containers, Time now) {
    std::string count = std::to_string(containers.restarts);
    if (containers.restarts == 0 || containers.last_restart.empty()) return count;
    return count + " (" + age_text(containers.last_restart, now) + " ago)";
}

std::string gates_text(const json::object& pod) {
    const std::size_t gates = list_at(pod, "spec.readinessGates").size();
    if (gates == 0) return "<none>";
    const auto holds = [&](const json::value& gate) {
        return std::ranges::any_of(list_at(pod, "status.conditions"), [&](const json::value& item) {
            const json::object* condition = item.if_object();
            return condition != nullptr && gate.is_object() &&
                   text_at(*condition, "type") == text_at(gate.get_object(), "conditionType") &&
                   text_at(*condition, "status") == "True";
        });
    };
    const auto held = std::ranges::count_if(list_at(pod, "spec.readinessGates"), holds);
    return std::to_string(held) + "/" + std::to_string(gates);
}

}  // namespace

json::array pod_cells(const json::object& pod, Time now) {
    const Containers containers = containers_of(pod);
    return {name_cell(pod),
            std::to_string(containers.ready) + "/" + std::to_string(containers.total),
            state_of(pod, containers),
            restarts_text(containers, now),
            age_cell(pod, now),
            text_or(pod, "status.podIP", "<none>"),
            text_or(pod, "spec.nodeName", "<none>"),
            text_or(pod, "status.nominatedNodeName", "<none>"),
            gates_text(pod)};
}

}  // namespace capstan::simulation
