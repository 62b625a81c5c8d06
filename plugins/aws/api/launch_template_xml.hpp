/// Launch templates as answers have them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../wire/xml_reply.hpp"
#include "launch_template.hpp"

namespace capstan::aws {

// Each throws a Failure (`unavailable`) that names a value that is not of its type. A launch
// template's user data stands in no message.

/// <LaunchTemplate> and <LaunchTemplateSpecification> of the query protocol; nothing: `element` is
/// absent, or names none.
std::optional<LaunchTemplateRef> find_reference(const XmlElement& element);
/// Of either protocol; nothing: `element` is absent or has no member.
std::optional<InstanceRequirements> find_requirements(const XmlElement& element);
/// <item> of launchTemplateVersionSet.
LaunchTemplateData read_launch_template_version(const XmlElement& item);
/// <member> of LaunchConfigurations.
LaunchTemplateData read_launch_configuration(const XmlElement& member);
/// Of ec2's lists of mappings: volumes alone, not devices that are left out or instance stores.
std::vector<BlockDevice> read_block_devices(const XmlElement& element, std::string_view list);

}  // namespace capstan::aws
