#include "simulator/api_server/table_cells.hpp"

#include <algorithm>
#include <set>

#include <boost/json/serialize.hpp>

#include <capstan/time_text.hpp>
#include <capstan/well_known.hpp>

#include "simulator/api_server/label_query.hpp"

namespace capstan::simulator::api_server {
namespace {

std::string list_or_none(const std::set<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : ",") + part;
    return out.empty() ? "<none>" : out;
}

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
    std::string out = "Unknown";
    if (const json::array* conditions = find_array(node, "status.conditions"))
        for (const json::value& item : *conditions) {
            const json::object* condition = item.if_object();
            if (condition == nullptr || text_at(*condition, "type") != "Ready") continue;
            out = text_at(*condition, "status") == "True" ? "Ready" : "NotReady";
        }
    return is_true_at(node, "spec.unschedulable") ? out + ",SchedulingDisabled" : out;
}

json::value address_cell(const json::object& node, std::string_view type) {
    if (const json::array* addresses = find_array(node, "status.addresses"))
        for (const json::value& item : *addresses)
            if (const json::object* address = item.if_object();
                address != nullptr && text_at(*address, "type") == type)
                return text_or(*address, "address", "<none>");
    return "<none>";
}

/// The images or the names (`member`) of a pod template's containers.
std::string of_containers(const json::object& object, std::string_view member) {
    std::string out;
    if (const json::array* containers = find_array(object, "spec.template.spec.containers"))
        for (const json::value& item : *containers)
            if (const json::object* container = item.if_object())
                out += (out.empty() ? "" : ",") + std::string(text_at(*container, member));
    return out;
}

std::string selector_cell(const json::object& object) {
    const json::object* selector = find_object(object, "spec.selector");
    return selector == nullptr ? "<none>" : label_query_text(*selector);
}

std::string part_of_all(std::int64_t part, std::int64_t all) {
    return std::to_string(part) + "/" + std::to_string(all);
}

void add_containers(json::array& cells, const json::object& object) {
    cells.emplace_back(of_containers(object, "name"));
    cells.emplace_back(of_containers(object, "image"));
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

}  // namespace

json::value text_or(const json::object& object, std::string_view path, std::string_view otherwise) {
    const std::string_view text = text_at(object, path);
    return json::value(json_view(text.empty() ? otherwise : text));
}

std::int64_t count_at(const json::object& object, std::string_view path) {
    return integer_at(object, path).value_or(0);
}

json::value name_cell(const json::object& object) {
    return json::value(json_view(name_of(object)));
}

json::value age_cell(const json::object& object, Time now) {
    return json::value(age_text(text_at(object, "metadata.creationTimestamp"), now));
}

std::string labels_text(const json::object* labels) {
    std::set<std::string> parts;
    if (labels != nullptr)
        for (const auto& [key, value] : *labels)
            if (value.is_string())
                parts.insert(std::string(view(key)) + "=" + std::string(view(value.get_string())));
    return list_or_none(parts);
}

json::array node_cells(const json::object& node, Time now) {
    return {name_cell(node),
            node_status(node),
            node_roles(node),
            age_cell(node, now),
            text_or(node, "status.nodeInfo.kubeletVersion", ""),
            address_cell(node, "InternalIP"),
            address_cell(node, "ExternalIP"),
            text_or(node, "status.nodeInfo.osImage", "<unknown>"),
            text_or(node, "status.nodeInfo.kernelVersion", "<unknown>"),
            text_or(node, "status.nodeInfo.containerRuntimeVersion", "<unknown>")};
}

json::array deployment_cells(const json::object& deployment, Time now) {
    json::array out = {name_cell(deployment),
                       part_of_all(count_at(deployment, "status.readyReplicas"),
                                   count_at(deployment, "spec.replicas")),
                       count_at(deployment, "status.updatedReplicas"),
                       count_at(deployment, "status.availableReplicas"), age_cell(deployment, now)};
    add_containers(out, deployment);
    out.emplace_back(selector_cell(deployment));
    return out;
}

json::array replica_set_cells(const json::object& set, Time now) {
    json::array out = {name_cell(set), count_at(set, "spec.replicas"),
                       count_at(set, "status.replicas"), count_at(set, "status.readyReplicas"),
                       age_cell(set, now)};
    add_containers(out, set);
    const json::object* selector = find_object(set, "spec.selector");
    const bool is_plain = text_at(set, "kind") == "ReplicationController";
    out.emplace_back(is_plain ? labels_text(selector) : selector_cell(set));
    return out;
}

json::array stateful_set_cells(const json::object& set, Time now) {
    json::array out = {
        name_cell(set),
        part_of_all(count_at(set, "status.readyReplicas"), count_at(set, "spec.replicas")),
        age_cell(set, now)};
    add_containers(out, set);
    return out;
}

