#include "storage.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace capstan::aws {
namespace {

constexpr std::int64_t storage_bytes_of_gib = std::int64_t{1} << 30;

bool holds_pods(const BlockDevice& device, const StorageSources& sources) {
    if (sources.family == ImageFamily::bottlerocket) return device.device_name == "/dev/xvdb";
    if (sources.image != nullptr && !sources.image->root_device_name.empty())
        return device.device_name == sources.image->root_device_name;
    // The two usual device names of a root volume.
    return device.device_name == "/dev/xvda" || device.device_name == "/dev/sda1";
}

std::optional<std::int64_t> find_disk_gib(const std::vector<BlockDevice>& devices,
                                          const StorageSources& sources) {
    for (const BlockDevice& device : devices)
        if (holds_pods(device, sources) && device.size_gib) return device.size_gib;
    return std::nullopt;
}

std::optional<std::int64_t> find_disk_gib(const StorageSources& sources) {
    if (sources.launch_template != nullptr) {
        if (const auto size = find_disk_gib(sources.launch_template->block_devices, sources))
            return size;
    }
    if (sources.nodegroup != nullptr && sources.nodegroup->disk_size_gib)
        return *sources.nodegroup->disk_size_gib;
    if (sources.image != nullptr) {
        if (const auto size = find_disk_gib(sources.image->block_devices, sources)) return size;
    }
    if (sources.nodegroup == nullptr) return std::nullopt;
    return sources.family == ImageFamily::windows ? 50 : 20;
}

}  // namespace

std::optional<std::int64_t> find_ephemeral_storage(const InstanceType& type,
                                                   const StorageSources& sources) {
    if (sources.local_disks != LocalDisks::unused && type.instance_storage_gib > 0) {
        const std::int64_t all = type.instance_storage_gib * storage_bytes_of_gib;
        return sources.local_disks == LocalDisks::mirrored ? all / 2 : all;
    }
    const auto gib = find_disk_gib(sources);
    if (!gib || *gib <= 0) return std::nullopt;
    return *gib * storage_bytes_of_gib;
}

}  // namespace capstan::aws
