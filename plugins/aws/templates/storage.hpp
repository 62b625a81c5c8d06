/// How much pods may write to a node's own disks.
#pragma once

#include <cstdint>
#include <optional>

#include "../api/ec2.hpp"
#include "../api/eks.hpp"
#include "../api/instance_type.hpp"
#include "../api/launch_template.hpp"
#include "image_traits.hpp"
#include "user_data.hpp"

namespace capstan::aws {

struct StorageSources {
    const Image* image = nullptr;                         ///< NULL: not known
    const LaunchTemplateData* launch_template = nullptr;  ///< NULL: not known
    const EksNodegroup* nodegroup = nullptr;              ///< NULL: EKS does not manage it
    ImageFamily family = ImageFamily::unknown;
    LocalDisks local_disks = LocalDisks::unused;
};

/// In bytes, the first of these that is known: the machine's local disks, where the user data joins
/// them; the disk in the launch template; the node group's disk size; the image's; what EKS makes
/// for a node group that says nothing (20 GiB, 50 GiB for Windows). The disk is the image's root,
/// or `/dev/xvdb` of Bottlerocket, whose root holds the system alone. Nothing: none is known, and
/// a tag may say it.
std::optional<std::int64_t> find_ephemeral_storage(const InstanceType& type,
                                                   const StorageSources& sources);

}  // namespace capstan::aws
