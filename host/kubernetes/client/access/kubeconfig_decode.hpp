/// One entry of a kubeconfig as a value.
#pragma once

#include "kubernetes/client/access/kubeconfig.hpp"
#include "kubernetes/client/access/kubeconfig_entry.hpp"

namespace capstan::kubernetes {

/// What is wrong goes where the entry keeps it; then the answer is of no use.
KubeconfigCluster decode_cluster(const KubeconfigEntry& entry);
KubeconfigUser decode_user(const KubeconfigEntry& entry);
ExecPlugin decode_exec_plugin(const KubeconfigEntry& entry);

}  // namespace capstan::kubernetes
