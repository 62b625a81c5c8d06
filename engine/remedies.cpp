#include "engine/remedies.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <capstan/sentence.hpp>

namespace capstan::engine {
namespace {

constexpr std::array table{
    Remedy{"NodeUnschedulable",
           "remove taint node.kubernetes.io/unschedulable from the template of GROUP"},
    Remedy{"NodeName", "select nodes of a group by label instead of one node by name"},
    Remedy{
        "TaintToleration",
        "add a toleration for SUBJECT to the pod, or list the taint in scale_up.startup_taint if "
        "it is removed after startup"},
    Remedy{"NodeAffinity",
           "change the pod's node selector or affinity, or add a group whose nodes have label "
           "SUBJECT"},
    Remedy{"NodePorts", "use another hostPort, or a Service instead"},
    Remedy{"NodeResourcesFit",
           "lower the pod's request for SUBJECT, or add a group whose machines have more"},
    Remedy{"NodeResourcesFit/pods",
           "raise maxPods of the kubelets, or add a group whose nodes run more pods"},
    Remedy{"VolumeRestrictions",
           "delete the pod that uses the claim, or use access mode ReadWriteMany"},
    Remedy{"NodeVolumeLimits",
           "use fewer volumes per pod, or add a group whose machines attach more volumes"},
    Remedy{"VolumeBinding",
           "check the claim and its StorageClass; add a group in the zone of its volume, or use "
           "volumeBindingMode WaitForFirstConsumer"},
    Remedy{"VolumeZone", "add a group in the zone of the volume"},
    Remedy{
        "PodTopologySpread",
        "raise maxSkew, use whenUnsatisfiable ScheduleAnyway, or add groups in the other domains"},
    Remedy{"InterPodAffinity",
           "relax the pod's affinity or anti-affinity, or add groups in other domains"},
    Remedy{"DynamicResources", "add nodes for the pod by hand: raise the target of a group"},
    Remedy{"MaxSizeReached", "raise max of GROUP"},
    Remedy{"LimitReached", "raise limits.SUBJECT.max"},
    Remedy{"BackedOff",
           "fix the cause (quota, capacity, permissions); the group is retried when the back-off "
           "ends"},
    Remedy{"GroupUnreadable",
           "run capstan doctor to check the cloud's credentials and API; the group is retried"},
    Remedy{"TargetUnknown", "run capstan doctor to check why the cloud reports no size of GROUP"},
    Remedy{"ZeroOrMax", "set max of GROUP, which grows only from 0 to max"},
    Remedy{"GroupUnhealthy",
           "repair or delete the unready nodes of GROUP, or raise scale_up.ok_total_unready_count"},
    Remedy{"ClusterUnhealthy",
           "repair or delete the unready nodes, or raise scale_up.ok_total_unready_count"},
    Remedy{"ScaleFromZeroDisabled", "set scale_up.from_zero = true"},
    Remedy{"NoTemplate", "complete the cloud's template of GROUP, or add a ready node to it"},
    Remedy{"NotCreated",
           "change the machine types, zones or labels of the group source's settings"},
    Remedy{"PassStopped", "wait for the next pass"},
    Remedy{"NoNodeGroup", "add node groups to the settings of a plugin in pipeline.clouds"},
    Remedy{"NotExplained", "run capstan explain pod for one of the pods"},
    Remedy{"SchedulingGated",
           "remove the pod's schedulingGates; usually the controller that set them does"},
    Remedy{"OtherScheduler",
           "add the scheduler to scale_up.allowed_scheduler_names, or change the pod's "
           "schedulerName"},
    Remedy{"Expendable",
           "raise the pod's priority, or lower scale_up.expendable_pods_priority_cutoff"},
    Remedy{"DaemonSetPod",
           "free room on the pod's node, or lower its requests; DaemonSets get no new nodes"},
    Remedy{"Nominated",
           "wait until the pods that it preempts have ended; check their grace periods and budgets "
           "if that takes long"},
    Remedy{"NotTried",
           "check that the pod's scheduler runs, or add it to scale_up.bypassed_scheduler_names"},
    Remedy{"TooYoung", "wait, or lower scale_up.new_pod_delay or the pod's own delay annotation"},
    Remedy{"PodLimitReached", "raise scale_up.max_unschedulable_pods_considered"},
    Remedy{"PodsNotCreated",
           "read the Events of the controller: kubectl describe shows why it creates no pods"},
    Remedy{"PodsNotCreated/quota",
           "raise the ResourceQuota, or lower the requests of the pods or of others in the "
           "namespace"},
    Remedy{"PodsNotCreated/suspended", "resume the Job: set spec.suspend to false"},

    Remedy{"ScaleDownDisabledAnnotation",
           "remove annotation cluster-autoscaler.kubernetes.io/scale-down-disabled from the node"},
    Remedy{"ScaleDownUnreadyDisabled",
           "set scale_down.unready_enabled = true, or repair or delete the node"},
    Remedy{"NotAutoscaled",
           "add the node's group to the cloud's settings, or delete the node by hand"},
    Remedy{"NotUnneededLongEnough", "wait, or lower scale_down.unneeded_time"},
    Remedy{"NotUnreadyLongEnough", "repair the node, or lower scale_down.unready_time"},
    Remedy{"NodeGroupMinSizeReached", "lower min of GROUP"},
    Remedy{"AtomicScaleDownFailed", "free all nodes of GROUP, which is removed atomically"},
    Remedy{"MinimalResourceLimitExceeded", "lower the min of this resource in limits"},
    Remedy{"NotUnderutilized",
           "raise scale_down.utilization_threshold, or lower the requests of the pods"},
    Remedy{"NotUnneededOtherReason", "wait, or change the setting that the reason names"},
    Remedy{"RecentlyUnremovable", "fix the cause; the removal is retried when the back-off ends"},
    Remedy{"NoPlaceToMovePods",
           "free room on other nodes, or relax the scheduling constraints of the pod"},
    Remedy{"BlockedByPod/job",
           "wait until the Job ends, or set scale_down.job_pods_unmovable = false"},
    Remedy{
        "BlockedByPod/replica_count",
        "raise the replicas of the controller, or lower scale_down.min_replica_count; delete the "
        "pod if its controller is missing"},
    Remedy{"BlockedByPod/several_pdbs", "change the selectors so that one budget covers the pod"},
    Remedy{"BlockedByPod/replicated",
           "annotate the pod with cluster-autoscaler.kubernetes.io/safe-to-evict: \"true\", or "
           "create it with a controller"},
    Remedy{"BlockedByPod/system",
           "add a PodDisruptionBudget for the pod, or set scale_down.skip_nodes_with_system_pods = "
           "false"},
    Remedy{"BlockedByPod/not_safe_to_evict",
           "remove annotation cluster-autoscaler.kubernetes.io/safe-to-evict from the pod"},
    Remedy{
        "BlockedByPod/do_not_disrupt",
        "remove annotation karpenter.sh/do-not-disrupt from the pod, or add \"do_not_disrupt\" to "
        "scale_down.drain_rules_off"},
    Remedy{"BlockedByPod/local_storage",
           "list the volume in annotation "
           "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes, or set "
           "scale_down.skip_nodes_with_local_storage = false"},
    Remedy{"BlockedByPod/pdb",
           "give the budget maxUnavailable of at least 1, or run more ready replicas"},
    Remedy{"BlockedByOnCompletionPod",
           "wait until the pod ends, or annotate it with "
           "cluster-autoscaler.kubernetes.io/safe-to-evict: \"true\""},
    Remedy{"UnexpectedError",
           "run capstan doctor to check the cloud's credentials and API; the removal is retried"},
};

std::string find_text(std::string_view code) {
    const auto at = std::ranges::find(table, code, &Remedy::code);
    return at == table.end() ? std::string() : std::string(at->text);
}

void replace(std::string& text, std::string_view placeholder, const std::string& by) {
    if (const std::size_t at = text.find(placeholder); at != std::string::npos)
        text.replace(at, placeholder.size(), by);
}

std::string names_of_groups(std::span<const NodeGroupId> groups) {
    constexpr std::size_t most = 3;
    if (groups.empty()) return "the group";
    return listed(groups, [](const NodeGroupId& id) { return id.value(); }, most);
}

/// "cpu", or "gpu_types.\"nvidia.com/gpu\"": the section of a limit within `limits`.
std::string section_of_limit(const std::string& limit) {
    constexpr std::string_view sections[] = {"cpu", "memory", "gpu", "nodes"};
    const bool is_section = std::ranges::find(sections, limit) != std::end(sections);
    return is_section ? limit : "gpu_types.\"" + limit + "\"";
}

}  // namespace

std::span<const Remedy> remedies() noexcept { return table; }

std::string remedy_for(const Reason& reason, std::span<const NodeGroupId> groups) {
    const ReasonSubject& subject = reason.subject;
    if (subject == ReasonSubject{SubjectKind::limit, "groups"})
        return "raise max_groups of the group source, or delete groups without nodes";
    if (reason.code == ReasonCode::node_resources_fit &&
        subject == ReasonSubject{SubjectKind::resource, "pods"})
        return find_text("NodeResourcesFit/pods");
    std::string out = find_text(name_of(reason.code));
    replace(out, "GROUP", names_of_groups(groups));
    const bool is_limit = subject.kind == SubjectKind::limit;
    if (!subject.name.empty())
        replace(out, "SUBJECT", is_limit ? section_of_limit(subject.name) : subject.name);
    replace(out, "label SUBJECT", "the labels");
    replace(out, "SUBJECT", "it");
    return out;
}

std::string remedy_for_missing_pods(const std::string& failure, bool is_short) {
    if (failure.find("quota") != std::string::npos) return find_text("PodsNotCreated/quota");
    if (failure.find("suspended") != std::string::npos)
        return find_text("PodsNotCreated/suspended");
    return is_short ? find_text("PodsNotCreated") : "";
}

std::string remedy_for(const UnschedulablePods& pods) {
    if (pods.groups.empty()) return remedy_for(pods.reason, {});
    return remedy_for(pods.reason, pods.groups.front().groups);
}

std::string remedy_for(const NodeVerdict& node, std::string_view drain_rule) {
    std::string code(name_of(node.reason));
    if (node.reason == Unremovable::blocked_by_pod)
        code += "/" + std::string(drain_rule.empty() ? "pdb" : drain_rule);
    std::string out = find_text(code);
    if (!node.group.empty()) replace(out, "GROUP", node.group.value());
    replace(out, "GROUP", "the group");
    return out;
}

}  // namespace capstan::engine
