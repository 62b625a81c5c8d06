/// Names for pod equivalence groups that hold beyond a pass and a restart.
#pragma once

#include <string>
#include <string_view>

#include "engine/snapshot/cluster.hpp"

namespace capstan::engine::pods {

/// Names a pod group for later passes by its controller and a hash of its spec and claims:
/// "namespace/kind/name#00c0ffee00c0ffee", or "namespace//labels#..." for pods without a
/// controller. Pods that their controller makes anew have the same key as long as their spec is the
/// same. Several pod groups may share a key: it tells which pods to try, never whether they fit.
std::string pod_group_key(const snapshot::Cluster& cluster, PodGroupId equivalence_group);
/// The part of a key before the hash. A release that hashes otherwise finds its pods by this part,
/// and so does a pass whose pods have got another spec.
std::string_view controller_of(std::string_view pod_group_key) noexcept;
/// The namespace and the hash of a key: "namespace#00c0ffee00c0ffee". Pods of several controllers
/// share it if nodes cannot tell them apart, such as the Jobs of a CronJob.
std::string spec_of(std::string_view pod_group_key);

}  // namespace capstan::engine::pods
