/// What kubelet keeps of a machine for itself and the system, by the rules of images made for EKS.
///
///     memory: 11 MiB for each pod and 255 MiB, and 100 MiB below which it evicts
///     cpu: 6% of the first core, 1% of the second, 0.5% of the next two, 0.25% of all others
///     ephemeral storage: 1 GiB, and the tenth below which it evicts
///
///     m5.large, 29 pods  ->  70m of cpu, 674Mi of memory
///
/// Of other images, and of Windows, only the tenth of the storage is taken for granted, which is
/// kubelet's own default: what of cpu and memory their nodes keep, the host learns from the nodes
/// there are, as long as no template states it. What the kernel takes before kubelet starts is not
/// in it.
#pragma once

#include <cstdint>

#include <capstan/resources.hpp>

#include "image_traits.hpp"

namespace capstan::aws {

struct ReserveSources {
    ImageFamily family = ImageFamily::unknown;
    std::int64_t vcpus = 0;
    std::int64_t eni_pods = 0;  ///< by single addresses: those that Amazon Linux reckons with
    std::int64_t pods = 0;      ///< the node's limit: those that Bottlerocket reckons with
    std::int64_t ephemeral_storage = 0;  ///< in bytes; 0: not known
};

Resources kept_by_kubelet(const ReserveSources& sources);

}  // namespace capstan::aws
