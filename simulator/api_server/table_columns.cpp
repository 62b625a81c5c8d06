#include "simulator/api_server/table_columns.hpp"

#include <algorithm>
#include <concepts>
#include <map>
#include <set>

#include <boost/json/serialize.hpp>

#include <capstan/ascii.hpp>
#include <capstan/time_text.hpp>
#include <capstan/well_known.hpp>

#include "simulator/api_server/label_query.hpp"
#include "simulator/api_server/tables.hpp"

namespace capstan::simulator::api_server {
namespace {

std::string list_or_none(const std::set<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : ",") + part;
    return out.empty() ? "<none>" : out;
}

std::string part_of_all(std::int64_t part, std::int64_t all) {
    return std::to_string(part) + "/" + std::to_string(all);
}

std::int64_t size_at(const json::object& object, std::string_view path) {
    return static_cast<std::int64_t>(list_at(object, path).size());
}

/// What `text_of` makes of each object in a list, separated by commas.
template <class TextOf>
std::string joined_at(const json::object& object, std::string_view path, TextOf text_of) {
    std::string out;
    for (const json::value& item : list_at(object, path))
        if (const json::object* element = item.if_object())
            out += (out.empty() ? "" : ",") + std::string(text_of(*element));
    return out;
}

}  // namespace

std::int64_t count_at(const json::object& object, std::string_view path) {
    return integer_at(object, path).value_or(0);
}

std::string labels_text(const json::object* labels) {
    std::set<std::string> parts;
    if (labels != nullptr)
        for (const auto& [key, value] : *labels)
            if (value.is_string())
                parts.insert(std::string(view(key)) + "=" + std::string(view(value.get_string())));
    return list_or_none(parts);
}

// Cells that are more than a member of the object.

