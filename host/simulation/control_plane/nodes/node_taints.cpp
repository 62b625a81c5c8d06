#include "simulation/control_plane/nodes/node_taints.hpp"

#include "simulation/control_plane/conditions.hpp"
#include "simulation/control_plane/nodes/node_facts.hpp"

namespace capstan::simulation {
namespace {

struct Row {
    std::string_view condition, status, taint;
};

constexpr Row pressures[] = {
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
};

constexpr std::string_view not_ready = "node.kubernetes.io/not-ready";
constexpr std::string_view unreachable = "node.kubernetes.io/unreachable";

}  // namespace

void set_condition_taints(json::object& node, Time now) {
    const bool is_down = has_condition(node, "Ready", "False");
    const bool is_lost = has_condition(node, "Ready", "Unknown");
    const bool is_new = find_condition(node, "Ready") == nullptr;
    set_taint(node, not_ready, "NoSchedule", is_down || is_new, now);
    set_taint(node, not_ready, "NoExecute", is_down, now);
    set_taint(node, unreachable, "NoSchedule", is_lost, now);
    set_taint(node, unreachable, "NoExecute", is_lost, now);
    set_taint(node, "node.kubernetes.io/unschedulable", "NoSchedule",
              is_true_at(node, "spec.unschedulable"), now);
    for (const Row& row : pressures)
        set_taint(node, row.taint, "NoSchedule", has_condition(node, row.condition, row.status),
                  now);
}

}  // namespace capstan::simulation
