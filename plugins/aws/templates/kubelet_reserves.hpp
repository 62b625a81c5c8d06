/// The part of a machine's capacity that kubelet reserves (capacity less allocatable), by the rules
/// of images made for EKS.
///
///     memory: 11 MiB for each pod, 255 MiB, and the eviction threshold of 100 MiB
///     cpu: 6% of the first core, 1% of the second, 0.5% of the next two, 0.25% of all others
///     ephemeral storage: 1 GiB, and the eviction threshold of 10%
///
///     m5.large, 29 pods  ->  70m of cpu, 674Mi of memory
///
/// For other images, and for Windows, only 10% of ephemeral storage are subtracted: kubelet's
/// default eviction threshold. The host learns the reserves of cpu and memory from existing nodes.
/// Memory that the kernel takes before kubelet starts is not included.
#pragma once

#include <cstdint>

#include <capstan/resources.hpp>

#include "image_traits.hpp"

namespace capstan::aws {

struct ReserveSources {
    ImageFamily family = ImageFamily::unknown;
    std::int64_t vcpus = 0;
    std::int64_t eni_pods = 0;  ///< count_eni_pods; the formula of all families but Bottlerocket
    std::int64_t pods = 0;      ///< the node's limit of pods; the formula of Bottlerocket
    std::int64_t ephemeral_storage = 0;  ///< in bytes; 0: unknown
};

Resources reserved_by_kubelet(const ReserveSources& sources);

}  // namespace capstan::aws