namespace {

std::string node_roles(const json::object& node) {
    std::set<std::string> roles;
    if (const json::object* labels = find_object(node, "metadata.labels"))
        for (const auto& [key, value] : *labels) {
            if (view(key).starts_with(well_known::node_role_prefix) &&
                key.size() > well_known::node_role_prefix.size())
                roles.emplace(view(key).substr(well_known::node_role_prefix.size()));
            if (key == "kubernetes.io/role" && value.is_string())
                roles.emplace(view(value.get_string()));
        }
    return list_or_none(roles);
}

std::string node_status(const json::object& node) {
    const json::object* ready = find_condition(node, "Ready");
    const std::string out = ready == nullptr                     ? "Unknown"
                            : text_at(ready, "status") == "True" ? "Ready"
                                                                 : "NotReady";
    return is_true_at(node, "spec.unschedulable") ? out + ",SchedulingDisabled" : out;
}

std::string ready_replicas(const json::object& object) {
    return part_of_all(count_at(object, "status.readyReplicas"), count_at(object, "spec.replicas"));
}

/// The names or the images (`member`) of a pod template's containers.
std::string of_containers(const json::object& object, std::string_view member) {
    return joined_at(object, "spec.template.spec.containers",
                     [&](const json::object& container) { return text_at(container, member); });
}

std::string labels_at(const json::object& object, std::string_view path) {
    return labels_text(find_object(object, path));
}

std::string selector_text(const json::object& object) {
    const json::object* selector = find_object(object, "spec.selector");
    return selector == nullptr ? "<none>" : label_query_text(*selector);
}

std::string job_state(const json::object& job) {
    if (has_condition(job, "Complete")) return "Complete";
    if (has_condition(job, "Failed")) return "Failed";
    if (find_value(job, "metadata.deletionTimestamp") != nullptr) return "Terminating";
    return has_condition(job, "Suspended") ? "Suspended" : "Running";
}

std::string job_duration(const json::object& job, Time now) {
    const auto start = find_rfc3339(text_at(job, "status.startTime"));
    if (!start) return "";
    const auto end = find_rfc3339(text_at(job, "status.completionTime"));
    return human_duration(end.value_or(now) - *start);
}

std::string job_completions(const json::object& job) {
    const std::int64_t succeeded = count_at(job, "status.succeeded");
    if (const auto wanted = integer_at(job, "spec.completions"))
        return part_of_all(succeeded, *wanted);
    return part_of_all(succeeded, 1) + " of " + std::to_string(count_at(job, "spec.parallelism"));
}

/// "cpu: <unknown>/50%": the current value is unknown, because nothing is measured here.
std::string target_text(const json::object& metric) {
    const json::value* share = find_value(metric, "resource.target.averageUtilization");
    const std::string_view name = text_at(metric, "resource.name");
    return (name.empty() ? "" : std::string(name) + ": ") + "<unknown>/" +
           (share == nullptr ? "<auto>" : json::serialize(*share) + "%");
}

std::string port_text(const json::object& port) {
    const std::string_view protocol = text_at(port, "protocol");
    return std::to_string(count_at(port, "port")) + "/" +
           std::string(protocol.empty() ? "TCP" : protocol);
}

std::string host_text(const json::object& rule) {
    const std::string host(text_at(rule, "host"));
    return host.empty() ? "*" : host;
}

std::string access_modes(const json::object& volume) {
    std::string out;
    for (const json::value& mode : list_at(volume, "spec.accessModes"))
        if (mode.is_string())
            out += (out.empty() ? "" : ",") + std::string(view(mode.get_string()));
    return out;
}

std::string claim_of(const json::object& volume) {
    const std::string claim(text_at(volume, "spec.claimRef.name"));
    return claim.empty() ? ""
                         : std::string(text_at(volume, "spec.claimRef.namespace")) + "/" + claim;
}

/// A number or a percentage; "N/A" if there is neither.
json::value count_or_share(const json::object& object, std::string_view path) {
    const json::value* found = find_value(object, path);
    if (found == nullptr) return "N/A";
    return found->is_string() ? *found : json::value(json::serialize(*found));
}

std::string age_of(const json::object& object, Time now) {
    return age_text(text_at(object, "metadata.creationTimestamp"), now);
}

/// The time since the latest occurrence of an Event.
std::string last_seen(const json::object& event, Time now) {
    for (const std::string_view path : {"series.lastObservedTime", "lastTimestamp", "eventTime"})
        if (const std::string_view text = text_at(event, path); !text.empty())
            return age_text(text, now);
    return age_of(event, now);
}

std::string first_seen(const json::object& event, Time now) {
    const std::string_view first = text_at(event, "firstTimestamp");
    return first.empty() ? last_seen(event, now) : age_text(first, now);
}

std::string event_object(const json::object& event) {
    return lower_case(text_at(event, "involvedObject.kind")) + "/" +
           std::string(text_at(event, "involvedObject.name"));
}

std::string event_source(const json::object& event) {
    const std::string component(text_at(event, "source.component"));
    const std::string host(text_at(event, "source.host"));
    return host.empty() ? component : component + ", " + host;
}

/// The entries of a ConfigMap or a Secret.
std::int64_t entry_count(const json::object& object) {
    std::int64_t out = 0;
    for (const char* path : {"data", "binaryData"})
        if (const json::object* entries = find_object(object, path)) out += std::ssize(*entries);
    return out;
}

const char* suspend_text(const json::object& job) {
    return is_true_at(job, "spec.suspend") ? "True" : "False";
}

const char* ingress_ports(const json::object& ingress) {
    return list_at(ingress, "spec.tls").empty() ? "80" : "80, 443";
}

std::string namespace_state(const json::object& space) {
    if (find_value(space, "metadata.deletionTimestamp") != nullptr) return "Terminating";
    const std::string phase(text_at(space, "status.phase"));
    return phase.empty() ? "Active" : phase;
}

std::string scale_target(const json::object& autoscaler) {
    const json::object* target = find_object(autoscaler, "spec.scaleTargetRef");
    return std::string(text_at(target, "kind")) + "/" + std::string(text_at(target, "name"));
}

// The state of a pod in one word.

struct Containers {
    std::int64_t ready = 0, restarts = 0;
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

void add_container(const json::object& status, Containers& out) {
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
    const json::array& statuses = list_at(pod, "status.containerStatuses");
    for (auto item = statuses.rbegin(); item != statuses.rend(); ++item)
        if (const json::object* status = item->if_object()) add_container(*status, out);
    return out;
}

/// "Init:1/2"; empty: all init containers are done.
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

std::string pod_state(const json::object& pod) {
    const std::string_view reason = text_at(pod, "status.reason");
    if (find_value(pod, "metadata.deletionTimestamp") != nullptr)
        return reason == "NodeLost" ? "Unknown" : "Terminating";
    if (std::string init = init_state(pod); !init.empty()) return init;
    const Containers containers = containers_of(pod);
    if (containers.reason == "Completed" && containers.has_running) return "Running";
    if (!containers.reason.empty()) return containers.reason;
    if (text_at(find_condition(pod, "PodScheduled"), "reason") == "SchedulingGated")
        return "SchedulingGated";
    const std::string_view phase = text_at(pod, "status.phase");
    return std::string(!reason.empty() ? reason : phase.empty() ? "Unknown" : phase);
}

std::string ready_containers(const json::object& pod) {
    return part_of_all(containers_of(pod).ready, size_at(pod, "spec.containers"));
}

std::string restarts_text(const json::object& pod, Time now) {
    const Containers containers = containers_of(pod);
    std::string count = std::to_string(containers.restarts);
    if (containers.restarts == 0 || containers.last_restart.empty()) return count;
    return count + " (" + age_text(containers.last_restart, now) + " ago)";
}

std::string gates_text(const json::object& pod) {
    const json::array& gates = list_at(pod, "spec.readinessGates");
    if (gates.empty()) return "<none>";
    const auto held = std::ranges::count_if(gates, [&](const json::value& gate) {
        return has_condition(pod, text_at(gate, "conditionType"));
    });
    return part_of_all(held, std::ssize(gates));
}

// Columns.

/// The text at a JSON path; `otherwise` if there is none.
TableColumn column(const char* name, const char* path, const char* otherwise) {
    return {name, "string", [=](const json::object& object, Time) {
                const auto found = values_at(object, path);
                const json::string* text = found.empty() ? nullptr : found.front()->if_string();
                return text == nullptr || text->empty() ? json::value(otherwise) : *found.front();
            }};
}

TableColumn column(const char* name, const char* path, int otherwise) {
    return {name, "integer", [=](const json::object& object, Time) {
                return json::value(integer_at(object, path).value_or(otherwise));
            }};
}

/// What `make` returns for the object, and for the time if it takes one.
template <class Make>
TableColumn column(const char* name, Make make, const char* type = "string") {
    return {name, type, [=](const json::object& object, Time now) {
                if constexpr (std::invocable<Make, const json::object&>)
                    return json::value(make(object));
                else
                    return json::value(make(object, now));
            }};
}

/// What `make` returns for the object and `path`.
template <class Make>
TableColumn column_at(const char* name, const char* path, Make make, const char* type = "string") {
    return column(name, [=](const json::object& object) { return make(object, path); }, type);
}

/// What `text_of` makes of each object in a list; "<none>" if there are none.
template <class TextOf>
TableColumn list_column(const char* name, const char* path, TextOf text_of) {
    return column(name, [=](const json::object& object) {
        const std::string list = joined_at(object, path, text_of);
        return list.empty() ? "<none>" : list;
    });
}

/// A column that kubectl shows only with -o wide.
TableColumn wide(TableColumn out) {
    out.priority = 1;
    return out;
}

using Columns = std::vector<TableColumn>;

std::map<std::string, Columns, std::less<>> built_in_columns() {
    const TableColumn name = column("Name", "metadata.name", "");
    const TableColumn age = column("Age", age_of);
    const TableColumn containers = wide(column_at("Containers", "name", of_containers));
    const TableColumn images = wide(column_at("Images", "image", of_containers));
    const TableColumn selector = wide(column("Selector", selector_text));
    const TableColumn labels = wide(column_at("Selector", "spec.selector", labels_at));
    const TableColumn storage_class = column("StorageClass", "spec.storageClassName", "");
    const TableColumn modes = column("Access Modes", access_modes);
    const TableColumn desired = column("Desired", "spec.replicas", 0);
    const TableColumn current = column("Current", "status.replicas", 0);
    const TableColumn ready = column("Ready", "status.readyReplicas", 0);
    return {
        {"nodes",
         {name, column("Status", node_status), column("Roles", node_roles), age,
          column("Version", "status.nodeInfo.kubeletVersion", ""),
          wide(
              column("Internal-IP", "status.addresses[?(@.type=='InternalIP')].address", "<none>")),
          wide(
              column("External-IP", "status.addresses[?(@.type=='ExternalIP')].address", "<none>")),
          wide(column("OS-Image", "status.nodeInfo.osImage", "<unknown>")),
          wide(column("Kernel-Version", "status.nodeInfo.kernelVersion", "<unknown>")),
          wide(column("Container-Runtime", "status.nodeInfo.containerRuntimeVersion",
                      "<unknown>"))}},
        {"pods",
         {name, column("Ready", ready_containers), column("Status", pod_state),
          column("Restarts", restarts_text), age, wide(column("IP", "status.podIP", "<none>")),
          wide(column("Node", "spec.nodeName", "<none>")),
          wide(column("Nominated Node", "status.nominatedNodeName", "<none>")),
          wide(column("Readiness Gates", gates_text))}},
        {"deployments.apps",
         {name, column("Ready", ready_replicas), column("Up-to-date", "status.updatedReplicas", 0),
          column("Available", "status.availableReplicas", 0), age, containers, images, selector}},
        {"replicasets.apps", {name, desired, current, ready, age, containers, images, selector}},
        {"replicationcontrollers",
         {name, desired, current, ready, age, containers, images, labels}},
        {"statefulsets.apps", {name, column("Ready", ready_replicas), age, containers, images}},
        {"daemonsets.apps",
         {name, column("Desired", "status.desiredNumberScheduled", 0),
          column("Current", "status.currentNumberScheduled", 0),
          column("Ready", "status.numberReady", 0),
          column("Up-to-date", "status.updatedNumberScheduled", 0),
          column("Available", "status.numberAvailable", 0),
          column_at("Node Selector", "spec.template.spec.nodeSelector", labels_at), age, containers,
          images, selector}},
        {"jobs.batch",
         {name, column("Status", job_state), column("Completions", job_completions),
          column("Duration", job_duration), age, containers, images, selector}},
        {"poddisruptionbudgets.policy",
         {name, column_at("Min Available", "spec.minAvailable", count_or_share),
          column_at("Max Unavailable", "spec.maxUnavailable", count_or_share),
          column("Allowed Disruptions", "status.disruptionsAllowed", 0), age}},
        {"events",
         {column("Last Seen", last_seen), column("Type", "type", ""),
          column("Reason", "reason", ""), column("Object", event_object),
          wide(column("Subobject", "involvedObject.fieldPath", "")),
          wide(column("Source", event_source)), column("Message", "message", ""),
          wide(column("First Seen", first_seen)), wide(column("Count", "count", 1)), wide(name)}},
        {"configmaps", {name, column("Data", entry_count, "integer"), age}},
        {"secrets",
         {name, column("Type", "type", "Opaque"), column("Data", entry_count, "integer"), age}},
        {"namespaces", {name, column("Status", namespace_state), age}},
        {"leases.coordination.k8s.io", {name, column("Holder", "spec.holderIdentity", ""), age}},
        {"services",
         {name, column("Type", "spec.type", "ClusterIP"),
          column("Cluster-IP", "spec.clusterIP", "<none>"), column("External-IP", "", "<none>"),
          list_column("Port(s)", "spec.ports", port_text), age, labels}},
        {"customresourcedefinitions.apiextensions.k8s.io",
         {name, column("Created At", "metadata.creationTimestamp", "")}},
        {"priorityclasses.scheduling.k8s.io",
         {name, column("Value", "value", 0),
          column_at("Global-Default", "globalDefault", is_true_at, "boolean"), age,
          column("PreemptionPolicy", "preemptionPolicy", "PreemptLowerPriority")}},
        {"storageclasses.storage.k8s.io",
         {name, column("Provisioner", "provisioner", ""),
          column("ReclaimPolicy", "reclaimPolicy", "Delete"),
          column("VolumeBindingMode", "volumeBindingMode", "Immediate"),
          column_at("AllowVolumeExpansion", "allowVolumeExpansion", is_true_at, "boolean"), age}},
        {"persistentvolumeclaims",
         {name, column("Status", "status.phase", "Pending"),
          column("Volume", "spec.volumeName", ""),
          column("Capacity", "status.capacity.storage", ""), modes, storage_class, age}},
        {"persistentvolumes",
         {name, column("Capacity", "spec.capacity.storage", ""), modes,
          column("Reclaim Policy", "spec.persistentVolumeReclaimPolicy", "Retain"),
          column("Status", "status.phase", "Pending"), column("Claim", claim_of), storage_class,
          age}},
        {"horizontalpodautoscalers.autoscaling",
         {name, column("Reference", scale_target),
          list_column("Targets", "spec.metrics", target_text),
          column("MinPods", "spec.minReplicas", 1), column("MaxPods", "spec.maxReplicas", 0),
          column("Replicas", "status.currentReplicas", 0), age}},
        {"cronjobs.batch",
         {name, column("Schedule", "spec.schedule", ""),
          column("Timezone", "spec.timeZone", "<none>"), column("Suspend", suspend_text),
          column_at("Active", "status.active", size_at, "integer"),
          column("Last Schedule", "", "<none>"), age}},
        {"ingresses.networking.k8s.io",
         {name, column("Class", "spec.ingressClassName", "<none>"),
          list_column("Hosts", "spec.rules", host_text), column("Address", "", ""),
          column("Ports", ingress_ports), age}},
        {"networkpolicies.networking.k8s.io",
         {name, column_at("Pod-Selector", "spec.podSelector.matchLabels", labels_at), age}},
        {"scales.autoscaling", {name, desired, column("Available", "status.replicas", 0), age}},
        {"", {name, age}},
    };
}

TableColumn custom_column(const PrinterColumn& printed) {
    const auto cell = [printed](const json::object& object, Time now) -> json::value {
        const auto found = values_at(object, printed.json_path);
        if (found.empty() || found.front()->is_null()) return nullptr;
        const json::value& value = *found.front();
        if (printed.type == "date")
            return json::value(value.is_string() ? age_text(view(value.get_string()), now)
                                                 : "<unknown>");
        if (printed.type == "string" && !value.is_string())
            return json::value(json::serialize(value));
        return value;
    };
    return {printed.name, printed.type, cell, printed.priority};
}

}  // namespace

std::vector<TableColumn> columns_of(const ResourceKind& kind) {
    static const auto all = built_in_columns();
    const auto found = kind.is_custom ? all.end() : all.find(kind.resource());
    if (found != all.end()) return found->second;
    Columns out = all.at("");
    if (kind.columns.empty()) return out;
    out.pop_back();
    for (const PrinterColumn& printed : kind.columns) out.push_back(custom_column(printed));
    return out;
}

}  // namespace capstan::simulator::api_server
