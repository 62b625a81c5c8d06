/// What a pod's volumes mean to where it may run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// Whether something of the pod would be lost with its node: a hostPath, or an emptyDir that is not
/// kept in memory.
bool uses_local_storage(const JsonPlace& volumes);

/// The PersistentVolumeClaims by name, in the order of the volumes. A generic ephemeral volume
/// makes one of the name "<pod>-<volume>".
std::vector<std::string> decode_claims(const JsonPlace& volumes, std::string_view pod);

}  // namespace capstan::kubernetes
