/// The ephemeral storage of a node.
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
    const Image* image = nullptr;                         ///< NULL: unknown
    const LaunchTemplateData* launch_template = nullptr;  ///< NULL: unknown
    const EksNodegroup* nodegroup = nullptr;              ///< NULL: no managed node group
    ImageFamily family = ImageFamily::unknown;
    LocalDisks local_disks = LocalDisks::unused;
};

/// In bytes, the first of these sizes that is known: the instance store, if the user data uses it
/// for pods; the volume in the launch template; the node group's disk size; the volume in the
/// image; EKS's default for a managed node group (20 GiB, 50 GiB for Windows). The volume is the
/// root volume, or `/dev/xvdb` of Bottlerocket, which keeps only the system on its root volume.
/// Absent if no size is known.
std::optional<std::int64_t> find_ephemeral_storage(const InstanceType& type,
                                                   const StorageSources& sources);

}  // namespace capstan::aws
