/// Turns XML of an answer into the parameters of an ec2 request.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../wire/xml_reply.hpp"

namespace capstan::aws {

using Ec2Parameters = std::vector<std::pair<std::string, std::string>>;

/// Converts all children of `element`, so that members unknown to this program are kept, too.
/// Answers of both protocols name the members differently from ec2 requests:
///     <vCpuCount><min>2</min></vCpuCount>  or  <VCpuCount><Min>2</Min></VCpuCount>
///                                                          ->  VCpuCount.Min=2
///     <cpuManufacturerSet><item>intel</item></cpuManufacturerSet>
///     <CpuManufacturers><member>intel</member></CpuManufacturers>
///                                                          ->  CpuManufacturer.1=intel
/// Left out are empty elements (except `noDevice`: its presence matters), members that only
/// answers have (`operator`, `isPrimaryIpv6`, the state of metadata options), and elements nested
/// more than 16 deep.
Ec2Parameters flatten(const XmlElement& element);

/// NULL if the parameter does not exist.
const std::string* find_parameter(const Ec2Parameters& parameters, std::string_view name) noexcept;
/// The values of a list: those of "CpuManufacturer.1" and "CpuManufacturer.2" for the name
/// "CpuManufacturer".
std::vector<std::string> list_of_parameters(const Ec2Parameters& parameters, std::string_view name);

}  // namespace capstan::aws
