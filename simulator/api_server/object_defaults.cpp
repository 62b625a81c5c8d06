#include "simulator/api_server/object_defaults.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/well_known.hpp>

namespace capstan::simulator::api_server {
namespace {

struct Default {
    std::string_view path;
    json::value value;
};

/// Calls `change` with each element of a list that is an object.
template <class Change>
void for_each_object(json::object& object, std::string_view key, const Change& change) {
    json::value* list = object.if_contains(json_view(key));
    if (list == nullptr || !list->is_array()) return;
    for (json::value& item : list->get_array())
        if (item.is_object()) change(item.get_object());
}

/// A missing request is set to the limit.
void set_requests(json::object& container) {
    const json::object* limits = find_object(container, "resources.limits");
    if (limits == nullptr) return;
    const json::object wanted = *limits;
    json::object& requests = make_object(make_object(container, "resources"), "requests");
    for (const auto& [resource, amount] : wanted)
        if (!requests.contains(resource)) requests[resource] = amount;
}

void set_container_defaults(json::object& container) {
    set_default(container, "resources", json::object());
    set_default(container, "terminationMessagePath", "/dev/termination-log");
    set_default(container, "terminationMessagePolicy", "File");
    set_default(container, "imagePullPolicy", "IfNotPresent");
    set_requests(container);
    for_each_object(container, "ports",
                    [](json::object& port) { set_default(port, "protocol", "TCP"); });
}

void set_pod_spec_defaults(json::object& spec) {
    static const std::vector<Default> defaults = {
        {"restartPolicy", "Always"},
        {"dnsPolicy", "ClusterFirst"},
        {"schedulerName", "default-scheduler"},
        {"terminationGracePeriodSeconds", 30},
        {"securityContext", json::object()},
    };
    for (const auto& [path, value] : defaults) set_default(spec, path, value);
    for_each_object(spec, "containers", set_container_defaults);
    for_each_object(spec, "initContainers", set_container_defaults);
}

/// Whether a toleration is for that NoExecute taint; one without a key is for all taints.
bool tolerates_eviction(const json::object& toleration, std::string_view taint) {
    const std::string_view key = text_at(toleration, "key");
    const std::string_view effect = text_at(toleration, "effect");
    return (key.empty() || key == taint) && (effect.empty() || effect == "NoExecute");
}

/// Pods stay for five minutes on a node that is not ready or unreachable.
void add_default_tolerations(json::object& spec) {
    json::value& tolerations = spec["tolerations"];
    if (!tolerations.is_array()) tolerations.emplace_array();
    for (const std::string_view key :
         {well_known::not_ready_taint, well_known::unreachable_taint}) {
        bool is_there = false;
        for (const json::value& item : tolerations.get_array()) {
            const json::object* toleration = item.if_object();
            is_there = is_there || (toleration != nullptr && tolerates_eviction(*toleration, key));
        }
        if (!is_there)
            tolerations.get_array().push_back(json::object{{"key", json_view(key)},
                                                           {"operator", "Exists"},
                                                           {"effect", "NoExecute"},
                                                           {"tolerationSeconds", 300}});
    }
}

bool has_resources(const json::object& container, std::string_view which) {
    const json::object* resources = find_object(container, "resources");
    const json::object* found = resources == nullptr ? nullptr : find_object(*resources, which);
    return found != nullptr && !found->empty();
}

/// The QoS class.
std::string_view qos_class(json::object& spec) {
    bool any = false, all = true;
    for_each_object(spec, "containers", [&](json::object& container) {
        any = any || has_resources(container, "requests");
        const json::object* requests = find_object(container, "resources.requests");
        const json::object* limits = find_object(container, "resources.limits");
        for (const char* name : {"cpu", "memory"}) {
            const json::value* limit = limits == nullptr ? nullptr : limits->if_contains(name);
            const json::value* request =
                requests == nullptr ? nullptr : requests->if_contains(name);
            all = all && limit != nullptr && request != nullptr && *limit == *request;
        }
    });
    return !any ? "BestEffort" : all ? "Guaranteed" : "Burstable";
}

void set_pod_defaults(json::object& pod) {
    json::object& spec = make_object(pod, "spec");
    set_pod_spec_defaults(spec);
    set_default(spec, "serviceAccountName", "default");
    set_default(spec, "enableServiceLinks", true);
    set_default(spec, "priority", 0);
    set_default(spec, "preemptionPolicy", "PreemptLowerPriority");
    add_default_tolerations(spec);
}

void set_template_defaults(json::object& object) {
    json::object& pod = make_object(make_object(object, "spec"), "template");
    make_object(pod, "metadata");
    set_pod_spec_defaults(make_object(pod, "spec"));
}

const std::vector<Default>& defaults_of(const ResourceKind& kind) {
    static const std::map<std::string, std::vector<Default>, std::less<>> all = {
        {"deployments.apps",
         {{"spec.replicas", 1},
          {"spec.strategy.type", "RollingUpdate"},
          {"spec.revisionHistoryLimit", 10},
          {"spec.progressDeadlineSeconds", 600}}},
        {"replicasets.apps", {{"spec.replicas", 1}}},
        {"replicationcontrollers", {{"spec.replicas", 1}}},
        {"statefulsets.apps",
         {{"spec.replicas", 1},
          {"spec.podManagementPolicy", "OrderedReady"},
          {"spec.updateStrategy.type", "RollingUpdate"},
          {"spec.revisionHistoryLimit", 10}}},
        {"daemonsets.apps",
         {{"spec.updateStrategy.type", "RollingUpdate"}, {"spec.revisionHistoryLimit", 10}}},
        {"jobs.batch",
         {{"spec.backoffLimit", 6},
          {"spec.completionMode", "NonIndexed"},
          {"spec.suspend", false}}},
        {"cronjobs.batch", {{"spec.suspend", false}, {"spec.concurrencyPolicy", "Allow"}}},
        {"services", {{"spec.type", "ClusterIP"}, {"spec.sessionAffinity", "None"}}},
        {"secrets", {{"type", "Opaque"}}},
        {"persistentvolumeclaims", {{"spec.volumeMode", "Filesystem"}}},
        {"storageclasses.storage.k8s.io",
         {{"reclaimPolicy", "Delete"}, {"volumeBindingMode", "Immediate"}}},
    };
    static const std::vector<Default> none;
    const auto found = all.find(kind.resource());
    return found == all.end() ? none : found->second;
}

/// 25 percent of surge and of unavailable pods, if the strategy is RollingUpdate.
void set_rolling_defaults(json::object& deployment) {
    if (text_at(deployment, "spec.strategy.type") != "RollingUpdate") return;
    set_default(deployment, "spec.strategy.rollingUpdate.maxUnavailable", "25%");
    set_default(deployment, "spec.strategy.rollingUpdate.maxSurge", "25%");
}

void set_job_counts(json::object& job) {
    const bool has_neither = find_value(job, "spec.completions") == nullptr &&
                             find_value(job, "spec.parallelism") == nullptr;
    if (has_neither) set_default(job, "spec.completions", 1);
    set_default(job, "spec.parallelism", 1);
}

}  // namespace

void set_initial_status(const ResourceKind& kind, json::object& object) {
    if (!kind.has_status) return;
    if (!kind.keeps_initial_status) object.erase("status");
    const std::string resource = kind.resource();
    if (resource == "namespaces") object["status"] = json::object{{"phase", "Active"}};
    if (resource == "persistentvolumeclaims" || resource == "persistentvolumes")
        set_default(object, "status.phase", "Pending");
    if (resource == "pods")
        object["status"] = json::object{
            {"phase", "Pending"}, {"qosClass", json_view(qos_class(make_object(object, "spec")))}};
    if (!kind.is_custom) make_object(object, "status");
}

void set_defaults(const ResourceKind& kind, json::object& object) {
    const std::string resource = kind.resource();
    for (const auto& [path, value] : defaults_of(kind)) set_default(object, path, value);
    if (resource == "pods") set_pod_defaults(object);
    if (resource == "deployments.apps") set_rolling_defaults(object);
    if (resource == "jobs.batch") set_job_counts(object);
    if (kind.group == "apps" && resource != "controllerrevisions.apps")
        set_template_defaults(object);
    if (resource == "jobs.batch" || resource == "replicationcontrollers")
        set_template_defaults(object);
}

}  // namespace capstan::simulator::api_server
