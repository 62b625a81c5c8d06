#include "simulation/control_plane/nodes/pod_lives.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "simulation/control_plane/conditions.hpp"
#include "simulation/control_plane/control_plane.hpp"
#include "simulation/control_plane/nodes/node_facts.hpp"
#include "simulation/control_plane/nodes/pod_status.hpp"
#include "simulation/control_plane/owners.hpp"
#include "simulation/control_plane/pod_facts.hpp"

namespace capstan::simulation {
namespace {

/// Between the end of containers and their next start, so that nothing restarts without end.
constexpr Duration restart_pause = std::chrono::seconds(1);

/// Of a program that is asked to stop, and does.
constexpr std::int64_t stopped_exit_code = 143;

/// Its node was not heard of for a while.
bool is_lost(const json::object& pod) {
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

/// Nothing: until somebody asks it to go.
std::optional<Duration> run_time(const json::object& pod, Duration of_jobs) {
    if (const auto annotated = annotated_duration(pod, run_for_annotation)) return annotated;
    const json::object* controller = find_controller(pod);
    const bool is_of_job = controller != nullptr && text_at(*controller, "kind") == "Job";
    return is_of_job ? std::optional(of_jobs) : std::nullopt;
}

}  // namespace

PodLives::PodLives(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    context.feed().listen("pods", [this](const Change& change) {
        if (!text_at(*change.object, "spec.nodeName").empty())
            queue_.add(object_key(*change.object));
    });
    context.feed().listen("nodes", [this](const Change& change) { note_node(change); });
}

/// Pods that waited for their node to be ready, or to be there at all.
void PodLives::note_node(const Change& change) {
    if (change.type == ChangeType::deleted || !runs_pods(*change.object)) return;
    if (change.before != nullptr && runs_pods(*change.before)) return;
    for (const ApiObject& pod : context_.index().pods_on(text_at(*change.object, "metadata.name")))
        queue_.add(object_key(*pod));
}

PodLives::Life& PodLives::life_of(const std::string& key, const json::object& pod) {
    Life& life = lives_[key];
    if (const std::string_view uid = text_at(pod, "metadata.uid"); life.uid != uid)
        life = {.uid = std::string(uid)};
    return life;
}

void PodLives::enter(Life& life, Stage stage) {
    life.stage = stage;
    life.since = context_.loop().monotonic();
}

bool PodLives::has_lasted(const std::string& key, const Life& life, Duration real) {
    const Duration left = life.since + context_.paced(real) - context_.loop().monotonic();
    if (left <= Duration::zero()) return true;
    queue_.add_after(key, left);
    return false;
}

void PodLives::tell(const json::object& pod, std::string_view reason, std::string message) {
    context_.events().record(context_.kind("pods"), pod, {"kubelet", reason, std::move(message)});
}

void PodLives::reconcile(const std::string& key) {
    const ApiObject pod = context_.find("pods", key);
    if (pod == nullptr) {
        lives_.erase(key);
        return;
    }
    const ApiObject node = context_.find("nodes", object_key("", text_at(*pod, "spec.nodeName")));
    if (node == nullptr || !runs_pods(*node)) return;
    Life& life = life_of(key, *pod);
    if (is_leaving(*pod)) {
        stop(key, *pod, life);
    } else if (text_at(*pod, "status.phase") == "Pending") {
        start(key, *pod, *node, life);
    } else if (text_at(*pod, "status.phase") == "Running") {
        run(key, *pod, life);
    }
}

void PodLives::start(const std::string& key, const json::object& pod, const json::object& node,
                     Life& life) {
    if (life.stage != Stage::starting) {
        enter(life, Stage::starting);
        context_.edit("pods", pod, [&](json::object& fresh) {
            set_creating(fresh, node_address(node, "InternalIP"), context_.now());
        });
    }
    const Duration takes =
        annotated_duration(pod, start_up_annotation).value_or(context_.options().pod_start_up);
    if (!has_lasted(key, life, takes)) return;
    enter(life, Stage::running);
    const std::string address = pod_address(++last_address_);
    context_.edit("pods", pod,
                  [&](json::object& fresh) { set_running(fresh, address, context_.now()); });
    tell(pod, "Started", "Started all containers");
}

void PodLives::run(const std::string& key, const json::object& pod, Life& life) {
    // It ran before this control plane did, or its node was away meanwhile.
    if (life.stage != Stage::running) enter(life, Stage::running);
    if (is_lost(pod))
        context_.edit("pods", pod, [&](json::object& fresh) {
            set_running(fresh, text_at(pod, "status.podIP"), context_.now());
        });
    const auto takes = run_time(pod, context_.options().job_run_time);
    if (takes && has_lasted(key, life, std::max(*takes, restart_pause))) end(pod, life);
}

void PodLives::end(const json::object& pod, Life& life) {
    const std::int64_t code = exit_code_of(pod);
    const bool again = may_restart(pod, code);
    if (again) enter(life, Stage::running);
    context_.edit("pods", pod, [&](json::object& fresh) {
        if (again) {
            set_restarted(fresh, code, context_.now());
        } else {
            set_ended(fresh, code, context_.now());
        }
    });
}

void PodLives::stop(const std::string& key, const json::object& pod, Life& life) {
    const bool has_run = text_at(pod, "status.phase") == "Running";
    if (life.stage != Stage::stopping) {
        enter(life, Stage::stopping);
        if (has_run) tell(pod, "Killing", "Stopping all containers");
    }
    if (has_run && !has_lasted(key, life, stop_time(pod, context_.options().grace_share))) return;
    if (!has_ended(pod))
        context_.edit("pods", pod, [&](json::object& fresh) {
            set_ended(fresh, stopped_exit_code, context_.now());
        });
    context_.remove("pods", pod, {.grace_s = 0});
}

}  // namespace capstan::simulation
