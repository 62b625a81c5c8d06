/// Parses answers of EKS.
#pragma once

#include <capstan/json.hpp>
#include <capstan/result.hpp>

#include "eks.hpp"

namespace capstan::aws {

/// Parses the answer of DescribeNodegroup. A member that is absent, null or of another type is
/// empty. `unavailable`: the answer has no node group.
Result<EksNodegroup> read_nodegroup(const Json& answer);

}  // namespace capstan::aws
