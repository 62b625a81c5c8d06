/// A dump that may be shown to others: what a cluster's owner named, replaced by aliases.
#pragma once

#include <boost/json/array.hpp>

namespace capstan::simulation::dump {

/// Replaces names, namespaces, uids, labels, taints, annotations, extended resources, CSI drivers,
/// addresses and provider ids of a dump's objects, the same text by the same alias everywhere: what
/// selected, owned, tolerated or bound goes on doing so. Members that no decision reads are left
/// out, those of unknown names, too.
///
/// Texts that decide by their meaning stay: names that Kubernetes and clouds give to keys,
/// namespaces, priority classes and the like; of values machine types, operating systems,
/// architectures, capacity types, truth, whole numbers under such keys or under Gt and Lt,
/// durations. Resources, counts and times stay, too.
///
/// Aliases are of one length and sort as the texts do, so ties by name fall the same way, save
/// those between an alias and a text that stays.
void make_anonymous(boost::json::array& objects);

}  // namespace capstan::simulation::dump
