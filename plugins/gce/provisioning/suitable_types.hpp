/// Which machine types are compatible with an instance template.
#pragma once

#include <string>
#include <vector>

#include "../api/instance_template.hpp"
#include "../api/machine_types.hpp"

namespace capstan::gce {

/// Why the type is incompatible with the template in a zone; empty if it is compatible. Of the
/// template's own machine type only the family matters. `accelerators`: those of the zone, or NULL
/// if unknown.
///
///     arm64 for an image of amd64                  ->  "runs arm64, the image is for amd64"
///     n4-standard-4 for a boot disk of pd-balanced ->  "boots only from Hyperdisk"
///
/// A template without accelerators is incompatible with types that bundle accelerators. A template
/// with local SSDs, a CPU platform or attached accelerators is only compatible with types of its
/// own family.
std::string why_unsuitable(const GceMachineType& type, const InstanceTemplate& source,
                           const std::string& arch,
                           const std::vector<LookupApi::AcceleratorType>* accelerators);

/// "amd64" or "arm64": by the image, or else by the template's machine type.
std::string arch_of_template(const InstanceTemplate& source, const GceImage* image);

/// The accelerators of a machine of this type: those bundled with the type if the template has any,
/// otherwise the template's.
std::vector<TemplateAccelerator> accelerators_on(const GceMachineType& type,
                                                 const InstanceTemplate& source);

}  // namespace capstan::gce
