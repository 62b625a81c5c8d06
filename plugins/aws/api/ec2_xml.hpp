/// Parses answers of EC2; the functions are the ReadItems of paged_query.hpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../wire/xml_reply.hpp"
#include "ec2.hpp"

namespace capstan::aws {

std::vector<Image> images_of(const XmlElement& result);
/// Leaves out types that find_instance_type cannot parse.
std::vector<InstanceType> instance_types_of(const XmlElement& result);
/// The answer of GetInstanceTypesFromInstanceRequirements.
std::vector<std::string> type_names_of(const XmlElement& result);
std::vector<Subnet> subnets_of_answer(const XmlElement& result);
std::vector<InstanceAddress> addresses_of_answer(const XmlElement& result);
std::vector<std::pair<std::string, std::string>> type_offerings_of(const XmlElement& result);

}  // namespace capstan::aws
