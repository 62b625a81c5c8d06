#include "exchange_json.hpp"

#include <capstan/time_text.hpp>

namespace capstan::aws {
namespace {

using Members = std::vector<Json::Member>;

template <class Number>
Json number_or_null(const std::optional<Number>& value) {
    return value ? Json(*value) : Json();
}
Json time_or_null(const std::optional<Time>& value) {
    return value ? Json(format_rfc3339(*value)) : Json();
}

}  // namespace

Json json_of(const std::string& text) { return text; }

Json json_of(const Labels& labels) {
    Json out = Json::object();
    for (const auto& [key, value] : labels) out.set(key, value);
    return out;
}

Json json_of(const LaunchTemplateRef& ref) {
    return Json::object({{"id", ref.id}, {"name", ref.name}, {"version", ref.version}});
}

Json json_of(const InstanceRequirements& requirements) {
    return Json::object(
        {{"vcpu_min", number_or_null(requirements.vcpu_min)},
         {"vcpu_max", number_or_null(requirements.vcpu_max)},
         {"memory_mib_min", number_or_null(requirements.memory_mib_min)},
         {"memory_mib_max", number_or_null(requirements.memory_mib_max)},
         {"accelerator_count_min", number_or_null(requirements.accelerator_count_min)},
         {"accelerator_count_max", number_or_null(requirements.accelerator_count_max)},
         {"accelerator_manufacturers", json_of(requirements.accelerator_manufacturers)},
         {"accelerator_types", json_of(requirements.accelerator_types)},
         {"parameters", json_of(requirements.parameters)}});
}

Json json_of(const BlockDevice& device) {
    return Json::object({{"device_name", device.device_name},
                         {"size_gib", number_or_null(device.size_gib)},
                         {"volume_type", device.volume_type},
                         {"snapshot_id", device.snapshot_id}});
}

Json json_of(const LaunchTemplateData& data) {
    return Json::object({{"instance_type", data.instance_type},
                         {"image_id", data.image_id},
                         {"user_data", data.user_data},
                         {"requirements", json_of(data.requirements)},
                         {"block_devices", json_of(data.block_devices)},
                         {"spot", data.spot},
                         {"spot_max_price", data.spot_max_price},
                         {"efa_interfaces", data.efa_interfaces},
                         {"instance_tags", json_of(data.instance_tags)},
                         {"version", data.version}});
}

Json json_of(const TypeOverride& one) {
    return Json::object({{"instance_type", one.instance_type},
                         {"launch_template", json_of(one.launch_template)},
                         {"weighted_capacity", one.weighted_capacity},
                         {"requirements", json_of(one.requirements)}});
}

Json json_of(const MixedInstancesPolicy& policy) {
    return Json::object({{"launch_template", json_of(policy.launch_template)},
                         {"overrides", json_of(policy.overrides)},
                         {"on_demand_base", policy.on_demand_base},
                         {"on_demand_percentage", policy.on_demand_percentage},
                         {"spot_allocation_strategy", policy.spot_allocation_strategy},
                         {"spot_max_price", policy.spot_max_price}});
}

Json json_of(const AsgInstance& instance) {
    return Json::object({{"id", instance.id},
                         {"zone", instance.zone},
                         {"instance_type", instance.instance_type},
                         {"lifecycle_state", instance.lifecycle_state},
                         {"health_status", instance.health_status},
                         {"launch_template", json_of(instance.launch_template)},
                         {"launch_configuration", instance.launch_configuration},
                         {"weighted_capacity", instance.weighted_capacity},
                         {"is_protected", instance.is_protected}});
}

Json json_of(const AutoScalingGroup& group) {
    return Json::object({{"name", group.name},
                         {"arn", group.arn},
                         {"min", group.min},
                         {"max", group.max},
                         {"desired", group.desired},
                         {"zones", json_of(group.zones)},
                         {"subnets", json_of(group.subnets)},
                         {"launch_configuration", group.launch_configuration},
                         {"launch_template", json_of(group.launch_template)},
                         {"mixed", json_of(group.mixed)},
                         {"tags", json_of(group.tags)},
                         {"instances", json_of(group.instances)},
                         {"status", group.status},
                         {"suspended_processes", json_of(group.suspended_processes)},
                         {"desired_capacity_type", group.desired_capacity_type},
                         {"has_warm_pool", group.has_warm_pool},
                         {"created", time_or_null(group.created)},
                         {"protects_new_instances", group.protects_new_instances}});
}

Json json_of(const AutoScalingGroups& groups) {
    std::vector<std::string> unreadable;
    for (const Error& error : groups.unreadable) unreadable.push_back(error.subject);
    return Json::object({{"groups", json_of(groups.groups)}, {"unreadable", json_of(unreadable)}});
}

Json json_of(const ScalingActivity& activity) {
    return Json::object({{"id", activity.id},
                         {"description", activity.description},
                         {"cause", activity.cause},
                         {"started", time_or_null(activity.started)},
                         {"ended", time_or_null(activity.ended)},
                         {"status_code", activity.status_code},
                         {"status_message", activity.status_message}});
}

Json json_of(const Image& image) {
    return Json::object({{"id", image.id},
                         {"name", image.name},
                         {"description", image.description},
                         {"architecture", image.architecture},
                         {"virtualization_type", image.virtualization_type},
                         {"platform", image.platform},
                         {"root_device_name", image.root_device_name},
                         {"block_devices", json_of(image.block_devices)}});
}

Json json_of(const Accelerators& accelerators) {
    return Json::object({{"manufacturer", accelerators.manufacturer},
                         {"name", accelerators.name},
                         {"count", accelerators.count},
                         {"memory_mib", accelerators.memory_mib}});
}

Json json_of(const InstanceType& type) {
    return Json::object({{"name", type.name},
                         {"vcpus", type.vcpus},
                         {"memory_mib", type.memory_mib},
                         {"architectures", json_of(type.architectures)},
                         {"gpus", json_of(type.gpus)},
                         {"neuron_devices", json_of(type.neuron_devices)},
                         {"neuron_cores", type.neuron_cores},
                         {"instance_storage_gib", type.instance_storage_gib},
                         {"efa_interfaces", type.efa_interfaces},
                         {"network_interfaces", type.network_interfaces},
                         {"ipv4_per_interface", type.ipv4_per_interface},
                         {"has_prefix_delegation", type.has_prefix_delegation},
                         {"bare_metal", type.bare_metal},
                         {"usage_classes", json_of(type.usage_classes)}});
}

Json json_of(const Subnet& subnet) {
    return Json::object({{"id", subnet.id},
                         {"zone", subnet.zone},
                         {"zone_id", subnet.zone_id},
                         {"tags", json_of(subnet.tags)}});
}

Json json_of(const InstanceAddress& instance) {
    return Json::object({{"id", instance.id}, {"addresses", json_of(instance.addresses)}});
}

Json json_of(const EksTaint& taint) {
    return Json::object({{"key", taint.key}, {"value", taint.value}, {"effect", taint.effect}});
}

Json json_of(const EksNodegroup& group) {
    return Json::object({{"name", group.name},
                         {"cluster", group.cluster},
                         {"ami_type", group.ami_type},
                         {"capacity_type", group.capacity_type},
                         {"version", group.version},
                         {"disk_size_gib", number_or_null(group.disk_size_gib)},
                         {"labels", json_of(group.labels)},
                         {"tags", json_of(group.tags)},
                         {"taints", json_of(group.taints)}});
}

Json json_of(const CallerIdentity& identity) {
    return Json::object(
        {{"account", identity.account}, {"arn", identity.arn}, {"user_id", identity.user_id}});
}

Json json_of(const SimulatedRight& right) {
    return Json::object({{"action", right.action},
                         {"is_allowed", right.decision == SimulatedRight::Decision::allowed},
                         {"word", right.word},
                         {"missing_context", json_of(right.missing_context)}});
}

Json json_of(const Credentials& credentials) {
    return Json::object({{"access_key_id", credentials.access_key_id},
                         {"secret_access_key", credentials.secret_access_key},
                         {"session_token", credentials.session_token},
                         {"expires", time_or_null(credentials.expires)}});
}

Json json_of(const std::pair<std::string, std::string>& pair) {
    return Json::array({pair.first, pair.second});
}

Json json_of(const std::map<std::string, LaunchTemplateData>& by_name) {
    Json out = Json::object();
    for (const auto& [name, data] : by_name) out.set(name, json_of(data));
    return out;
}

}  // namespace capstan::aws
