/// Answers of EC2 Auto Scaling, element by element.
#pragma once

#include <vector>

#include <capstan/result.hpp>

#include "../wire/xml_reply.hpp"
#include "auto_scaling.hpp"

namespace capstan::aws {

/// <member> of AutoScalingGroups. An error (`unavailable`) has the group's name as its subject, and
/// says which value is missing or is not of its type.
Result<AutoScalingGroup> read_group(const XmlElement& member);
/// In the order of their names; of two with one name the first counts.
AutoScalingGroups sorted_groups(std::vector<Result<AutoScalingGroup>> read);
/// <member> of Activities. Throws a Failure, as XmlElement does.
ScalingActivity read_activity(const XmlElement& member);

}  // namespace capstan::aws
