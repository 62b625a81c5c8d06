#include "simulator/api_server/tables.hpp"

#include <map>

#include <boost/json/serialize.hpp>

#include <capstan/ascii.hpp>
#include <capstan/time_text.hpp>

#include "simulator/api_server/column_paths.hpp"
#include "simulator/api_server/table_cells.hpp"

namespace capstan::simulator::api_server {
namespace {

using namespace std::chrono;

std::string in_unit(std::int64_t count, const char* unit) { return std::to_string(count) + unit; }

/// "3h25m"; without the finer part if it is zero.
std::string two_parts(std::int64_t coarse, const char* unit, std::int64_t fine,
                      const char* fine_unit) {
    return in_unit(coarse, unit) + (fine == 0 ? "" : in_unit(fine, fine_unit));
}

json::value custom_cell(const json::object& object, const PrinterColumn& column, Time now) {
    const auto found = values_at(object, column.json_path);
    if (found.empty() || found.front()->is_null()) return nullptr;
    const json::value& value = *found.front();
    if (column.type == "date")
        return json::value(value.is_string() ? age_text(view(value.get_string()), now)
                                             : "<unknown>");
    if (column.type == "string" && !value.is_string()) return json::value(json::serialize(value));
    return value;
}

bool has_own_columns(const ResourceKind& kind) { return kind.is_custom && !kind.columns.empty(); }

std::vector<TableColumn> columns_of(const ResourceKind& kind) {
    if (const TableLayout* layout = find_layout(kind)) return layout->columns;
    std::vector<TableColumn> out = {{"Name"}};
    if (!has_own_columns(kind)) {
        out.push_back({"Age"});
        return out;
    }
    for (const PrinterColumn& column : kind.columns)
        out.push_back({column.name, column.type, column.priority});
    return out;
}

json::array row_cells(const ResourceKind& kind, const json::object& object, Time now) {
    if (const TableLayout* layout = find_layout(kind)) return layout->cells(object, now);
    json::array out = {json_view(name_of(object))};
    if (!has_own_columns(kind))
        out.emplace_back(age_text(text_at(object, "metadata.creationTimestamp"), now));
    else
        for (const PrinterColumn& column : kind.columns)
            out.push_back(custom_cell(object, column, now));
    return out;
}

json::array definitions(const std::vector<TableColumn>& columns) {
    json::array out;
    for (const TableColumn& column : columns)
        out.push_back(json::object{{"name", column.name},
                                   {"type", column.type},
                                   {"format", column.name == "Name" ? "name" : ""},
                                   {"description", ""},
                                   {"priority", column.priority}});
    return out;
}

}  // namespace

std::string human_duration(Duration age) {
    const std::int64_t s = duration_cast<seconds>(age).count();
    const std::int64_t m = s / 60, h = m / 60, d = h / 24;
    if (s < -1) return "<invalid>";
    if (s < 0) return "0s";
    if (s < 120) return in_unit(s, "s");
    if (m < 10) return two_parts(m, "m", s % 60, "s");
    if (m < 180) return in_unit(m, "m");
    if (h < 8) return two_parts(h, "h", m % 60, "m");
    if (h < 48) return in_unit(h, "h");
    if (h < 192) return two_parts(d, "d", h % 24, "h");
    if (d < 2 * 365) return in_unit(d, "d");
    if (d < 8 * 365) return two_parts(d / 365, "y", d % 365, "d");
    return in_unit(d / 365, "y");
}

std::string age_text(std::string_view timestamp, Time now) {
    const auto since = find_rfc3339(timestamp);
    return since ? human_duration(now - *since) : "<unknown>";
}

json::object metadata_of(const json::object& object, std::string_view meta_version) {
    const json::object* metadata = find_object(object, "metadata");
    return {{"kind", "PartialObjectMetadata"},
            {"apiVersion", "meta.k8s.io/" + std::string(meta_version)},
            {"metadata", metadata == nullptr ? json::object() : *metadata}};
}

json::object make_table(const ResourceKind& kind, const std::vector<ApiObject>& objects,
                        json::object list_metadata, std::string_view meta_version,
                        RowObject row_object, Time now) {
    json::array rows;
    for (const ApiObject& object : objects) {
        json::object row{{"cells", row_cells(kind, *object, now)}};
        if (row_object == RowObject::metadata) row["object"] = metadata_of(*object, meta_version);
        if (row_object == RowObject::object) row["object"] = *object;
        rows.push_back(std::move(row));
    }
    return {{"kind", "Table"},
            {"apiVersion", "meta.k8s.io/" + std::string(meta_version)},
            {"metadata", std::move(list_metadata)},
            {"columnDefinitions", definitions(columns_of(kind))},
            {"rows", std::move(rows)}};
}

// The columns of each kind, and the cells of kinds with simple ones.

namespace {

/// A number or a percentage; "N/A" if there is neither.
json::value count_or_share(const json::object& object, std::string_view path) {
    const json::value* found = find_value(object, path);
    if (found == nullptr) return "N/A";
    return found->is_string() ? *found : json::value(json::serialize(*found));
}

json::array budget_cells(const json::object& budget, Time now) {
    return {name_cell(budget), count_or_share(budget, "spec.minAvailable"),
            count_or_share(budget, "spec.maxUnavailable"),
            count_at(budget, "status.disruptionsAllowed"), age_cell(budget, now)};
}

/// The time of the latest occurrence of an Event.
std::string_view last_seen(const json::object& event) {
    for (const std::string_view path :
         {"series.lastObservedTime", "lastTimestamp", "eventTime", "metadata.creationTimestamp"})
        if (const std::string_view text = text_at(event, path); !text.empty()) return text;
    return {};
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

json::array event_cells(const json::object& event, Time now) {
    const std::string_view first = text_at(event, "firstTimestamp");
    return {age_text(last_seen(event), now),
            text_or(event, "type", ""),
            text_or(event, "reason", ""),
            event_object(event),
            text_or(event, "involvedObject.fieldPath", ""),
            event_source(event),
            text_or(event, "message", ""),
            age_text(first.empty() ? last_seen(event) : first, now),
            integer_at(event, "count").value_or(1),
            name_cell(event)};
}

std::int64_t member_count(const json::object& object, std::string_view path) {
    const json::object* members = find_object(object, path);
    return members == nullptr ? 0 : static_cast<std::int64_t>(members->size());
}

json::array config_map_cells(const json::object& map, Time now) {
    return {name_cell(map), member_count(map, "data") + member_count(map, "binaryData"),
            age_cell(map, now)};
}

json::array secret_cells(const json::object& secret, Time now) {
    return {name_cell(secret), text_or(secret, "type", "Opaque"), member_count(secret, "data"),
            age_cell(secret, now)};
}

json::array namespace_cells(const json::object& space, Time now) {
    const bool is_terminating = find_value(space, "metadata.deletionTimestamp") != nullptr;
    return {name_cell(space),
            is_terminating ? json::value("Terminating") : text_or(space, "status.phase", "Active"),
            age_cell(space, now)};
}

json::array lease_cells(const json::object& lease, Time now) {
    return {name_cell(lease), text_or(lease, "spec.holderIdentity", ""), age_cell(lease, now)};
}

std::string ports_text(const json::object& service) {
    std::string out;
    if (const json::array* ports = find_array(service, "spec.ports"))
        for (const json::value& item : *ports)
            if (const json::object* port = item.if_object()) {
                const std::string_view protocol = text_at(*port, "protocol");
                out += (out.empty() ? "" : ",") + std::to_string(count_at(*port, "port")) + "/" +
                       std::string(protocol.empty() ? "TCP" : protocol);
            }
    return out.empty() ? "<none>" : out;
}

json::array service_cells(const json::object& service, Time now) {
    return {name_cell(service),
            text_or(service, "spec.type", "ClusterIP"),
            text_or(service, "spec.clusterIP", "<none>"),
            "<none>",
            ports_text(service),
            age_cell(service, now),
            labels_text(find_object(service, "spec.selector"))};
}

json::array definition_cells(const json::object& definition, Time) {
    return {name_cell(definition), text_or(definition, "metadata.creationTimestamp", "")};
}

json::array priority_class_cells(const json::object& priority, Time now) {
    return {name_cell(priority), count_at(priority, "value"), is_true_at(priority, "globalDefault"),
            age_cell(priority, now), text_or(priority, "preemptionPolicy", "PreemptLowerPriority")};
}

json::array storage_class_cells(const json::object& storage, Time now) {
    return {name_cell(storage),
            text_or(storage, "provisioner", ""),
            text_or(storage, "reclaimPolicy", "Delete"),
            text_or(storage, "volumeBindingMode", "Immediate"),
            is_true_at(storage, "allowVolumeExpansion"),
            age_cell(storage, now)};
}

json::array claim_cells(const json::object& claim, Time now) {
    std::string modes;
    if (const json::array* list = find_array(claim, "spec.accessModes"))
        for (const json::value& mode : *list)
            if (mode.is_string())
                modes += (modes.empty() ? "" : ",") + std::string(view(mode.get_string()));
    return {name_cell(claim),
            text_or(claim, "status.phase", "Pending"),
            text_or(claim, "spec.volumeName", ""),
            text_or(claim, "status.capacity.storage", ""),
            modes,
            text_or(claim, "spec.storageClassName", ""),
            age_cell(claim, now)};
}

const std::map<std::string, TableLayout, std::less<>>& layouts() {
    const TableColumn name{"Name"}, age{"Age"};
    const TableColumn containers{"Containers", "string", 1}, images{"Images", "string", 1},
        selector{"Selector", "string", 1};
    const auto number = [](const char* text) { return TableColumn{text, "integer", 0}; };
    const auto wide = [](const char* text) { return TableColumn{text, "string", 1}; };
    const std::vector<TableColumn> replicas = {
        name,   number("Desired"), number("Current"), number("Ready"), age, containers,
        images, selector};
    static const std::map<std::string, TableLayout, std::less<>> out = {
        {"nodes",
         {{name,
           {"Status"},
           {"Roles"},
           age,
           {"Version"},
           wide("Internal-IP"),
           wide("External-IP"),
           wide("OS-Image"),
           wide("Kernel-Version"),
           wide("Container-Runtime")},
          node_cells}},
        {"pods",
         {{name,
           {"Ready"},
           {"Status"},
           {"Restarts"},
           age,
           wide("IP"),
           wide("Node"),
           wide("Nominated Node"),
           wide("Readiness Gates")},
          pod_cells}},
        {"deployments.apps",
         {{name,
           {"Ready"},
           number("Up-to-date"),
           number("Available"),
           age,
           containers,
           images,
           selector},
          deployment_cells}},
        {"replicasets.apps", {replicas, replica_set_cells}},
        {"replicationcontrollers", {replicas, replica_set_cells}},
        {"statefulsets.apps", {{name, {"Ready"}, age, containers, images}, stateful_set_cells}},
        {"daemonsets.apps",
         {{name,
           number("Desired"),
           number("Current"),
           number("Ready"),
           number("Up-to-date"),
           number("Available"),
           {"Node Selector"},
           age,
           containers,
           images,
           selector},
          daemon_set_cells}},
        {"jobs.batch",
         {{name, {"Status"}, {"Completions"}, {"Duration"}, age, containers, images, selector},
          job_cells}},
        {"poddisruptionbudgets.policy",
         {{name, {"Min Available"}, {"Max Unavailable"}, number("Allowed Disruptions"), age},
          budget_cells}},
        {"events",
         {{{"Last Seen"},
           {"Type"},
           {"Reason"},
           {"Object"},
           wide("Subobject"),
           wide("Source"),
           {"Message"},
           wide("First Seen"),
           {"Count", "integer", 1},
           {"Name", "string", 1}},
          event_cells}},
        {"configmaps", {{name, number("Data"), age}, config_map_cells}},
        {"secrets", {{name, {"Type"}, number("Data"), age}, secret_cells}},
        {"namespaces", {{name, {"Status"}, age}, namespace_cells}},
        {"leases.coordination.k8s.io", {{name, {"Holder"}, age}, lease_cells}},
        {"services",
         {{name, {"Type"}, {"Cluster-IP"}, {"External-IP"}, {"Port(s)"}, age, selector},
          service_cells}},
        {"customresourcedefinitions.apiextensions.k8s.io",
         {{name, {"Created At"}}, definition_cells}},
        {"priorityclasses.scheduling.k8s.io",
         {{name, number("Value"), {"Global-Default", "boolean"}, age, {"PreemptionPolicy"}},
          priority_class_cells}},
        {"storageclasses.storage.k8s.io",
         {{name,
           {"Provisioner"},
           {"ReclaimPolicy"},
           {"VolumeBindingMode"},
           {"AllowVolumeExpansion", "boolean"},
           age},
          storage_class_cells}},
        {"persistentvolumeclaims",
         {{name, {"Status"}, {"Volume"}, {"Capacity"}, {"Access Modes"}, {"StorageClass"}, age},
          claim_cells}},
        {"persistentvolumes",
         {{name,
           {"Capacity"},
           {"Access Modes"},
           {"Reclaim Policy"},
           {"Status"},
           {"Claim"},
           {"StorageClass"},
           age},
          volume_cells}},
        {"horizontalpodautoscalers.autoscaling",
         {{name,
           {"Reference"},
           {"Targets"},
           number("MinPods"),
           number("MaxPods"),
           number("Replicas"),
           age},
          autoscaler_cells}},
        {"cronjobs.batch",
         {{name, {"Schedule"}, {"Timezone"}, {"Suspend"}, number("Active"), {"Last Schedule"}, age},
          cron_job_cells}},
        {"ingresses.networking.k8s.io",
         {{name, {"Class"}, {"Hosts"}, {"Address"}, {"Ports"}, age}, ingress_cells}},
        {"networkpolicies.networking.k8s.io",
         {{name, {"Pod-Selector"}, age}, network_policy_cells}},
        {"scales.autoscaling", {{name, number("Desired"), number("Available"), age}, scale_cells}},
    };
    return out;
}

}  // namespace

const TableLayout* find_layout(const ResourceKind& kind) {
    const auto& all = layouts();
    const auto found = all.find(kind.resource());
    return kind.is_custom || found == all.end() ? nullptr : &found->second;
}

}  // namespace capstan::simulator::api_server
