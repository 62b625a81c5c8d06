/// Kubelet settings in the user data of a launch template.
///
///     /etc/eks/bootstrap.sh prod --kubelet-extra-args '--max-pods=58' --local-disks raid0
///     kubelet: { config: { maxPods: 58 } }                     of nodeadm, in YAML or JSON
///     [settings.kubernetes]
///     max-pods = 58                                            of Bottlerocket
///
/// The text is searched, not executed: a number in a shell variable is not found, and compressed
/// user data is not read. Labels and taints in it are ignored; tags of the group state them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "image_traits.hpp"

namespace capstan::aws {

/// How the instance store is used for the ephemeral storage of pods: not, as RAID 0, as RAID 10.
enum class LocalDisks : std::uint8_t { unused, striped, mirrored };

struct UserDataFacts {
    ImageFamily family = ImageFamily::unknown;  ///< that the user data is written for
    std::optional<std::int64_t> max_pods{};
    LocalDisks local_disks = LocalDisks::unused;
};

/// Returns the defaults if the text is not valid base64.
UserDataFacts read_user_data(std::string_view base64);

}  // namespace capstan::aws
