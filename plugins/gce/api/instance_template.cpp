#include "instance_template.hpp"

#include <chrono>
#include <utility>

#include "json_fields.hpp"
#include "request_id.hpp"

namespace capstan::gce {
namespace {

TemplateDisk disk_of(const Json& json) {
    TemplateDisk out;
    out.is_boot = truth_field(json, "boot");
    out.type = text_field(json, "type");
    out.interface = text_field(json, "interface");
    const Json& parameters = object_field(json, "initializeParams");
    out.disk_type = std::string(last_part(text_field(parameters, "diskType")));
    out.image = text_field(parameters, "sourceImage");
    out.size_gb = find_number_field(parameters, "diskSizeGb");
    if (!out.size_gb) out.size_gb = find_number_field(json, "diskSizeGb");
    return out;
}

TemplateAccelerator template_accelerator_of(const Json& json) {
    return {std::string(last_part(text_field(json, "acceleratorType"))),
            count_field(json, "acceleratorCount")};
}

/// If several items have one key, the last counts.
Labels metadata_of(const Json& properties) {
    Labels out;
    for (const Json& item : list_field(object_field(properties, "metadata"), "items"))
        out.insert_or_assign(text_field(item, "key"), text_field(item, "value"));
    return out;
}

void read_scheduling(const Json& scheduling, InstanceTemplate& out) {
    out.is_spot = truth_field(scheduling, "preemptible") ||
                  text_field(scheduling, "provisioningModel") == "SPOT";
    out.termination_action = text_field(scheduling, "instanceTerminationAction");
    const auto seconds = find_number_field(object_field(scheduling, "maxRunDuration"), "seconds");
    constexpr std::int64_t longest = std::int64_t{3600} * 24 * 365;
    if (seconds && *seconds > 0 && *seconds <= longest)
        out.max_run_duration = std::chrono::seconds(*seconds);
}

void read_identity(const Json& properties, InstanceTemplate& out) {
    for (const Json& account : list_field(properties, "serviceAccounts")) {
        if (!out.service_account.empty()) break;
        out.service_account = text_field(account, "email");
        out.scopes = texts_field(account, "scopes");
    }
    for (const Json& interface : list_field(properties, "networkInterfaces"))
        if (std::string subnetwork = text_field(interface, "subnetwork"); !subnetwork.empty())
            out.subnetworks.push_back(std::move(subnetwork));
}

InstanceTemplate instance_template_of(const Json& json) {
    InstanceTemplate out;
    auto link = find_link_field(json, "selfLink");
    if (!link) throw Failure(ErrorCode::unavailable, "selfLink is missing");
    out.link = *std::move(link);
    out.id = text_field(json, "id");
    const Json& properties = object_field(json, "properties");
    out.machine_type = std::string(last_part(text_field(properties, "machineType")));
    for (const Json& disk : list_field(properties, "disks")) out.disks.push_back(disk_of(disk));
    for (const Json& accelerator : list_field(properties, "guestAccelerators"))
        out.accelerators.push_back(template_accelerator_of(accelerator));
    out.metadata = metadata_of(properties);
    out.labels = labels_field(properties, "labels");
    out.min_cpu_platform = text_field(properties, "minCpuPlatform");
    read_scheduling(object_field(properties, "scheduling"), out);
    out.reservation_affinity =
        text_field(object_field(properties, "reservationAffinity"), "consumeReservationType");
    read_identity(properties, out);
    out.threads_per_core =
        count_field(object_field(properties, "advancedMachineFeatures"), "threadsPerCore");
    out.properties = properties;
    return out;
}

/// The method's id: "compute.regionInstanceTemplates.get" for a regional template.
std::string template_method_of(const ResourceLink& link, const char* verb) {
    const bool is_regional = link.place.scope == Scope::region;
    return std::string(is_regional ? "compute.regionInstanceTemplates."
                                   : "compute.instanceTemplates.") +
           verb;
}

Task<Operation> change_template(GceClient& client, GceRequest request) {
    const std::string action = request.action;
    request.repeatable = Repeatable::yes;
    const Json answer = co_await client.call(std::move(request));
    Result<Operation> out = read_operation(answer);
    if (!out) co_return fail(within(action, std::move(out).error()));
    co_return *std::move(out);
}

}  // namespace

Result<InstanceTemplate> read_instance_template(const Json& json) {
    try {
        return instance_template_of(json);
    } catch (const Failure& failure) {
        return fail(failure.error());
    }
}

Task<InstanceTemplate> InstanceTemplatesApi::get(ResourceLink link) {
    const std::string action = template_method_of(link, "get");
    GceRequest request(action, "GET", link.path());
    const Json answer = co_await client_.call(std::move(request));
    Result<InstanceTemplate> out = read_instance_template(answer);
    if (!out) co_return fail(within(action, std::move(out).error()));
    co_return *std::move(out);
}

Task<Operation> InstanceTemplatesApi::insert(const ResourceLink& link, Json properties,
                                             std::string description) {
    ResourceLink collection = link;
    collection.name.clear();
    GceRequest request(template_method_of(link, "insert"), "POST", collection.path());
    request.query.emplace_back("requestId", make_request_id(host_));
    std::vector<Json::Member> body{{"name", Json(link.name)}};
    if (!description.empty()) body.emplace_back("description", Json(std::move(description)));
    body.emplace_back("properties", std::move(properties));
    request.body = Json::object(std::move(body));
    return change_template(client_, std::move(request));
}

Task<Operation> InstanceTemplatesApi::remove(const ResourceLink& link) {
    GceRequest request(template_method_of(link, "delete"), "DELETE", link.path());
    request.query.emplace_back("requestId", make_request_id(host_));
    return change_template(client_, std::move(request));
}

}  // namespace capstan::gce
