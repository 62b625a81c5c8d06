#include "presets.hpp"

#include <algorithm>

#include <capstan/well_known.hpp>

namespace capstan::similarity {
namespace {

using Keys = std::vector<std::string_view>;

Keys joined(Keys keys, const Keys& more) {
    keys.insert(keys.end(), more.begin(), more.end());
    return keys;
}

/// The labels that the proposal for balancing similar groups ignores, by their old and new names.
Keys zone_and_hostname() {
    return {well_known::hostname_label, well_known::beta_zone_label, well_known::zone_label};
}

Keys generic() {
    return joined(zone_and_hostname(),
                  {well_known::beta_region_label, well_known::region_label,
                   "beta.kubernetes.io/fluentd-ds-ready", well_known::kops_instance_group_label});
}

Keys aws() {
    return joined(generic(),
                  {"alpha.eksctl.io/instance-id", "alpha.eksctl.io/nodegroup-name",
                   "eks.amazonaws.com/nodegroup", "k8s.amazonaws.com/eniConfig", "lifecycle",
                   "topology.ebs.csi.aws.com/zone", "topology.k8s.aws/zone-id"});
}

Keys azure_pools() { return {"agentpool", "kubernetes.azure.com/agentpool"}; }

Keys azure() {
    return joined(joined(generic(), azure_pools()),
                  {"topology.disk.csi.azure.com/zone", "aksEngineVersion", "creationSource",
                   "poolName", "resourceNameSuffix", "kubernetes.azure.com/node-image-version",
                   "kubernetes.azure.com/consolidated-additional-properties"});
}

Keys gce() { return joined(generic(), {"topology.gke.io/zone"}); }

}  // namespace

const std::vector<Preset>& presets() {
    static const std::vector<Preset> all{{"generic", generic(), {}},
                                         {"aws", aws(), {}},
                                         {"azure", azure(), azure_pools()},
                                         {"gce", gce(), {}},
                                         {"proposal", zone_and_hostname(), {}}};
    return all;
}

const Preset* find_preset(std::string_view name) {
    const auto at = std::find_if(presets().begin(), presets().end(),
                                 [&](const Preset& p) { return p.name == name; });
    return at == presets().end() ? nullptr : &*at;
}

}  // namespace capstan::similarity
