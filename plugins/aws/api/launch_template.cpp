#include "launch_template.hpp"

#include <string_view>

#include <capstan/result.hpp>
#include <capstan/sentence.hpp>
#include <capstan/whole_number.hpp>

#include "fields.hpp"
#include "flatten.hpp"
#include "launch_template_xml.hpp"

namespace capstan::aws {
namespace {

std::optional<std::int64_t> find_bound(const XmlElement& element, const Ec2Parameters& parameters,
                                       std::string_view name) {
    const std::string* const text = find_parameter(parameters, name);
    if (text == nullptr) return std::nullopt;
    const std::optional<std::int64_t> value = find_whole_number(*text);
    if (!value)
        throw Failure(ErrorCode::unavailable, element.path() + ": " + std::string(name) + " is " +
                                                  in_quotes(*text) + ", not an integer");
    return value;
}

/// The names of the members of a block device mapping in a protocol.
struct DeviceSpelling {
    std::string_view device, ebs, size, type, snapshot;
};
constexpr DeviceSpelling ec2_device{"deviceName", "ebs", "volumeSize", "volumeType", "snapshotId"};
constexpr DeviceSpelling query_device{"DeviceName", "Ebs", "VolumeSize", "VolumeType",
                                      "SnapshotId"};

std::vector<BlockDevice> devices_of(const XmlElement& element, std::string_view list,
                                    const DeviceSpelling& spelling) {
    std::vector<BlockDevice> out;
    for (const XmlElement& item : element.items(list)) {
        const XmlElement ebs = item.child(spelling.ebs);
        if (!ebs) continue;
        out.push_back({.device_name = item.text(spelling.device),
                       .size_gib = ebs.integer(spelling.size),
                       .volume_type = ebs.text(spelling.type),
                       .snapshot_id = ebs.text(spelling.snapshot)});
    }
    return out;
}

int efa_interfaces_of(const XmlElement& data) {
    int out = 0;
    for (const XmlElement& item : data.items("networkInterfaceSet")) {
        const std::string type = item.text("interfaceType");
        if (type == "efa" || type == "efa-only") ++out;
    }
    return out;
}

Labels instance_tags_of(const XmlElement& data) {
    Labels out;
    for (const XmlElement& item : data.items("tagSpecificationSet")) {
        if (item.text("resourceType") == "instance") out.merge(read_tags(item, "tagSet", ec2_tags));
    }
    return out;
}

}  // namespace

std::string LaunchTemplateRef::text() const {
    return (name.empty() ? id : name) + ", version " + (version.empty() ? "$Default" : version);
}

std::optional<LaunchTemplateRef> find_reference(const XmlElement& element) {
    LaunchTemplateRef out{.id = element.text("LaunchTemplateId"),
                          .name = element.text("LaunchTemplateName"),
                          .version = element.text("Version")};
    if (out.id.empty() && out.name.empty()) return std::nullopt;
    return out;
}

std::optional<InstanceRequirements> find_requirements(const XmlElement& element) {
    if (!element) return std::nullopt;
    InstanceRequirements out{.parameters = flatten(element)};
    if (out.parameters.empty()) return std::nullopt;
    const auto bound = [&](std::string_view name) {
        return find_bound(element, out.parameters, name);
    };
    out.vcpu_min = bound("VCpuCount.Min");
    out.vcpu_max = bound("VCpuCount.Max");
    out.memory_mib_min = bound("MemoryMiB.Min");
    out.memory_mib_max = bound("MemoryMiB.Max");
    out.accelerator_count_min = bound("AcceleratorCount.Min");
    out.accelerator_count_max = bound("AcceleratorCount.Max");
    out.accelerator_manufacturers = list_of_parameters(out.parameters, "AcceleratorManufacturer");
    out.accelerator_types = list_of_parameters(out.parameters, "AcceleratorType");
    return out;
}

std::vector<BlockDevice> read_block_devices(const XmlElement& element, std::string_view list) {
    return devices_of(element, list, ec2_device);
}

LaunchTemplateData read_launch_template_version(const XmlElement& item) {
    const XmlElement data = item.child("launchTemplateData");
    const XmlElement market = data.child("instanceMarketOptions");
    LaunchTemplateData out{.instance_type = data.text("instanceType"),
                           .image_id = data.text("imageId"),
                           .user_data = data.text("userData"),
                           .requirements = find_requirements(data.child("instanceRequirements")),
                           .block_devices = devices_of(data, "blockDeviceMappingSet", ec2_device),
                           .spot = market.text("marketType") == "spot",
                           .spot_max_price = market.child("spotOptions").text("maxPrice")};
    out.efa_interfaces = efa_interfaces_of(data);
    out.instance_tags = instance_tags_of(data);
    out.version = item.text("versionNumber");
    return out;
}

LaunchTemplateData read_launch_configuration(const XmlElement& member) {
    LaunchTemplateData out{
        .instance_type = member.text("InstanceType"),
        .image_id = member.text("ImageId"),
        .user_data = member.text("UserData"),
        .block_devices = devices_of(member, "BlockDeviceMappings", query_device)};
    out.spot_max_price = member.text("SpotPrice");
    out.spot = !out.spot_max_price.empty();
    return out;
}

}  // namespace capstan::aws
