#include "simulation/api_server/protobuf_schema.hpp"

#include <sstream>

namespace capstan::simulation {
namespace {

/// A message a line: numbers of fields, their names, and types; `list`, `map` and `inline` come
/// before what they are of. Numbers are those of Kubernetes' generated.proto files.
constexpr std::string_view messages = R"(
ObjectMeta 1 name text 2 generateName text 3 namespace text 4 selfLink ignored 5 uid text 6 resourceVersion text 7 generation ignored 8 creationTimestamp ignored 9 deletionTimestamp ignored 10 deletionGracePeriodSeconds ignored 11 labels map text 12 annotations map text 13 ownerReferences list OwnerReference 14 finalizers list text 17 managedFields ignored
OwnerReference 1 kind text 3 name text 4 uid text 5 apiVersion text 6 controller flag 7 blockOwnerDeletion flag
LabelSelector 1 matchLabels map text 2 matchExpressions list LabelSelectorRequirement
LabelSelectorRequirement 1 key text 2 operator text 3 values list text
ConfigMap 1 metadata ObjectMeta 2 data map text 3 binaryData map bytes 4 immutable flag
Secret 1 metadata ObjectMeta 2 data map bytes 3 type text 4 stringData map text 5 immutable flag
Namespace 1 metadata ObjectMeta 2 spec ignored 3 status ignored
ServiceAccount 1 metadata ObjectMeta 2 secrets list ObjectReference 3 imagePullSecrets list LocalObjectReference 4 automountServiceAccountToken flag
ObjectReference 1 kind text 2 namespace text 3 name text 4 uid text 5 apiVersion text 6 resourceVersion text 7 fieldPath text
LocalObjectReference 1 name text
ResourceQuota 1 metadata ObjectMeta 2 spec ResourceQuotaSpec 3 status ignored
ResourceQuotaSpec 1 hard map quantity 2 scopes list text
Service 1 metadata ObjectMeta 2 spec ServiceSpec 3 status ignored
ServiceSpec 1 ports list ServicePort 2 selector map text 3 clusterIP text 4 type text 5 externalIPs list text 7 sessionAffinity text 8 loadBalancerIP text 9 loadBalancerSourceRanges list text 10 externalName text 11 externalTrafficPolicy text 12 healthCheckNodePort number 13 publishNotReadyAddresses flag 17 ipFamilyPolicy text 18 clusterIPs list text 19 ipFamilies list text 20 allocateLoadBalancerNodePorts flag 21 loadBalancerClass text 22 internalTrafficPolicy text 23 trafficDistribution text
ServicePort 1 name text 2 protocol text 3 port number 4 targetPort number_or_text 5 nodePort number 6 appProtocol text
Pod 1 metadata ObjectMeta 2 spec PodSpec 3 status ignored
PodTemplateSpec 1 metadata ObjectMeta 2 spec PodSpec
Volume 1 name text 2 volumeSource inline VolumeSource
VolumeSource 1 hostPath HostPathVolumeSource
HostPathVolumeSource 1 path text 2 type text
PodSpec 1 volumes list Volume 2 containers list Container 3 restartPolicy text 4 terminationGracePeriodSeconds count 5 activeDeadlineSeconds count 6 dnsPolicy text 7 nodeSelector map text 8 serviceAccountName text 9 serviceAccount text 10 nodeName text 11 hostNetwork flag 12 hostPID flag 13 hostIPC flag 14 securityContext ignored 15 imagePullSecrets list LocalObjectReference 16 hostname text 17 subdomain text 19 schedulerName text 20 initContainers list Container 21 automountServiceAccountToken flag 22 tolerations list Toleration 24 priorityClassName text 25 priority count 30 enableServiceLinks flag 31 preemptionPolicy text
Container 1 name text 2 image text 3 command list text 4 args list text 5 workingDir text 6 ports list ContainerPort 7 env list EnvVar 8 resources ResourceRequirements 9 volumeMounts list VolumeMount 13 terminationMessagePath text 14 imagePullPolicy text 15 securityContext SecurityContext 16 stdin flag 17 stdinOnce flag 18 tty flag 20 terminationMessagePolicy text 24 restartPolicy text
ContainerPort 1 name text 2 hostPort number 3 containerPort number 4 protocol text 5 hostIP text
VolumeMount 1 name text 2 readOnly flag 3 mountPath text 4 subPath text 5 mountPropagation text 6 subPathExpr text
SecurityContext 1 capabilities Capabilities 2 privileged flag
Capabilities 1 add list text 2 drop list text
EnvVar 1 name text 2 value text
ResourceRequirements 1 limits map quantity 2 requests map quantity
Toleration 1 key text 2 operator text 3 value text 4 effect text 5 tolerationSeconds count
Deployment 1 metadata ObjectMeta 2 spec DeploymentSpec 3 status ignored
DeploymentSpec 1 replicas count 2 selector LabelSelector 3 template PodTemplateSpec 4 strategy DeploymentStrategy 5 minReadySeconds number 6 revisionHistoryLimit count 7 paused flag 9 progressDeadlineSeconds count
DeploymentStrategy 1 type text 2 rollingUpdate RollingUpdateDeployment
RollingUpdateDeployment 1 maxUnavailable number_or_text 2 maxSurge number_or_text
Job 1 metadata ObjectMeta 2 spec JobSpec 3 status ignored
JobSpec 1 parallelism count 2 completions count 3 activeDeadlineSeconds count 4 selector LabelSelector 5 manualSelector flag 6 template PodTemplateSpec 7 backoffLimit count 8 ttlSecondsAfterFinished count 9 completionMode text 10 suspend flag
CronJob 1 metadata ObjectMeta 2 spec CronJobSpec 3 status ignored
CronJobSpec 1 schedule text 2 startingDeadlineSeconds count 3 concurrencyPolicy text 4 suspend flag 5 jobTemplate JobTemplateSpec 6 successfulJobsHistoryLimit count 7 failedJobsHistoryLimit count 8 timeZone text
JobTemplateSpec 1 metadata ObjectMeta 2 spec JobSpec
PodDisruptionBudget 1 metadata ObjectMeta 2 spec PodDisruptionBudgetSpec 3 status ignored
PodDisruptionBudgetSpec 1 minAvailable number_or_text 2 selector LabelSelector 3 maxUnavailable number_or_text 4 unhealthyPodEvictionPolicy text
PriorityClass 1 metadata ObjectMeta 2 value count 3 globalDefault flag 4 description text 5 preemptionPolicy text
autoscaling/v1.HorizontalPodAutoscaler 1 metadata ObjectMeta 2 spec HorizontalPodAutoscalerSpecV1 3 status ignored
HorizontalPodAutoscalerSpecV1 1 scaleTargetRef CrossVersionObjectReference 2 minReplicas count 3 maxReplicas number 4 targetCPUUtilizationPercentage count
autoscaling/v2.HorizontalPodAutoscaler 1 metadata ObjectMeta 2 spec HorizontalPodAutoscalerSpecV2 3 status ignored
HorizontalPodAutoscalerSpecV2 1 scaleTargetRef CrossVersionObjectReference 2 minReplicas count 3 maxReplicas number 4 metrics list MetricSpec
CrossVersionObjectReference 1 kind text 2 name text 3 apiVersion text
MetricSpec 1 type text 4 resource ResourceMetricSource
ResourceMetricSource 1 name text 2 target MetricTarget
MetricTarget 1 type text 2 value quantity 3 averageValue quantity 4 averageUtilization count
Role 1 metadata ObjectMeta 2 rules list PolicyRule
ClusterRole 1 metadata ObjectMeta 2 rules list PolicyRule 3 aggregationRule AggregationRule
AggregationRule 1 clusterRoleSelectors list LabelSelector
PolicyRule 1 verbs list text 2 apiGroups list text 3 resources list text 4 resourceNames list text 5 nonResourceURLs list text
RoleBinding 1 metadata ObjectMeta 2 subjects list Subject 3 roleRef RoleRef
ClusterRoleBinding 1 metadata ObjectMeta 2 subjects list Subject 3 roleRef RoleRef
Subject 1 kind text 2 apiGroup text 3 name text 4 namespace text
RoleRef 1 apiGroup text 2 kind text 3 name text
Ingress 1 metadata ObjectMeta 2 spec IngressSpec 3 status ignored
IngressSpec 1 defaultBackend IngressBackend 2 tls list IngressTLS 3 rules list IngressRule 4 ingressClassName text
IngressTLS 1 hosts list text 2 secretName text
IngressRule 1 host text 2 ingressRuleValue inline IngressRuleValue
IngressRuleValue 1 http HTTPIngressRuleValue
HTTPIngressRuleValue 1 paths list HTTPIngressPath
HTTPIngressPath 1 path text 2 backend IngressBackend 3 pathType text
IngressBackend 3 resource TypedLocalObjectReference 4 service IngressServiceBackend
IngressServiceBackend 1 name text 2 port ServiceBackendPort
ServiceBackendPort 1 name text 2 number number
TypedLocalObjectReference 1 apiGroup text 2 kind text 3 name text
Eviction 1 metadata ObjectMeta 2 deleteOptions DeleteOptions
DeleteOptions 1 gracePeriodSeconds count 2 preconditions Preconditions 3 orphanDependents flag 4 propagationPolicy text 5 dryRun list text
Preconditions 1 uid text 2 resourceVersion text
Scale 1 metadata ObjectMeta 2 spec ScaleSpec 3 status ignored
ScaleSpec 1 replicas count
Binding 1 metadata ObjectMeta 2 target ObjectReference
)";

using Messages = std::map<std::string, ProtobufMessage, std::less<>>;

void set_type(ProtobufField& field, const std::string& word) {
    static const std::map<std::string, ProtobufType, std::less<>> types{
        {"text", ProtobufType::text},
        {"number", ProtobufType::number},
        {"count", ProtobufType::count},
        {"flag", ProtobufType::flag},
        {"bytes", ProtobufType::bytes},
        {"quantity", ProtobufType::quantity},
        {"number_or_text", ProtobufType::number_or_text},
        {"ignored", ProtobufType::ignored}};
    const auto known = types.find(word);
    field.type = known == types.end() ? ProtobufType::message : known->second;
    if (known == types.end()) field.message = word;
}

ProtobufMessage read_schema_message(std::istream& words) {
    ProtobufMessage out;
    unsigned number = 0;
    ProtobufField field;
    for (std::string type; words >> number >> field.name >> type; field = {}) {
        field.is_list = type == "list";
        field.is_map = type == "map";
        field.is_inline = type == "inline";
        if (field.is_list || field.is_map || field.is_inline) words >> type;
        set_type(field, type);
        out.emplace(number, field);
    }
    return out;
}

Messages read_messages() {
    Messages out;
    std::istringstream lines{std::string(messages)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        if (words >> name) out.emplace(name, read_schema_message(words));
    }
    return out;
}

}  // namespace

const ProtobufMessage* find_protobuf_message(std::string_view name) {
    static const Messages all = read_messages();
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
}

}  // namespace capstan::simulation
