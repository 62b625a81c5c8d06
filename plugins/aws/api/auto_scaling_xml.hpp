/// Parses answers of EC2 Auto Scaling.
#pragma once

#include <vector>

#include <capstan/result.hpp>

#include "../wire/xml_reply.hpp"
#include "auto_scaling.hpp"

namespace capstan::aws {

/// Parses a <member> of AutoScalingGroups. The error (`unavailable`) names the missing or malformed
/// value; its subject is the group's name.
Result<AutoScalingGroup> read_group(const XmlElement& member);
/// Sorts groups by name and collects the errors. The first of two groups with one name counts.
AutoScalingGroups sorted_groups(std::vector<Result<AutoScalingGroup>> read);
/// Parses a <member> of Activities. Throws a Failure for a malformed value, as XmlElement does.
ScalingActivity read_activity(const XmlElement& member);

}  // namespace capstan::aws
