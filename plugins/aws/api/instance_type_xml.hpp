/// Parses instance types of EC2's answers.
#pragma once

#include <optional>

#include "../wire/xml_reply.hpp"
#include "instance_type.hpp"

namespace capstan::aws {

/// Parses an <item> of instanceTypeSet. Absent if the name, the number of cores or the memory is
/// missing or malformed; callers treat such a type as unknown to EC2.
std::optional<InstanceType> find_instance_type(const XmlElement& item);

}  // namespace capstan::aws
