/// Rows of kinds that are kept and that no controller here acts upon.
#include <boost/json/serialize.hpp>

#include "simulation/api_server/table_cells.hpp"

namespace capstan::simulation {
namespace {

void append(std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ",") + item;
}

std::string none_if_empty(std::string text) { return text.empty() ? "<none>" : std::move(text); }

/// "cpu: <unknown>/50%": nobody measures anything here.
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

}  // namespace capstan::simulation
