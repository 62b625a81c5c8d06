#include "simulator/api_server/protobuf_body.hpp"

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <capstan/base64.hpp>

namespace capstan::simulator::api_server {
namespace {

/// One message a line: its name, then number, name and type of each field. `list`, `map` and
/// `inline` stand before the type of an element. The numbers are those of Kubernetes'
/// generated.proto files.
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
    const auto found = types.find(word);
    field.type = found == types.end() ? ProtobufType::message : found->second;
    if (found == types.end()) field.message = word;
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

namespace {

constexpr std::string_view magic{"k8s\0", 4};
constexpr int message_depth_max = 32;

UnexpectedStatus no_protobuf_object() {
    return fail(StatusError{
        400, "BadRequest", "the request body is not a protobuf-encoded object", {}, {}, {}});
}
UnexpectedStatus unsupported_media_type(const std::string& what) {
    return fail(StatusError{
        415,
        "UnsupportedMediaType",
        what + " cannot be decoded from protobuf by this server; send JSON: kubectl create "
               "--dry-run=client -o json ... | kubectl create -f -",
        {},
        {},
        {}});
}

/// One field on the wire: a number, or bytes.
struct RawField {
    unsigned number = 0;
    std::uint64_t varint = 0;
    std::string_view bytes{};
};

/// Reads the fields of a message one after the other.
class WireReader {
public:
    explicit WireReader(std::string_view rest) : rest_(rest) {}
    bool is_at_end() const { return rest_.empty(); }

    /// Absent: the bytes are malformed, or the field has a type that the API does not use.
    std::optional<RawField> next() {
        const auto key = varint();
        if (!key) return std::nullopt;
        RawField out{.number = static_cast<unsigned>(*key >> 3)};
        const auto type = *key & 7;
        if (type == 0) return with_number(out);
        if (type == 2) return with_bytes(out);
        return std::nullopt;
    }

private:
    std::optional<std::uint64_t> varint() {
        std::uint64_t out = 0;
        for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            out |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) return out;
        }
        return std::nullopt;
    }
    std::optional<RawField> with_number(RawField out) {
        const auto number = varint();
        if (!number) return std::nullopt;
        out.varint = *number;
        return out;
    }
    std::optional<RawField> with_bytes(RawField out) {
        const auto size = varint();
        if (!size || *size > rest_.size()) return std::nullopt;
        out.bytes = rest_.substr(0, *size);
        rest_.remove_prefix(*size);
        return out;
    }

