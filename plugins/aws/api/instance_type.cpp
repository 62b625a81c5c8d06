#include "instance_type.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include <capstan/result.hpp>

#include "fields.hpp"
#include "instance_type_xml.hpp"

namespace capstan::aws {
namespace {

/// EC2 gives the size of disks in units of 10^9 bytes.
std::int64_t gib_of_gb(std::int64_t gb) {
    constexpr std::int64_t longest = 1'000'000'000;
    return static_cast<std::int64_t>(static_cast<double>(std::clamp<std::int64_t>(gb, 0, longest)) *
                                     1e9 / (1 << 30));
}

/// An absent or negative number is 0.
int count_of(const XmlElement& element, std::string_view name) {
    return std::max(find_int(element, name).value_or(0), 0);
}

Accelerators ec2_devices_of(const XmlElement& item, std::string_view manufacturer) {
    Accelerators out{.manufacturer = item.text("manufacturer"), .name = item.text("name")};
    if (out.manufacturer.empty()) out.manufacturer = manufacturer;
    out.count = count_of(item, "count");
    out.memory_mib = item.child("memoryInfo").integer("sizeInMiB").value_or(0);
    return out;
}

/// A type with a fraction of a GPU has a count of 0; its device plugin offers the fraction as one
/// GPU.
Accelerators gpu_of(const XmlElement& item) {
    Accelerators out = ec2_devices_of(item, "");
    if (out.count == 0) out.count = count_of(item, "logicalGpuCount");
    return out;
}

void read_neuron_devices(const XmlElement& item, InstanceType& out) {
    std::int64_t cores = 0;
    for (const XmlElement& device : item.child("neuronInfo").items("neuronDevices")) {
        out.neuron_devices.push_back(ec2_devices_of(device, "AWS"));
        cores += std::int64_t{out.neuron_devices.back().count} *
                 count_of(device.child("coreInfo"), "count");
        cores = std::min<std::int64_t>(cores, std::numeric_limits<int>::max());
    }
    out.neuron_cores = static_cast<int>(cores);
    if (!out.neuron_devices.empty()) return;
    // EC2's older member for Inferentia, from before neuronInfo. Other manufacturers are no Neuron.
    for (const XmlElement& device : item.child("inferenceAcceleratorInfo").items("accelerators")) {
        Accelerators found = ec2_devices_of(device, "");
        if (found.manufacturer == "AWS") out.neuron_devices.push_back(std::move(found));
    }
}

int interfaces_of_default_card(const XmlElement& network) {
    const int card = count_of(network, "defaultNetworkCardIndex");
    for (const XmlElement& item : network.items("networkCards")) {
        if (count_of(item, "networkCardIndex") != card) continue;
        if (const auto most = find_int(item, "maximumNetworkInterfaces")) return *most;
    }
    return count_of(network, "maximumNetworkInterfaces");
}

int efa_interfaces_of_type(const XmlElement& network) {
    const bool is_supported = network.boolean("efaSupported").value_or(false);
    const auto most = find_int(network.child("efaInfo"), "maximumEfaInterfaces");
    return is_supported ? most.value_or(1) : 0;
}

InstanceType type_of(const XmlElement& item) {
    InstanceType out{.name = item.required_text("instanceType")};
    out.vcpus = item.child("vCpuInfo").required_integer("defaultVCpus");
    out.memory_mib = item.child("memoryInfo").required_integer("sizeInMiB");
    if (out.vcpus <= 0 || out.memory_mib <= 0)
        throw Failure(ErrorCode::unavailable, item.path() + " has no processor or no memory");
    out.architectures = read_texts(item.child("processorInfo"), "supportedArchitectures");
    for (const XmlElement& gpu : item.child("gpuInfo").items("gpus"))
        out.gpus.push_back(gpu_of(gpu));
    read_neuron_devices(item, out);
    out.instance_storage_gib =
        gib_of_gb(item.child("instanceStorageInfo").integer("totalSizeInGB").value_or(0));
    const XmlElement network = item.child("networkInfo");
    out.efa_interfaces = efa_interfaces_of_type(network);
    out.network_interfaces = interfaces_of_default_card(network);
    out.ipv4_per_interface = count_of(network, "ipv4AddressesPerInterface");
    out.bare_metal = item.boolean("bareMetal").value_or(false);
    out.has_prefix_delegation = out.bare_metal || item.text("hypervisor") == "nitro";
    out.usage_classes = read_texts(item, "supportedUsageClasses");
    return out;
}

}  // namespace

std::optional<InstanceType> find_instance_type(const XmlElement& item) {
    try {
        return type_of(item);
    } catch (const Failure&) {
        return std::nullopt;
    }
}

}  // namespace capstan::aws
