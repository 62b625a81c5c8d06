/// What kernel, operating system and kubelet keep of a machine.
#pragma once

#include <cstdint>
#include <optional>

#include <capstan/resources.hpp>

#include "kube_env.hpp"
#include "node_image.hpp"

namespace capstan::gce {

/// Memory that the kernel keeps, so that kubelet never sees it, in bytes. Upstream's measured
/// formulas:
///     linux: 1/64 and 16 MiB; 64 MiB beyond 3 GiB; 8 MiB up to 8 GiB
///     cos, ubuntu: the least of 0.175% and 248 MiB, besides; ubuntu 4 MiB
///     cos on arm64: all of it times 0.9971
/// Windows keeps none.
std::int64_t kernel_reserve(const NodeImage& image, std::int64_t memory);

/// Of a boot disk with so many bytes: partitions and what is kept against its filling up, in bytes.
std::int64_t boot_disk_reserve(const NodeImage& image, std::int64_t disk);

/// Of local SSDs that are one file system: its overhead, in bytes. From 9 to 16 disks have that of
/// 16, more that of 24. Nothing: such an image has no local SSDs as ephemeral storage.
std::optional<std::int64_t> local_ssd_overhead(Distribution distribution, std::int64_t disks);

/// What GKE has kubelet keep where kube-env says nothing of it: by tiers.
///     memory: 255 MiB up to 1000 MiB; else of the first 4000 MiB 25%, of the next 4000 20%, of the
///             next 8000 10%, of the next 112000 6%, of the rest 2%
///     cpu: of the first core 6%, of the second 1%, of the next two 0.5%, of the rest 0.25%
Resources predicted_reserve(std::int64_t vcpus, std::int64_t memory);

/// Below what kubelet evicts.
struct EvictionThresholds {
    std::int64_t memory = std::int64_t{100} << 20;  ///< in bytes
    double storage_share = 0.1;                     ///< of the capacity
    bool operator==(const EvictionThresholds&) const = default;
};
/// "memory.available=100Mi,nodefs.available=10%": `evictionHard` of kube-env. What cannot be read
/// is the default, and a warning.
EvictionThresholds read_eviction(const KubeEnv& env, std::vector<std::string>& warnings);

/// `kube_reserved` of kube-env, or kubelet's argument --kube-reserved, or else `predicted`; and
/// `system_reserved`, or --system-reserved, besides. Of cpu, memory and ephemeral storage. A list
/// that cannot be read is one that is not there, and a warning.
Resources read_reserved(const KubeEnv& env, const Resources& predicted,
                        std::vector<std::string>& warnings);

}  // namespace capstan::gce
