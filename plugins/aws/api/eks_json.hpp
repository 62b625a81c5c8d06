/// Answers of EKS.
#pragma once

#include <capstan/json.hpp>
#include <capstan/result.hpp>

#include "eks.hpp"

namespace capstan::aws {

/// Of DescribeNodegroup. What is absent, null or of another type is empty. An error
/// (`unavailable`): there is no node group in it.
Result<EksNodegroup> read_nodegroup(const Json& answer);

}  // namespace capstan::aws
