/// What a service answered as parameters of an ec2 request.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../wire/xml_reply.hpp"

namespace capstan::aws {

using Ec2Parameters = std::vector<std::pair<std::string, std::string>>;

/// The children of `element`, whatever they are, so that members are kept that are not known here.
/// Answers of both protocols spell them otherwise than ec2 requests do:
///     <vCpuCount><min>2</min></vCpuCount>  or  <VCpuCount><Min>2</Min></VCpuCount>
///                                                          ->  VCpuCount.Min=2
///     <cpuManufacturerSet><item>intel</item></cpuManufacturerSet>
///     <CpuManufacturers><member>intel</member></CpuManufacturers>
///                                                          ->  CpuManufacturer.1=intel
/// Empty elements are left out but `noDevice`, which says something by its presence. So is what
/// answers alone have: `operator`, and the state of metadata options. Nested deeper than ec2 has it
/// (16), it is left out, too.
Ec2Parameters flatten(const XmlElement& element);

/// Nothing: absent.
const std::string* find_parameter(const Ec2Parameters& parameters, std::string_view name) noexcept;
/// "intel" and "amd" of "CpuManufacturer.1" and "CpuManufacturer.2".
std::vector<std::string> list_of_parameters(const Ec2Parameters& parameters, std::string_view name);

}  // namespace capstan::aws
