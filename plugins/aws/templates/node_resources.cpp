#include "node_resources.hpp"

#include <algorithm>
#include <string_view>

#include <capstan/well_known.hpp>

#include "accelerators.hpp"
#include "kubelet_reserves.hpp"
#include "pod_limits.hpp"
#include "storage.hpp"

namespace capstan::aws {
namespace {

template <class T>
const T* pointer_or_null(const std::optional<T>& value) noexcept {
    return value ? &*value : nullptr;
}

std::int64_t max_pods_of(const InstanceType& type, const MachineTraits& traits,
                         const TemplateConfig& config) {
    if (traits.user_data.max_pods) return *traits.user_data.max_pods;
    if (config.max_pods) return *config.max_pods;
    return count_pods(type, {.vpc_cni = traits.made_for_eks,
                             .prefix_delegation = config.prefix_delegation,
                             .windows = traits.image.os == "windows",
                             .managed = traits.managed});
}

Resources machine_capacity(const InstanceType& type, const MachineTraits& traits,
                           const TemplateSources& sources, const TemplateConfig& config) {
    const int efa = sources.launch_template ? sources.launch_template->efa_interfaces : 0;
    Resources out = accelerator_resources(type, efa);
    out.set(well_known::cpu, type.vcpus * 1000);
    out.set(well_known::memory, type.memory_mib * (std::int64_t{1} << 20));
    out.set(well_known::pods, max_pods_of(type, traits, config));
    const auto storage =
        find_ephemeral_storage(type, {.image = pointer_or_null(sources.image),
                                      .launch_template = pointer_or_null(sources.launch_template),
                                      .nodegroup = pointer_or_null(sources.nodegroup),
                                      .family = traits.image.family,
                                      .local_disks = traits.user_data.local_disks});
    if (storage) out.set(well_known::ephemeral_storage, *storage);
    if (traits.made_for_eks && traits.image.os == "windows") {
        const auto addresses = count_windows_addresses(type, config.prefix_delegation);
        if (addresses) out.set("vpc.amazonaws.com/PrivateIPv4Address", *addresses);
    }
    return out;
}

Resources least_resources(const Resources& a, const Resources& b) {
    Resources out;
    for (const auto& [resource, amount] : a) {
        const auto other = b.find(resource);
        if (other) out.set(resource, std::min(amount, *other));
    }
    return out;
}

}  // namespace

MachineTraits find_machine_traits(const TemplateSources& sources) {
    MachineTraits out;
    if (sources.launch_template) out.user_data = read_user_data(sources.launch_template->user_data);
    out.image = find_image_traits(pointer_or_null(sources.image),
                                  pointer_or_null(sources.nodegroup), out.user_data.family);
    const Labels& tags = sources.group.tags;
    out.made_for_eks = out.image.family != ImageFamily::unknown || sources.nodegroup ||
                       tags.contains("eks:nodegroup-name") || tags.contains("eks:cluster-name");
    out.managed = sources.nodegroup && !sources.nodegroup->ami_type.empty() &&
                  sources.nodegroup->ami_type != "CUSTOM";
    return out;
}

NodeResources node_resources_of(const InstanceType& type, const MachineTraits& traits,
                                const TemplateSources& sources, const TemplateConfig& config) {
    NodeResources out{.capacity = machine_capacity(type, traits, sources, config)};
    const Resources kept = reserved_by_kubelet(
        {.family = traits.image.family,
         .vcpus = type.vcpus,
         .eni_pods = count_eni_pods(type).value_or(default_max_pods),
         .pods = out.capacity.amount(well_known::pods),
         .ephemeral_storage = out.capacity.amount(well_known::ephemeral_storage)});
    out.allocatable = out.capacity;
    for (const auto& [resource, amount] : kept)
        out.allocatable.set(resource,
                            std::max<std::int64_t>(0, out.capacity.amount(resource) - amount));
    return out;
}

NodeResources least_of(const NodeResources& a, const NodeResources& b) {
    return {.capacity = least_resources(a.capacity, b.capacity),
            .allocatable = least_resources(a.allocatable, b.allocatable)};
}

InstanceType least_machine(const InstanceRequirements& requirements) {
    InstanceType out{.vcpus = requirements.vcpu_min.value_or(0),
                     .memory_mib = requirements.memory_mib_min.value_or(0)};
    const auto is_only = [](const std::vector<std::string>& list, std::string_view one) {
        return list.size() == 1 && list.front() == one;
    };
    const bool is_gpu = is_only(requirements.accelerator_manufacturers, "nvidia") &&
                        is_only(requirements.accelerator_types, "gpu");
    const std::int64_t count = requirements.accelerator_count_min.value_or(0);
    if (is_gpu && count > 0) {
        out.gpus.push_back({.manufacturer = "NVIDIA",
                            .count = static_cast<int>(std::min<std::int64_t>(count, 1000))});
    }
    return out;
}

}  // namespace capstan::aws
