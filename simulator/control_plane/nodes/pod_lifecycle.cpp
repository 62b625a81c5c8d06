#include "simulator/control_plane/nodes/node_controllers.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/time_text.hpp>

#include "simulator/control_plane/context/control_plane_options.hpp"
#include "simulator/control_plane/context/object_fields.hpp"
#include "simulator/control_plane/nodes/node_object.hpp"

namespace capstan::simulator::control_plane {
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
    for (const json::object* status : objects_at(pod, std::string("status.").append(list)))
        if (text_at(status, "name") == name) return status;
    return nullptr;
}

std::string made_up_id(const json::object& pod, std::string_view name) {
    return "simulated://" + std::string(uid_of(pod)) + "/" + std::string(name);
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

/// Replaces the status of each container, completed by `complete`.
template <class Complete>
void set_containers(json::object& pod, const Complete& complete) {
    for (const StatusList& list : status_lists) {
        const std::string path = std::string("spec.").append(list.of);
        if (api_server::find_array(pod, path) == nullptr) continue;
        json::array statuses;
        for (const json::object* container : objects_at(pod, path)) {
            json::object status = make_status(pod, *container, list);
            complete(status, list);
            statuses.push_back(std::move(status));
        }
        make_object(pod, "status")[json_view(list.into)] = std::move(statuses);
    }
}

json::object terminated(const json::object& pod, std::int64_t exit_code, Time now) {
    const std::string_view started = text_at(pod, "status.startTime");
    const std::string ended = format_rfc3339(now, 0);
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
    status["state"] =
        json::object{{"running", json::object{{"startedAt", format_rfc3339(now, 0)}}}};
}

void set_conditions(json::object& pod, bool is_ready, std::string_view reason, Time now) {
    // A client may have bound the pod without the scheduler, which sets PodScheduled.
    for (const std::string_view type : {"PodScheduled", "Initialized"})
        set_condition(pod, {.type = type}, now);
    for (const std::string_view type : {"Ready", "ContainersReady"})
        set_condition(pod, {.type = type, .status = is_ready ? "True" : "False", .reason = reason},
                      now);
}

/// The kubelet has accepted the pod, and its containers are being created.
void set_creating(json::object& pod, std::string_view host_ip, Time now) {
    json::object& status = make_object(pod, "status");
    status["phase"] = "Pending";
    status["startTime"] = format_rfc3339(now, 0);
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

/// All containers run and are ready.
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

/// All containers ended with that code and run again.
void set_restarted(json::object& pod, std::int64_t exit_code, Time now) {
    set_containers(pod, [&](json::object& container, const StatusList& list) {
        set_container_running(container, pod, list, now);
        if (list.is_init) return;
        container["restartCount"] = number_or(container, "restartCount", 0) + 1;
        container["lastState"] = json::object{{"terminated", terminated(pod, exit_code, now)}};
    });
}

/// All containers ended for good, also those that never ran: the pod has Succeeded or Failed.
void set_ended(json::object& pod, std::int64_t exit_code, Time now) {
    make_object(pod, "status")["phase"] = exit_code == 0 ? "Succeeded" : "Failed";
    set_containers(pod, [&](json::object& container, const StatusList& list) {
        container["ready"] = list.is_init;
        container["state"] =
            json::object{{"terminated", terminated(pod, list.is_init ? 0 : exit_code, now)}};
    });
    set_conditions(pod, false, exit_code == 0 ? "PodCompleted" : "PodFailed", now);
}

/// The IP address of the pod with that number: "10.1.2.3".
std::string pod_address(std::uint32_t number) {
    return "10." + std::to_string(number >> 16 & 0xff) + "." + std::to_string(number >> 8 & 0xff) +
           "." + std::to_string(number & 0xff);
}

/// The least time between two restarts of a container, so that the loop is not busy with restarts.
constexpr Duration restart_pause = std::chrono::seconds(1);

/// The exit code of a program that ends by SIGTERM.
constexpr std::int64_t stopped_exit_code = 143;

/// Whether NodeHealth has marked the pod as not ready because of its node.
bool was_marked_not_ready(const json::object& pod) {
    const json::object* ready = find_condition(pod, "Ready");
    return ready != nullptr && text_at(*ready, "reason") == "NodeNotReady";
}

bool runs_pods(const json::object& node) {
    return is_node_ready(node) && !is_kubelet_stopped(node);
}

std::int64_t exit_code_of(const json::object& pod) {
    const std::string_view written = annotation_of(pod, exit_code_annotation);
    std::int64_t code = 0;
    std::from_chars(written.data(), written.data() + written.size(), code);
    return code;
}

bool may_restart(const json::object& pod, std::int64_t exit_code) {
    const std::string_view policy = text_at(pod, "spec.restartPolicy");
    return policy == "Always" || (policy == "OnFailure" && exit_code != 0);
}

/// How long the containers run; absent: until the pod is deleted.
std::optional<Duration> run_time(const json::object& pod, Duration of_jobs) {
    if (const auto annotated = annotated_duration(pod, run_for_annotation)) return annotated;
    const json::object* controller = find_controller(pod);
    const bool is_of_job = controller != nullptr && text_at(*controller, "kind") == "Job";
    return is_of_job ? std::optional(of_jobs) : std::nullopt;
}

class PodLifecycle final : public QueuedController {
public:
    explicit PodLifecycle(ControlContext& context) : QueuedController(context) {
        context.feed().listen("pods", [this](const Change& change) {
            if (!text_at(*change.object, "spec.nodeName").empty())
                queue_.add(object_key(*change.object));
        });
        context.feed().listen("nodes", [this](const Change& change) { note_node(change); });
    }

private:
    enum class Stage { unseen, starting, running, stopping };
    struct PodState {
        std::string uid{};
        Stage stage = Stage::unseen;
        Duration since{};  ///< when the stage began, in the loop's monotonic time
    };

    /// Adds the pods of a node that becomes ready to the queue.
    void note_node(const Change& change) {
        if (change.type == ChangeType::deleted || !runs_pods(*change.object)) return;
        if (change.before != nullptr && runs_pods(*change.before)) return;
        add_pods_on(*change.object);
    }

    PodState& state_of(const std::string& key, const json::object& pod) {
        PodState& state = states_[key];
        if (const std::string_view uid = uid_of(pod); state.uid != uid)
            state = {.uid = std::string(uid)};
        return state;
    }

    void enter(PodState& state, Stage stage) {
        state.stage = stage;
        state.since = context_.loop().monotonic();
    }

    /// Whether the stage has lasted for `real`, divided by the speed. If not, adds the key to the
    /// queue for the time when it has.
    bool has_lasted(const std::string& key, const PodState& state, Duration real) {
        const Duration left = state.since + context_.paced(real) - context_.loop().monotonic();
        if (left <= Duration::zero()) return true;
        queue_.add_after(key, left);
        return false;
    }

    /// Records one event for each container, as a kubelet does.
    void record_container_events(const json::object& pod, std::string_view reason,
                                 std::string_view message) {
        for (const json::object* container : objects_at(pod, "spec.containers"))
            context_.events().record(
                context_.kind("pods"), pod,
                {"kubelet", reason, std::string(message).append(text_at(container, "name"))});
    }

    void reconcile(const std::string& key) override {
        const ApiObject pod = context_.find("pods", key);
        if (pod == nullptr) {
            states_.erase(key);
            return;
        }
        const ApiObject node =
            context_.find("nodes", object_key("", text_at(*pod, "spec.nodeName")));
        if (node == nullptr || !runs_pods(*node)) return;
        PodState& state = state_of(key, *pod);
        if (is_terminating(*pod)) {
            stop(key, *pod, state);
        } else if (text_at(*pod, "status.phase") == "Pending") {
            start(key, *pod, *node, state);
        } else if (text_at(*pod, "status.phase") == "Running") {
            run(key, *pod, state);
        }
    }

    void start(const std::string& key, const json::object& pod, const json::object& node,
               PodState& state) {
        if (state.stage != Stage::starting) {
            enter(state, Stage::starting);
            context_.edit("pods", pod, [&](json::object& fresh) {
                set_creating(fresh, node_address(node, "InternalIP"), context_.now());
            });
        }
        const Duration takes =
            annotated_duration(pod, start_up_annotation).value_or(context_.options().pod_start_up);
        if (!has_lasted(key, state, takes)) return;
        enter(state, Stage::running);
        const std::string address = pod_address(++last_address_);
        context_.edit("pods", pod,
                      [&](json::object& fresh) { set_running(fresh, address, context_.now()); });
        record_container_events(pod, "Started", "Started container ");
    }

    void run(const std::string& key, const json::object& pod, PodState& state) {
        // The pod ran before this control plane started, or before its node was not ready.
        if (state.stage != Stage::running) enter(state, Stage::running);
        if (was_marked_not_ready(pod))
            context_.edit("pods", pod, [&](json::object& fresh) {
                set_running(fresh, text_at(pod, "status.podIP"), context_.now());
            });
        const auto takes = run_time(pod, context_.options().job_run_time);
        if (takes && has_lasted(key, state, std::max(*takes, restart_pause))) end(pod, state);
    }

    void end(const json::object& pod, PodState& state) {
        const std::int64_t code = exit_code_of(pod);
        const bool again = may_restart(pod, code);
        if (again) enter(state, Stage::running);
        context_.edit("pods", pod, [&](json::object& fresh) {
            if (again) {
                set_restarted(fresh, code, context_.now());
            } else {
                set_ended(fresh, code, context_.now());
            }
        });
    }

    void stop(const std::string& key, const json::object& pod, PodState& state) {
        const bool has_run = text_at(pod, "status.phase") == "Running";
        if (state.stage != Stage::stopping) {
            enter(state, Stage::stopping);
            if (has_run) record_container_events(pod, "Killing", "Stopping container ");
        }
        if (has_run && !has_lasted(key, state, stop_time(pod, context_.options().grace_share)))
            return;
        if (!has_ended(pod))
            context_.edit("pods", pod, [&](json::object& fresh) {
                set_ended(fresh, stopped_exit_code, context_.now());
            });
        context_.remove("pods", pod, {.grace_s = 0});
    }

    std::map<std::string, PodState> states_;  ///< by "namespace/name"
    std::uint32_t last_address_ = 0;
};

}  // namespace

std::unique_ptr<Controller> make_pod_lifecycle(ControlContext& context) {
    return std::make_unique<PodLifecycle>(context);
}

}  // namespace capstan::simulator::control_plane
