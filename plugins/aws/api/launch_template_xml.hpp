/// Parses launch templates and launch configurations of answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../wire/xml_reply.hpp"
#include "launch_template.hpp"

namespace capstan::aws {

// Each function throws a Failure (`unavailable`) that names the value that is malformed. No message
// contains the user data of a launch template.

/// Parses <LaunchTemplate> or <LaunchTemplateSpecification> of the query protocol. Absent if
/// `element` is absent, or has neither an id nor a name.
std::optional<LaunchTemplateRef> find_reference(const XmlElement& element);
/// Parses requirements of either protocol. No value if `element` is absent or empty.
std::optional<InstanceRequirements> find_requirements(const XmlElement& element);
/// Parses an <item> of launchTemplateVersionSet.
LaunchTemplateData read_launch_template_version(const XmlElement& item);
/// Parses a <member> of LaunchConfigurations.
LaunchTemplateData read_launch_configuration(const XmlElement& member);
/// Parses block device mappings of the ec2 protocol. Only EBS volumes are kept, no instance stores
/// and no suppressed devices.
std::vector<BlockDevice> read_block_devices(const XmlElement& element, std::string_view list);

}  // namespace capstan::aws
