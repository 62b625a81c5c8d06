#include "simulator/controller_plugins.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include <boost/json/object.hpp>

#include <capstan/sentence.hpp>

#include "kubernetes/base/json_path.hpp"
#include "simulator/workload_objects.hpp"

namespace capstan::simulator {
namespace {

namespace json = boost::json;
using api_server::ApiObject;
using api_server::ObjectPart;
using kubernetes::base::integer_at;
using kubernetes::base::set_value;
using kubernetes::base::text_at;

constexpr std::string_view balancers_resource = "balancers.balancer.x-k8s.io";

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> workload_resources{
    {{"Deployment", "deployments.apps"},
     {"ReplicaSet", "replicasets.apps"},
     {"StatefulSet", "statefulsets.apps"}}};

/// Empty: the kind is not shown.
std::string_view resource_of_kind(std::string_view kind) {
    for (const auto& [known, resource] : workload_resources)
        if (known == kind) return resource;
    return {};
}

std::string id_of(const json::object& object, std::string_view kind) {
    return std::string(text_at(object, "metadata.namespace")) + "/" + std::string(kind) + "/" +
           std::string(text_at(object, "metadata.name"));
}

api_server::WriteOptions whole() { return {.part = ObjectPart::everything}; }

}  // namespace

ControllerPlugins::ControllerPlugins(
    const Parts& parts,
    std::vector<std::shared_ptr<plugin_runtime::instances::ControllerClient>> clients)
    : parts_(parts), clients_(std::move(clients)) {
    parts_.cluster.track_changes();
    for (const auto& [kind, resource] : workload_resources)
        subscribe(std::string(resource),
                  [this, kind = std::string(kind)](const json::object& o) { take_write(kind, o); });
    subscribe("events", [this](const json::object& event) { take_event(event); });
}

ControllerPlugins::~ControllerPlugins() {
    for (const auto& client : clients_) client->lead(false);
}

void ControllerPlugins::subscribe(const std::string& resource,
                                  std::function<void(const json::object&)> on) {
    api_server::ObjectStore& store = parts_.api.store();
    auto made = store.subscribe(store.kind(resource), store.revision(),
                                {.changed = [on = std::move(on)](const api_server::Change& change) {
                                    if (change.type != api_server::ChangeType::deleted)
                                        on(*change.object);
                                }});
    if (made) subscriptions_.push_back(*std::move(made));
}

/// Also called with what show_workload() wrote.
void ControllerPlugins::take_write(const std::string& kind, const json::object& workload) {
    const std::string id = id_of(workload, kind);
    const auto shown = workloads_.find(id);
    const auto replicas = integer_at(workload, "spec.replicas");
    if (shown == workloads_.end() || !replicas) return;
    if (*replicas == shown->second.wanted) {
        written_.erase(id);
    } else {
        written_[id] = static_cast<int>(*replicas);
    }
}

void ControllerPlugins::take_event(const json::object& event) {
    const std::string name(text_at(event, "involvedObject.name"));
    const std::string kind(text_at(event, "involvedObject.kind"));
    const std::string message(text_at(event, "message"));
    if (kind.empty() || message.empty()) return;
    parts_.event_log.add(parts_.api.now(), EventKind::note, name,
                         kind + " " + name + ": " + message);
}

bool ControllerPlugins::obey(Time now) {
    const bool is_any = has_writes();
    for (const auto& [id, replicas] : std::exchange(written_, {})) {
        parts_.statistics.reach(now);
        // A workload that vanished meanwhile is not scaled any more.
        std::ignore = parts_.cluster.scale_workload(id, replicas, now);
    }
    return is_any;
}

void ControllerPlugins::show(Time now) {
    for (const WorkloadState& workload : parts_.cluster.take_changed_workloads())
        show_workload(workload);
    const std::vector<PodState> pods = parts_.cluster.take_changed_pods();
    for (const PodState& pod : pods) show_pod(pod, now);
    parts_.api.settle();
    if (std::exchange(has_begun_, true)) return;
    for (const auto& client : clients_) client->lead(leads_);
    parts_.api.settle();
}

void ControllerPlugins::lead(bool leads) {
    leads_ = leads;
    if (!has_begun_) return;
    for (const auto& client : clients_) client->lead(leads);
}

void ControllerPlugins::break_api(bool is_broken) {
    api_is_broken_ = is_broken;
    parts_.api.set_reachable(!is_broken);
}

void ControllerPlugins::show_workload(const WorkloadState& workload) {
    const std::string_view resource = resource_of_kind(workload.kind);
    if (resource.empty()) return;
    api_server::ObjectStore& store = parts_.api.store();
    const api_server::ResourceKind& kind = store.kind(resource);
    written_.erase(workload.id);
    if (!workload.is_there) {
        workloads_.erase(workload.id);
        std::ignore = store.remove(kind, workload.ns, workload.name);
        return;
    }
    const bool is_new = !workloads_.contains(workload.id);
    workloads_[workload.id] = workload;
    if (is_new) {
        if (spaces_.insert(workload.ns).second) parts_.api.add_namespace(workload.ns);
        std::ignore = parts_.api.create(resource, workload.ns, make_workload_object(workload));
        return;
    }
    std::ignore = store.edit(
        kind, workload.ns, workload.name,
        [&](json::object& object) { set_replicas(workload, object); }, whole());
}

void ControllerPlugins::show_pod(const PodState& pod, Time now) {
    api_server::ObjectStore& store = parts_.api.store();
    const api_server::ResourceKind& kind = store.kind("pods");
    const std::string &ns = pod.object.ns, &name = pod.object.name;
    if (!pod.is_there) {
        std::ignore = store.remove(kind, ns, name, {.grace_s = 0});
        return;
    }
    json::object object = make_pod_object(pod, parts_.cluster.wall(now));
    if (store.find(kind, ns, name) == nullptr) {
        if (spaces_.insert(ns).second) parts_.api.add_namespace(ns);
        std::ignore = store.create(kind, ns, std::move(object),
                                   {.part = ObjectPart::everything, .created = pod.object.created});
    } else {
        std::ignore = store.edit(
            kind, ns, name,
            [&](json::object& shown) {
                shown["spec"] = std::move(object["spec"]);
                shown["status"] = std::move(object["status"]);
            },
            whole());
    }
    if (pod.object.deleted) std::ignore = store.remove(kind, ns, name);
}

bool ControllerPlugins::scale_object(const Scale& to, Time now) {
    api_server::ObjectStore& store = parts_.api.store();
    const std::size_t slash = to.batch.find('/');
    const bool is_full = slash != std::string::npos;
    const std::string ns = is_full ? to.batch.substr(0, slash) : "default";
    const std::string name = is_full ? to.batch.substr(slash + 1) : to.batch;
    for (const api_server::KindPtr& kind : std::vector(store.kinds().all())) {
        if (!kind->is_custom || !kind->scale || store.find(*kind, ns, name) == nullptr) continue;
        std::ignore = store.edit(*kind, ns, name, [&](json::object& object) {
            set_value(object, kind->scale->spec_replicas, to.replicas);
        });
        parts_.event_log.add(
            now, EventKind::note, name,
            kind->kind + " " + to.batch + " is scaled to " + counted(to.replicas, "replica"));
        return true;
    }
    return false;
}

std::vector<BalancerState> ControllerPlugins::balancers() const {
    std::vector<BalancerState> out;
    const api_server::ObjectStore& store = parts_.api.store();
    if (const api_server::KindPtr kind = store.kinds().find(balancers_resource)) {
        for (const ApiObject& object : store.list(*kind).items) {
            BalancerState& state = out.emplace_back(read_balancer_state(*object));
            state.is_served = leads_ && !api_is_broken_;
            for (BalancerState::Target& target : state.targets) {
                const auto shown = workloads_.find(target.workload);
                if (shown == workloads_.end()) continue;
                target.wanted = shown->second.wanted;
                target.waiting =
                    std::max(shown->second.wanted, shown->second.present) - shown->second.ready;
            }
        }
    }
    return out;
}

}  // namespace capstan::simulator
