/// Answers of EC2, as paged_query.hpp reads them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../wire/xml_reply.hpp"
#include "ec2.hpp"

namespace capstan::aws {

std::vector<Image> images_of(const XmlElement& result);
/// Without those that cannot be read; see instance_type_xml.hpp.
std::vector<InstanceType> instance_types_of(const XmlElement& result);
/// Of GetInstanceTypesFromInstanceRequirements.
std::vector<std::string> type_names_of(const XmlElement& result);
std::vector<Subnet> subnets_of_answer(const XmlElement& result);
std::vector<std::pair<std::string, std::string>> type_offerings_of(const XmlElement& result);

}  // namespace capstan::aws
