/// The ephemeral storage of a node.
#pragma once

#include <cstdint>
#include <optional>

#include <capstan/result.hpp>

#include "node_image.hpp"

namespace capstan::gce {

/// The number of local SSDs: the template's SCRATCH disks of type local-ssd, or those bundled with
/// the machine type, if these are more.
std::int64_t count_local_ssds(const InstanceTemplate& from,
                              const std::optional<GceMachineType>& type);
/// In GiB: 375, except for machine types with bundled disks of another size.
std::int64_t local_ssd_size_of(const std::string& machine_type) noexcept;

/// The capacity in bytes: that of the local SSDs that kube-env assigns to ephemeral storage, or
/// else of the boot disk, less what the operating system reserves. A boot disk without a size has
/// its image's. Absent if no size is known, or if kube-env keeps pods off the boot disk.
/// `unsupported`: there are fewer local SSDs than kube-env asks for, or the image does not support
/// them.
Result<std::optional<std::int64_t>> find_ephemeral_storage(const TemplateSources& sources,
                                                           const KubeEnv& env,
                                                           const NodeImage& image,
                                                           std::vector<std::string>& warnings);

}  // namespace capstan::gce
