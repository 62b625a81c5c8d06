/// The parts of a machine that the kernel, the operating system and kubelet reserve.
#pragma once

#include <cstdint>
#include <optional>

#include <capstan/resources.hpp>

#include "kube_env.hpp"
#include "node_image.hpp"

namespace capstan::gce {

/// Memory that the kernel takes, so that it is not in the node's capacity, in bytes. Upstream's
/// measured formulas:
///     linux: 1/64 of the memory and 16 MiB; 64 MiB more above 3 GiB; 8 MiB more up to 8 GiB
///     cos, ubuntu: in addition the lesser of 0.175% and 248 MiB; ubuntu: 4 MiB more
///     cos on arm64: the sum times 0.9971
/// 0 for Windows.
std::int64_t kernel_reserve(const NodeImage& image, std::int64_t memory);

/// In bytes, for a boot disk of `disk` bytes: system partitions, and a reserve against filling up.
std::int64_t boot_disk_reserve(const NodeImage& image, std::int64_t disk);

/// In bytes: the overhead of a file system over `disks` local SSDs. 9 to 16 disks have the overhead
/// of 16, more disks that of 24. Absent if the distribution does not support local SSDs as
/// ephemeral storage.
std::optional<std::int64_t> local_ssd_overhead(Distribution distribution, std::int64_t disks);

/// GKE's default of kube-reserved, which counts if kube-env does not state it: by tiers.
///     memory: 255 MiB up to 1000 MiB; else of the first 4000 MiB 25%, of the next 4000 20%, of the
///             next 8000 10%, of the next 112000 6%, of the rest 2%
///     cpu: of the first core 6%, of the second 1%, of the next two 0.5%, of the rest 0.25%
Resources predicted_reserve(std::int64_t vcpus, std::int64_t memory);

/// Kubelet's hard eviction thresholds.
struct EvictionThresholds {
    std::int64_t memory = std::int64_t{100} << 20;  ///< in bytes
    double storage_share = 0.1;                     ///< of the capacity
    bool operator==(const EvictionThresholds&) const = default;
};
/// `evictionHard` of kube-env: "memory.available=100Mi,nodefs.available=10%". A threshold that
/// cannot be parsed has its default and causes a warning.
EvictionThresholds read_eviction(const KubeEnv& env, std::vector<std::string>& warnings);

/// The sum of kube-reserved (`kube_reserved` of kube-env, or kubelet's argument --kube-reserved, or
/// else `predicted`) and system-reserved (`system_reserved`, or --system-reserved), for cpu, memory
/// and ephemeral storage. A list that cannot be parsed counts as absent and causes a warning.
Resources read_reserved(const KubeEnv& env, const Resources& predicted,
                        std::vector<std::string>& warnings);

}  // namespace capstan::gce
