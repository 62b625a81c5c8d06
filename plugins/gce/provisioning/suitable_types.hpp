/// Which machine types go together with what an instance template asks for.
#pragma once

#include <string>
#include <vector>

#include "../api/instance_template.hpp"
#include "../api/machine_types.hpp"

namespace capstan::gce {

/// What machines of a type in a zone would lack; empty: they suit. The template's machine type
/// counts for its family alone. `accelerators` are those of the zone; NULL: they are not known.
///
///     arm64 for an image of amd64                  ->  "runs arm64, the image is for amd64"
///     n4-standard-4 for a boot disk of pd-balanced ->  "boots from Hyperdisk alone"
///
/// A template without accelerators suits no type that comes with some. Local SSDs, a CPU platform
/// and accelerators that are attached are what one family has: they suit types of the template's
/// own.
std::string why_unsuitable(const GceMachineType& type, const InstanceTemplate& source,
                           const std::string& arch,
                           const std::vector<LookupApi::AcceleratorType>* accelerators);

/// "amd64", "arm64": of the image, or else of the template's machine type.
std::string arch_of_template(const InstanceTemplate& source, const GceImage* image);

/// The accelerators of a machine of this type: those that come with it, or the template's.
std::vector<TemplateAccelerator> accelerators_on(const GceMachineType& type,
                                                 const InstanceTemplate& source);

}  // namespace capstan::gce
