/// The properties of an instance template that is a modified copy of another one.
#pragma once

#include "../api/instance_template.hpp"

namespace capstan::gce {

/// The properties of `made` for instanceTemplates.insert. `made` is a copy of a source with another
/// machine type, accelerators, labels, provisioning model and `kube-env`. Output-only fields
/// (kinds, fingerprints, names of interfaces) are left out. A spot machine consumes no reservation;
/// an on-demand machine keeps the scheduling of the source.
Json make_template_properties(const InstanceTemplate& made);

}  // namespace capstan::gce
