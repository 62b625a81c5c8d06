/// What a pod's volumes mean to where it may run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/json_place.hpp"

namespace capstan::kubernetes {

/// Those that would be lost with their node, by name, ascending: every hostPath, and every emptyDir
/// that is not kept in memory.
std::vector<std::string> decode_local_volumes(const JsonPlace& volumes);

/// The PersistentVolumeClaims by name, in the order of the volumes. A generic ephemeral volume
/// makes one of the name "<pod>-<volume>".
std::vector<std::string> decode_claims(const JsonPlace& volumes, std::string_view pod);

}  // namespace capstan::kubernetes