    std::string_view rest_;
};

Answer<json::object> decode_message(std::string_view bytes, const std::string& name, int depth);

/// IntOrString: field 1 says which of the two it is, 2 is the number, 3 the text.
Answer<json::value> read_number_or_text(std::string_view bytes) {
    bool is_text = false;
    json::value number = 0, text = "";
    for (WireReader reader(bytes); !reader.is_at_end();) {
        const auto raw = reader.next();
        if (!raw) return no_protobuf_object();
        if (raw->number == 1) is_text = raw->varint == 1;
        if (raw->number == 2) number = static_cast<std::int64_t>(raw->varint);
        if (raw->number == 3) text = json_view(raw->bytes);
    }
    return is_text ? text : number;
}

/// Quantity: field 1 is its text.
Answer<json::value> read_quantity(std::string_view bytes) {
    json::value out = "0";
    for (WireReader reader(bytes); !reader.is_at_end();) {
        const auto raw = reader.next();
        if (!raw) return no_protobuf_object();
        if (raw->number == 1) out = json_view(raw->bytes);
    }
    return out;
}

Answer<json::value> read_value(const RawField& raw, const ProtobufField& field, int depth) {
    switch (field.type) {
        case ProtobufType::text: return json::value(json_view(raw.bytes));
        case ProtobufType::number:
        case ProtobufType::count: return json::value(static_cast<std::int64_t>(raw.varint));
        case ProtobufType::flag: return json::value(raw.varint != 0);
        case ProtobufType::bytes: return json::value(json_view(base64_encode(raw.bytes)));
        case ProtobufType::quantity: return read_quantity(raw.bytes);
        case ProtobufType::number_or_text: return read_number_or_text(raw.bytes);
        case ProtobufType::message: {
            CAPSTAN_TRY(json::object out, decode_message(raw.bytes, field.message, depth + 1));
            return json::value(std::move(out));
        }
        case ProtobufType::ignored: break;
    }
    return json::value();
}

/// An entry of a map: a message with the key as field 1 and the value as field 2.
Answer<void> read_entry(const RawField& raw, const ProtobufField& field, json::object& map,
                        int depth) {
    std::string key;
    json::value value = "";
    for (WireReader reader(raw.bytes); !reader.is_at_end();) {
        const auto part = reader.next();
        if (!part) return no_protobuf_object();
        if (part->number == 1) key = part->bytes;
        if (part->number != 2) continue;
        CAPSTAN_TRY(value, read_value(*part, field, depth));
    }
    map[key] = std::move(value);
    return {};
}

/// Clients always send these fields, so a zero value means that the member is absent.
bool is_present(const json::value& value, ProtobufType type) {
    switch (type) {
        case ProtobufType::text: return !value.get_string().empty();
        case ProtobufType::number: return value.get_int64() != 0;
        case ProtobufType::flag: return value.get_bool();
        case ProtobufType::message: return !value.get_object().empty();
        default: return true;
    }
}

Answer<void> take_field(const RawField& raw, const ProtobufField& field, json::object& to,
                        int depth) {
    if (field.type == ProtobufType::ignored) return {};
    if (field.is_map) return read_entry(raw, field, make_object(to, field.name), depth);
    CAPSTAN_TRY(json::value value, read_value(raw, field, depth));
    if (field.is_inline) {
        for (auto& member : value.get_object()) to[member.key()] = std::move(member.value());
    } else if (field.is_list) {
        json::value& list = to[field.name];
        if (!list.is_array()) list.emplace_array();
        list.get_array().push_back(std::move(value));
    } else if (is_present(value, field.type)) {
        to[field.name] = std::move(value);
    }
    return {};
}

Answer<json::object> decode_message(std::string_view bytes, const std::string& name, int depth) {
    const ProtobufMessage* const message = find_protobuf_message(name);
    if (message == nullptr) return unsupported_media_type(name);
    if (depth > message_depth_max) return no_protobuf_object();
    json::object out;
    for (WireReader reader(bytes); !reader.is_at_end();) {
        const auto raw = reader.next();
        if (!raw) return no_protobuf_object();
        const auto field = message->find(raw->number);
        const bool is_zero = raw->bytes.empty() && raw->varint == 0;
        if (field != message->end()) {
            CAPSTAN_CHECK(take_field(*raw, field->second, out, depth));
        } else if (!is_zero) {
            return unsupported_media_type("field " + std::to_string(raw->number) + " of " + name);
        }
    }
    return out;
}

/// runtime.Unknown: apiVersion and kind, and the bytes of the object.
struct Envelope {
    std::string api_version{}, kind{};
    std::optional<std::string_view> object{};
};

std::optional<Envelope> open_envelope(std::string_view body) {
    if (!body.starts_with(magic)) return std::nullopt;
    Envelope out;
    for (WireReader reader(body.substr(magic.size())); !reader.is_at_end();) {
        const auto raw = reader.next();
        if (!raw) return std::nullopt;
        if (raw->number == 2) out.object = raw->bytes;
        if (raw->number != 1) continue;
        for (WireReader type(raw->bytes); !type.is_at_end();) {
            const auto part = type.next();
            if (!part) return std::nullopt;
            (part->number == 1 ? out.api_version : out.kind) = part->bytes;
        }
    }
    return out;
}

}  // namespace

Answer<json::object> parse_protobuf_body(std::string_view body) {
    const std::optional<Envelope> envelope = open_envelope(body);
    if (!envelope || !envelope->object) return no_protobuf_object();
    const std::string versioned = envelope->api_version + "." + envelope->kind;
    const bool is_versioned = find_protobuf_message(versioned) != nullptr;
    CAPSTAN_TRY(json::object out,
                decode_message(*envelope->object, is_versioned ? versioned : envelope->kind, 0));
    out["apiVersion"] = envelope->api_version;
    out["kind"] = envelope->kind;
    return out;
}

}  // namespace capstan::simulator::api_server
