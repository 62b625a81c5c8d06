/// Copies a launch template with changes. EC2 has no action for that: the answer that describes the
/// source is converted into the request that creates the copy.
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

/// Parses <launchTemplateData>. Market options are left out, since the group decides between spot
/// and on demand, and so are tags with AWS's reserved prefix (`aws:`).
LaunchTemplateParts read_parts(const XmlElement& data);

/// The request CreateLaunchTemplate. An instance type replaces the requirements of the source.
QueryRequest make_create_request(LaunchTemplateParts parts,
                                 const Ec2Api::NewLaunchTemplate& launch_template);

}  // namespace capstan::aws
