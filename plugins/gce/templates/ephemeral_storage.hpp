/// What a node has for containers' own files, images and emptyDir volumes.
#pragma once

#include <cstdint>
#include <optional>

#include <capstan/result.hpp>

#include "node_image.hpp"

namespace capstan::gce {

/// SCRATCH disks of the kind local-ssd, and those that come with the machine type.
std::int64_t count_local_ssds(const InstanceTemplate& from,
                              const std::optional<GceMachineType>& type);
/// In GiB: 375, but for types that come with disks of another size.
std::int64_t local_ssd_size_of(const std::string& machine_type) noexcept;

/// The capacity in bytes: of as many local SSDs as kube-env says, or else of the boot disk; less
/// what the operating system keeps. Nothing: neither is known. A boot disk without a size has its
/// image's. `unsupported`: there are fewer local SSDs than kube-env asks for, or the image takes
/// none.
Result<std::optional<std::int64_t>> find_ephemeral_storage(const TemplateSources& sources,
                                                           const KubeEnv& env,
                                                           const NodeImage& image,
                                                           std::vector<std::string>& warnings);

}  // namespace capstan::gce