json::array daemon_set_cells(const json::object& set, Time now) {
    json::array out = {name_cell(set),
                       count_at(set, "status.desiredNumberScheduled"),
                       count_at(set, "status.currentNumberScheduled"),
                       count_at(set, "status.numberReady"),
                       count_at(set, "status.updatedNumberScheduled"),
                       count_at(set, "status.numberAvailable"),
                       labels_text(find_object(set, "spec.template.spec.nodeSelector")),
                       age_cell(set, now)};
    add_containers(out, set);
    out.emplace_back(selector_cell(set));
    return out;
}

json::array job_cells(const json::object& job, Time now) {
    const auto wanted = integer_at(job, "spec.completions");
    const std::string completions = wanted ? part_of_all(count_at(job, "status.succeeded"), *wanted)
                                           : part_of_all(count_at(job, "status.succeeded"), 1) +
                                                 " of " +
                                                 std::to_string(count_at(job, "spec.parallelism"));
    json::array out = {name_cell(job), job_state(job), completions, job_duration(job, now),
                       age_cell(job, now)};
    add_containers(out, job);
    out.emplace_back(selector_cell(job));
    return out;
}

// Kinds that are stored and that no controller here acts on.

namespace {

void append(std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ",") + item;
}

std::string none_if_empty(std::string text) { return text.empty() ? "<none>" : std::move(text); }

/// "cpu: <unknown>/50%": the current value is unknown, because nothing is measured here.
std::string targets_text(const json::object& autoscaler) {
    std::string out;
    for (const json::value& item : list_at(autoscaler, "spec.metrics")) {
        const json::object* metric = item.if_object();
        if (metric == nullptr) continue;
        const json::value* share = find_value(*metric, "resource.target.averageUtilization");
        const std::string_view name = text_at(*metric, "resource.name");
        append(out, (name.empty() ? "" : std::string(name) + ": ") + "<unknown>/" +
                        (share == nullptr ? "<auto>" : json::serialize(*share) + "%"));
    }
    return none_if_empty(out);
}

}  // namespace

json::array autoscaler_cells(const json::object& autoscaler, Time now) {
    return {name_cell(autoscaler),
            std::string(text_at(autoscaler, "spec.scaleTargetRef.kind")) + "/" +
                std::string(text_at(autoscaler, "spec.scaleTargetRef.name")),
            targets_text(autoscaler),
            integer_at(autoscaler, "spec.minReplicas").value_or(1),
            count_at(autoscaler, "spec.maxReplicas"),
            count_at(autoscaler, "status.currentReplicas"),
            age_cell(autoscaler, now)};
}

json::array cron_job_cells(const json::object& job, Time now) {
    return {name_cell(job),
            text_or(job, "spec.schedule", ""),
            text_or(job, "spec.timeZone", "<none>"),
            is_true_at(job, "spec.suspend") ? "True" : "False",
            static_cast<std::int64_t>(list_at(job, "status.active").size()),
            "<none>",
            age_cell(job, now)};
}

json::array ingress_cells(const json::object& ingress, Time now) {
    std::string hosts;
    for (const json::value& item : list_at(ingress, "spec.rules"))
        if (const json::object* rule = item.if_object()) {
            const std::string_view host = text_at(*rule, "host");
            append(hosts, host.empty() ? "*" : std::string(host));
        }
    const bool is_secure = !list_at(ingress, "spec.tls").empty();
    return {name_cell(ingress),           text_or(ingress, "spec.ingressClassName", "<none>"),
            none_if_empty(hosts),         "",
            is_secure ? "80, 443" : "80", age_cell(ingress, now)};
}

json::array network_policy_cells(const json::object& policy, Time now) {
    return {name_cell(policy), labels_text(find_object(policy, "spec.podSelector.matchLabels")),
            age_cell(policy, now)};
}

json::array volume_cells(const json::object& volume, Time now) {
    std::string modes;
    for (const json::value& mode : list_at(volume, "spec.accessModes"))
        if (mode.is_string()) append(modes, std::string(view(mode.get_string())));
    const std::string_view claim = text_at(volume, "spec.claimRef.name");
    return {name_cell(volume),
            text_or(volume, "spec.capacity.storage", ""),
            modes,
            text_or(volume, "spec.persistentVolumeReclaimPolicy", "Retain"),
            text_or(volume, "status.phase", "Pending"),
            claim.empty() ? ""
                          : std::string(text_at(volume, "spec.claimRef.namespace")) + "/" +
                                std::string(claim),
            text_or(volume, "spec.storageClassName", ""),
            age_cell(volume, now)};
}

json::array scale_cells(const json::object& scale, Time now) {
    return {name_cell(scale), count_at(scale, "spec.replicas"), count_at(scale, "status.replicas"),
            age_cell(scale, now)};
}

// The row of a pod, with its state in one word.

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
    out.total = static_cast<std::int64_t>(list_at(pod, "spec.containers").size());
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

}  // namespace capstan::simulator::api_server
