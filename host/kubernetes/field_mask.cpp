#include "kubernetes/field_mask.hpp"

namespace capstan::kubernetes {
namespace {

using Member = KeptMembers::Member;

constexpr Member owner_members[] = {{"apiVersion"}, {"controller"}, {"kind"}, {"name"}, {"uid"}};
constexpr KeptMembers owner{owner_members};

constexpr Member metadata_members[] = {{"annotations"},
                                       {"creationTimestamp"},
                                       {"deletionTimestamp"},
                                       {"generation"},
                                       {"labels"},
                                       {"name"},
                                       {"namespace"},
                                       {"resourceVersion"},
                                       {"ownerReferences", &owner},
                                       {"uid"}};
constexpr KeptMembers metadata{metadata_members};

constexpr Member container_members[] = {{"ports"}, {"resources"}, {"restartPolicy"}};
constexpr KeptMembers container{container_members};

constexpr KeptMembers nothing{};
constexpr Member empty_dir_members[] = {{"medium"}};
constexpr KeptMembers empty_dir{empty_dir_members};
constexpr Member disk_members[] = {{"diskURI"}, {"kind"}, {"pdName"}, {"volumeID"}};
constexpr KeptMembers disk{disk_members};
constexpr Member in_tree_members[] = {{"awsElasticBlockStore", &disk},
                                      {"azureDisk", &disk},
                                      {"cinder", &disk},
                                      {"gcePersistentDisk", &disk},
                                      {"portworxVolume", &disk}};
constexpr KeptMembers in_tree{in_tree_members};
constexpr Member volume_members[] = {{"emptyDir", &empty_dir},
                                     {"ephemeral", &nothing},
                                     {"hostPath", &nothing},
                                     {"name"},
                                     {"persistentVolumeClaim"}};
constexpr KeptMembers volume{volume_members, &in_tree};

constexpr Member pod_spec_members[] = {{"affinity"},
                                       {"containers", &container},
                                       {"hostNetwork"},
                                       {"initContainers", &container},
                                       {"nodeName"},
                                       {"nodeSelector"},
                                       {"overhead"},
                                       {"preemptionPolicy"},
                                       {"priority"},
                                       {"priorityClassName"},
                                       {"resourceClaims"},
                                       {"resources"},  // of claims, too
                                       {"schedulerName"},
                                       {"schedulingGates"},
                                       {"terminationGracePeriodSeconds"},
                                       {"tolerations"},
                                       {"topologySpreadConstraints"},
                                       {"volumes", &volume}};
constexpr KeptMembers pod_spec{pod_spec_members};

constexpr Member template_members[] = {{"metadata", &metadata}, {"spec", &pod_spec}};
constexpr KeptMembers pod_template{template_members};

constexpr Member claim_ref_members[] = {{"name"}, {"namespace"}};
constexpr KeptMembers claim_ref{claim_ref_members};
constexpr Member csi_members[] = {{"driver"}, {"volumeHandle"}};
constexpr KeptMembers csi{csi_members};

constexpr Member spec_members[] = {
    // nodes
    {"providerID"},
    {"taints"},
    {"unschedulable"},
    // DaemonSets
    {"template", &pod_template},
    // controllers, disruption budgets and services
    {"maxUnavailable"},
    {"minAvailable"},
    {"replicas"},
    {"selector"},
    {"unhealthyPodEvictionPolicy"},
    // Jobs
    {"completions"},
    {"parallelism"},
    {"suspend"},
    // claims and volumes, in-tree volumes excepted
    {"accessModes"},
    {"capacity"},
    {"claimRef", &claim_ref},
    {"csi", &csi},
    {"nodeAffinity"},
    {"storageClassName"},
    {"volumeMode"},
    {"volumeName"},
    // CSI nodes and drivers
    {"drivers"},
    {"storageCapacity"},
    // Balancers
    {"policy"},
    {"targets"},
};
constexpr KeptMembers pod_or_volume_spec{pod_spec_members, &in_tree};
constexpr KeptMembers spec{spec_members, &pod_or_volume_spec};

constexpr Member condition_members[] = {
    {"lastTransitionTime"}, {"message"}, {"reason"}, {"status"}, {"type"}};
constexpr KeptMembers condition{condition_members};
constexpr Member address_members[] = {{"address"}, {"type"}};
constexpr KeptMembers address{address_members};
constexpr Member status_members[] = {{"addresses", &address},
                                     {"allocatable"},
                                     {"capacity"},
                                     {"conditions", &condition},
                                     {"disruptionsAllowed"},
                                     {"nominatedNodeName"},
                                     {"observedGeneration"},
                                     {"phase"},
                                     {"succeeded"}};
constexpr KeptMembers status{status_members};

constexpr Member details_members[] = {{"causes"}, {"retryAfterSeconds"}};
constexpr KeptMembers details{details_members};

/// Of ConfigMaps: an autoscaler's status, and the priorities of an expander.
constexpr Member data_members[] = {{"priorities"}, {"status"}};
constexpr KeptMembers data{data_members};

constexpr Member object_members[] = {
    {"apiVersion"},
    {"kind"},
    {"metadata", &metadata},
    {"spec", &spec},
    {"status", &status},
    // of a Status: what went wrong on the server
    {"code"},
    {"details", &details},
    {"message"},
    {"reason"},
    {"data", &data},
    // storage classes and capacities
    {"allowedTopologies"},
    {"capacity"},
    {"nodeTopology"},
    {"provisioner"},
    {"storageClassName"},
    {"volumeBindingMode"},
};
constexpr KeptMembers object{object_members};

// Members with moments.

constexpr Member managed_members[] = {{"manager"}, {"time"}};
constexpr KeptMembers managed{managed_members};
constexpr Member dated_metadata_members[] = {{"deletionGracePeriodSeconds"},
                                             {"managedFields", &managed}};
constexpr KeptMembers dated_metadata{dated_metadata_members, &metadata};
constexpr Member dated_spec_members[] = {{"renewTime"}};
constexpr KeptMembers dated_spec{dated_spec_members, &spec};
constexpr Member dated_condition_members[] = {{"lastHeartbeatTime"}};
constexpr KeptMembers dated_condition{dated_condition_members, &condition};
constexpr Member state_members[] = {{"finishedAt"}, {"startedAt"}};
constexpr KeptMembers state{state_members};
constexpr Member states_members[] = {{"running", &state}, {"terminated", &state}};
constexpr KeptMembers states{states_members};
constexpr Member container_status_members[] = {
    {"lastState", &states}, {"name"}, {"state", &states}};
constexpr KeptMembers container_status{container_status_members};
constexpr Member dated_status_members[] = {{"conditions", &dated_condition},
                                           {"containerStatuses", &container_status},
                                           {"initContainerStatuses", &container_status},
                                           {"startTime"}};
constexpr KeptMembers dated_status{dated_status_members, &status};
constexpr Member series_members[] = {{"lastObservedTime"}};
constexpr KeptMembers series{series_members};
constexpr Member dated_object_members[] = {
    {"metadata", &dated_metadata},
    {"spec", &dated_spec},
    {"status", &dated_status},
    // events, of both API groups
    {"deprecatedLastTimestamp"},
    {"eventTime"},
    {"lastTimestamp"},
    {"series", &series},
};
constexpr KeptMembers dated_object{dated_object_members, &object};

}  // namespace

const KeptMembers::Member* KeptMembers::find(std::string_view key) const noexcept {
    for (const Member& member : members) {
        if (member.key == key) return &member;
    }
    return also != nullptr ? also->find(key) : nullptr;
}

const KeptMembers& field_mask() noexcept { return object; }
const KeptMembers& file_mask() noexcept { return dated_object; }

}  // namespace capstan::kubernetes
