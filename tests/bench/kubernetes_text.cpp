#include "kubernetes_text.hpp"

#include <string_view>

namespace capstan::bench {
namespace {

std::string repeated(int times, const auto& text_of) {
    std::string out;
    for (int i = 0; i < times; ++i) out += (i > 0 ? "," : "") + std::string(text_of(i));
    return out;
}

std::string environment(int) {
    return R"({"name":"OTEL_EXPORTER_OTLP_ENDPOINT","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.hostIP"}}})";
}

std::string probe() {
    return R"({"failureThreshold":3,"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"initialDelaySeconds":5,"periodSeconds":10,"successThreshold":1,"timeoutSeconds":1})";
}

std::string container(int number) {
    return R"({"name":"c)" + std::to_string(number) +
           R"(","image":"registry.example.com/team/service:1.42.0","args":["--config=/etc/service/config.yaml"],"env":[)" +
           repeated(13, environment) + R"(],"livenessProbe":)" + probe() + R"(,"readinessProbe":)" +
           probe() +
           R"(,"resources":{"limits":{"memory":"512Mi"},"requests":{"cpu":"250m","memory":"512Mi"}},"volumeMounts":[{"mountPath":"/etc/service","name":"config"}],"terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"})";
}

std::string managed_fields() {
    return R"("managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","manager":"kube-controller-manager","operation":"Update","time":"2023-11-14T22:13:20Z","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"5d1c\"}":{}}},"f:spec":{"f:containers":{)" +
           repeated(
               2,
               [](int i) {
                   return R"("k:{\"name\":\"c)" + std::to_string(i) +
                          R"(\"}":{".":{},"f:args":{},"f:env":{".":{}},"f:image":{},"f:imagePullPolicy":{},"f:livenessProbe":{".":{},"f:failureThreshold":{}},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}},"f:volumeMounts":{}})";
               }) +
           R"(},"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}])";
}

std::string spec() {
    return R"("spec":{"containers":[)" + repeated(2, container) +
           R"(],"nodeName":"NODE","priority":0,"schedulerName":"default-scheduler","serviceAccountName":"default","tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"OWNER"}}}],"volumes":[{"name":"config","configMap":{"name":"service","defaultMode":420}},{"name":"kube-api-access","projected":{"defaultMode":420,"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}]}}]})";
}

std::string status() {
    return R"("status":{"phase":"Running","hostIP":"10.0.0.1","podIP":"10.1.2.3","qosClass":"Burstable","startTime":"2023-11-14T22:13:21Z","conditions":[)" +
           repeated(
               4,
               [](int i) {
                   return R"({"type":"Condition)" + std::to_string(i) +
                          R"(","status":"True","lastProbeTime":null,"lastTransitionTime":"2023-11-14T22:13:22Z"})";
               }) +
           R"(],"containerStatuses":[)" +
           repeated(
               2,
               [](int i) {
                   return R"({"name":"c)" + std::to_string(i) +
                          R"(","ready":true,"restartCount":0,"image":"registry.example.com/team/service:1.42.0","imageID":"registry.example.com/team/service@sha256:0f0e0d0c0b0a09080706050403020100","containerID":"containerd://00112233445566778899aabbccddeeff","state":{"running":{"startedAt":"2023-11-14T22:13:22Z"}}})";
               }) +
           "]}";
}

/// A pod with the placeholders NAME, OWNER and NODE.
std::string pod_pattern() {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"NAME","namespace":"shop","uid":"NAME","resourceVersion":"1","creationTimestamp":"2023-11-14T22:13:20Z","labels":{"app":"OWNER","pod-template-hash":"5d9c7b"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"OWNER","uid":"OWNER","controller":true,"blockOwnerDeletion":true}],)" +
           managed_fields() + "}," + spec() + "," + status() + "}";
}

std::string image(int number) {
    return R"({"names":["registry.example.com/team/service-)" + std::to_string(number) +
           R"(@sha256:0f0e0d0c0b0a09080706050403020100","registry.example.com/team/service-)" +
           std::to_string(number) + R"(:1.42.0"],"sizeBytes":123456789})";
}

std::string node_condition(const char* type, const char* status) {
    return std::string(R"({"type":")") + type + R"(","status":")" + status +
           R"(","lastHeartbeatTime":"2023-11-14T22:13:20Z","lastTransitionTime":"2023-11-14T22:13:20Z","reason":"KubeletReady","message":"kubelet is posting ready status"})";
}

/// A node with the placeholders NAME and ZONE.
std::string node_pattern() {
    return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"NAME","uid":"NAME","resourceVersion":"1","creationTimestamp":"2023-11-14T22:13:20Z","labels":{"kubernetes.io/hostname":"NAME","kubernetes.io/arch":"amd64","kubernetes.io/os":"linux","node.kubernetes.io/instance-type":"m5.8xlarge","topology.kubernetes.io/region":"region","topology.kubernetes.io/zone":"ZONE"},"annotations":{"node.alpha.kubernetes.io/ttl":"0","volumes.kubernetes.io/controller-managed-attach-detach":"true"},)" +
           managed_fields() +
           R"(},"spec":{"podCIDR":"10.0.0.0/24","providerID":"cloud:///ZONE/NAME"},"status":{"capacity":{"cpu":"32","memory":"131072Mi","pods":"110","ephemeral-storage":"100Gi"},"allocatable":{"cpu":"31500m","memory":"127000Mi","pods":"110","ephemeral-storage":"90Gi"},"conditions":[)" +
           node_condition("MemoryPressure", "False") + "," +
           node_condition("DiskPressure", "False") + "," + node_condition("PIDPressure", "False") +
           "," + node_condition("Ready", "True") + R"(],"images":[)" + repeated(50, image) + "]}}";
}

void replace_all(std::string& text, std::string_view word, const std::string& by) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
        text.replace(at, word.size(), by);
}

}  // namespace

std::string list_head() {
    return R"({"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"1"},"items":[)";
}

std::string pod_text(int number, int node) {
    static const std::string pattern = pod_pattern();
    std::string out = pattern;
    const std::string owner = "service-" + std::to_string(number / 30);
    replace_all(out, "NAME", owner + "-" + std::to_string(number));
    replace_all(out, "OWNER", owner);
    replace_all(out, "NODE", "node-" + std::to_string(node));
    return out;
}

std::string pod_text(int number) { return pod_text(number, number % 15'000); }

std::string node_text(int number) {
    static const std::string pattern = node_pattern();
    std::string out = pattern;
    replace_all(out, "NAME", "node-" + std::to_string(number));
    replace_all(out, "ZONE", "zone-" + std::to_string(number % 3));
    return out;
}

std::string replica_set_text(int number) {
    static const std::string pattern =
        R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"OWNER","namespace":"shop","uid":"OWNER","resourceVersion":"1",)" +
        managed_fields() +
        R"(},"spec":{"replicas":30,"selector":{"matchLabels":{"app":"OWNER"}},"template":{"metadata":{"labels":{"app":"OWNER"}},)" +
        spec() + "}}}";
    std::string out = pattern;
    replace_all(out, "OWNER", "service-" + std::to_string(number));
    return out;
}

}  // namespace capstan::bench
