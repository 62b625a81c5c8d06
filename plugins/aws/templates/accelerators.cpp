#include "accelerators.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <capstan/ascii.hpp>
#include <capstan/well_known.hpp>

namespace capstan::aws {
namespace {

std::string in_kebab_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        c = ascii_lower(c);
        if (c == ' ' || c == '/') c = '-';
    }
    return out;
}

std::string_view gpu_resource_of(std::string_view manufacturer) {
    const std::string name = in_kebab_case(manufacturer);
    if (name == "nvidia") return well_known::nvidia_gpu;
    if (name == "amd") return well_known::amd_gpu;
    return name == "habana" ? "habana.ai/gaudi" : "";
}

void raise_count(Resources& out, std::string_view resource, std::int64_t count) {
    if (!resource.empty() && count > 0) out.set(resource, out.amount(resource) + count);
}

}  // namespace

Resources accelerator_resources(const InstanceType& type, int efa_interfaces) {
    Resources out;
    for (const Accelerators& gpu : type.gpus)
        raise_count(out, gpu_resource_of(gpu.manufacturer), gpu.count);
    for (const Accelerators& device : type.neuron_devices) {
        raise_count(out, "aws.amazon.com/neuron", device.count);
        // The device plugin's older name for the same.
        raise_count(out, "aws.amazon.com/neurondevice", device.count);
    }
    raise_count(out, "aws.amazon.com/neuroncore", type.neuron_cores);
    raise_count(out, "vpc.amazonaws.com/efa", std::min(efa_interfaces, type.efa_interfaces));
    return out;
}

}  // namespace capstan::aws
