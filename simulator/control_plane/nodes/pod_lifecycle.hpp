/// The pod part of kubelets: pods start, run, end and are stopped.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "simulator/api_server/api_object.hpp"
#include "simulator/control_plane/context/control_context.hpp"
#include "simulator/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulator::control_plane {

// The status of a pod at each stage.

/// The kubelet has accepted the pod, and its containers are being created.
void set_creating(json::object& pod, std::string_view host_ip, Time now);
/// All containers run and are ready.
void set_running(json::object& pod, std::string_view pod_ip, Time now);
/// All containers ended with that code and run again.
void set_restarted(json::object& pod, std::int64_t exit_code, Time now);
/// All containers ended for good, also those that never ran: the pod has Succeeded or Failed.
void set_ended(json::object& pod, std::int64_t exit_code, Time now);
/// The pod is not ready, because its node is not ready.
void set_node_not_ready(json::object& pod, Time now);

/// The IP address of the pod with that number: "10.1.2.3".
std::string pod_address(std::uint32_t number);

/// Plays the kubelet of each node for the pods that are bound to it. Pods of a node that is not
/// ready stay as they are. [the loop's thread]
class PodLifecycle {
public:
    explicit PodLifecycle(ControlContext& context);

private:
    enum class Stage { unseen, starting, running, stopping };
    struct PodState {
        std::string uid{};
        Stage stage = Stage::unseen;
        Duration since{};  ///< when the stage began, in the loop's monotonic time
    };
    void note_node(const api_server::Change& change);
    void reconcile(const std::string& key);
    PodState& state_of(const std::string& key, const json::object& pod);
    void enter(PodState& state, Stage stage);
    /// Whether the stage has lasted for `real`, divided by the speed. If not, adds the key to the
    /// queue for the time when it has.
    bool has_lasted(const std::string& key, const PodState& state, Duration real);
    void start(const std::string& key, const json::object& pod, const json::object& node,
               PodState& state);
    void run(const std::string& key, const json::object& pod, PodState& state);
    void end(const json::object& pod, PodState& state);
    void stop(const std::string& key, const json::object& pod, PodState& state);
    void record_container_events(const json::object& pod, std::string_view reason,
                                 std::string_view message);

    ControlContext& context_;
    std::map<std::string, PodState> states_;  ///< by "namespace/name"
    std::uint32_t last_address_ = 0;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulator::control_plane
