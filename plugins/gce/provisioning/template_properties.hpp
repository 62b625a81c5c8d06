/// The properties of an instance template that is made from another one's.
#pragma once

#include "../api/instance_template.hpp"

namespace capstan::gce {

/// Properties as instanceTemplates.insert takes them: those of `made`, which is a copy of a source
/// with another machine type, accelerators, labels, terms and `kube-env`. What Google only tells
/// (kinds, fingerprints, names of interfaces) is left out. A spot machine consumes no reservation;
/// one on demand keeps the scheduling that the source has.
Json make_template_properties(const InstanceTemplate& made);

}  // namespace capstan::gce
