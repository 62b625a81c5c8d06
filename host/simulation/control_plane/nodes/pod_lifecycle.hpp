/// What a kubelet writes into the status of a pod, step by step.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "simulation/api_server/api_object.hpp"
#include "simulation/control_plane/context/control_context.hpp"
#include "simulation/control_plane/context/reconcile_queue.hpp"

namespace capstan::simulation::control_plane {

/// The kubelet knows of it; its containers are being made.
void set_creating(json::object& pod, std::string_view host_ip, Time now);
/// All containers run and are ready.
void set_running(json::object& pod, std::string_view pod_ip, Time now);
/// They ended, each with that code, and run again.
void set_restarted(json::object& pod, std::int64_t exit_code, Time now);
/// They ended for good: Succeeded or Failed. Containers that never ran end, too.
void set_ended(json::object& pod, std::int64_t exit_code, Time now);
/// Its node tells no more of it.
void set_node_not_ready(json::object& pod, Time now);

/// Always the same for the same number: "10.1.2.3".
std::string pod_address(std::uint32_t number);

// Kubelets, as far as pods know them: pods start, run, end and go.

/// Acts for pods of nodes that are ready; on others nothing moves. [the loop's thread]
class PodLifecycle {
public:
    explicit PodLifecycle(ControlContext& context);

private:
    enum class Stage { unseen, starting, running, stopping };
    struct EventLoop {
        std::string uid{};
        Stage stage = Stage::unseen;
        Duration since{};  ///< of the stage, by the loop's monotonic time
    };
    void note_node(const api_server::Change& change);
    void reconcile(const std::string& key);
    EventLoop& life_of(const std::string& key, const json::object& pod);
    void enter(EventLoop& life, Stage stage);
    /// Whether the stage has lasted that long; comes back when not.
    bool has_lasted(const std::string& key, const EventLoop& life, Duration real);
    void start(const std::string& key, const json::object& pod, const json::object& node,
               EventLoop& life);
    void run(const std::string& key, const json::object& pod, EventLoop& life);
    void end(const json::object& pod, EventLoop& life);
    void stop(const std::string& key, const json::object& pod, EventLoop& life);
    void tell(const json::object& pod, std::string_view reason, std::string message);

    ControlContext& context_;
    std::map<std::string, EventLoop> lives_;
    std::uint32_t last_address_ = 0;
    ReconcileQueue queue_;
};

}  // namespace capstan::simulation::control_plane
