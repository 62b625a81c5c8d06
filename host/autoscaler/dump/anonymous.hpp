/// Makes a dump anonymous: names that the cluster's owner chose are replaced by aliases.
#pragma once

#include <boost/json/array.hpp>

namespace capstan::autoscaler::dump {

/// Replaces names, namespaces, uids, labels, taints, annotations, extended resources, CSI drivers,
/// addresses and provider ids of a dump's objects. Equal texts get the same alias everywhere, so
/// selectors, owners, tolerations and bindings still match. Members that no decision reads are left
/// out, and so are members that this version does not know.
///
/// Texts whose meaning decides something stay. Of keys, namespaces, priority classes and the like,
/// these are the names that Kubernetes and clouds give. Of values, these are machine types,
/// operating systems, architectures, capacity types, true and false, durations and whole numbers in
/// annotations, and whole numbers under known keys or under keys that Gt and Lt compare. Resources,
/// counts and times stay, too.
///
/// Aliases have one length and sort as their texts do, so ties by name are decided the same way.
/// Only a tie between an alias and a text that stays may be decided otherwise. The ordinal of a
/// StatefulSet's pod and the prefix "kube-proxy" stay next to an alias.
void make_anonymous(boost::json::array& objects);

}  // namespace capstan::autoscaler::dump
