#include "simulation/api_server/table_cells.hpp"

#include <set>

#include "simulation/api_server/label_query.hpp"

namespace capstan::simulation {
namespace {

constexpr std::string_view role_prefix = "node-role.kubernetes.io/";

std::string list_or_none(const std::set<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : ",") + part;
    return out.empty() ? "<none>" : out;
}

std::string node_roles(const json::object& node) {
    std::set<std::string> roles;
    if (const json::object* labels = find_object(node, "metadata.labels"))
        for (const auto& [key, value] : *labels) {
            if (view(key).starts_with(role_prefix) && key.size() > role_prefix.size())
                roles.emplace(view(key).substr(role_prefix.size()));
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

/// Images or names of a pod template's containers.
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
    const auto start = parse_timestamp_text(text_at(job, "status.startTime"));
    if (!start) return "";
    const auto end = parse_timestamp_text(text_at(job, "status.completionTime"));
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
    return json::value(json_view(text_at(object, "metadata.name")));
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

}  // namespace capstan::simulation
