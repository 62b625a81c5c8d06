/// What the text that a machine starts with tells of its kubelet.
///
///     /etc/eks/bootstrap.sh prod --kubelet-extra-args '--max-pods=58' --local-disks raid0
///     kubelet: { config: { maxPods: 58 } }                     of nodeadm, in YAML or JSON
///     [settings.kubernetes]
///     max-pods = 58                                            of Bottlerocket
///
/// The text is searched, not carried out: a number behind a shell variable is not found, nor what
/// is compressed. Labels and taints in it are not read; tags say them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "image_traits.hpp"

namespace capstan::aws {

/// How local disks are joined to hold what pods write.
enum class LocalDisks : std::uint8_t { unused, striped, mirrored };

struct UserDataFacts {
    ImageFamily family = ImageFamily::unknown;  ///< whose way of starting it is
    std::optional<std::int64_t> max_pods{};
    LocalDisks local_disks = LocalDisks::unused;
};

/// Nothing is known from what is no base64.
UserDataFacts read_user_data(std::string_view base64);

}  // namespace capstan::aws
