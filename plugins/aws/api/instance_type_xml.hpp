/// Instance types as EC2 answers with them.
#pragma once

#include <optional>

#include "../wire/xml_reply.hpp"
#include "instance_type.hpp"

namespace capstan::aws {

/// <item> of instanceTypeSet. Nothing: it has no name, or its processors or memory are not told or
/// are no number; for whatever asks it is as if EC2 did not know the type.
std::optional<InstanceType> find_instance_type(const XmlElement& item);

}  // namespace capstan::aws
