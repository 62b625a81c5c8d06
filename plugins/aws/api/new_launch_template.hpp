/// A launch template made from another one. EC2 has no such action: what was answered of one is
/// sent as the other's.
#pragma once

#include <map>
#include <string>

#include <capstan/labels.hpp>

#include "../wire/aws_client.hpp"
#include "../wire/xml_reply.hpp"
#include "ec2.hpp"
#include "flatten.hpp"

namespace capstan::aws {

struct LaunchTemplateParts {
    Ec2Parameters parameters{};            ///< without tags
    std::map<std::string, Labels> tags{};  ///< by the type of resource: "instance", "volume"
};

/// Of <launchTemplateData>. Market options are left out, since the group decides between spot and
/// on demand, and so are tags that AWS keeps for itself (`aws:`).
LaunchTemplateParts read_parts(const XmlElement& data);

/// CreateLaunchTemplate. An instance type takes the place of requirements.
QueryRequest make_create_request(LaunchTemplateParts parts,
                                 const Ec2Api::NewLaunchTemplate& launch_template);

}  // namespace capstan::aws
