#include "simulator/live/manifests.hpp"

#include <capstan/duration.hpp>
#include <capstan/well_known.hpp>

#include "kubernetes/objects/object_encode.hpp"
#include "simulator/control_plane/control_plane.hpp"

namespace capstan::simulator::live {
namespace {

using kubernetes::objects::encode_labels;

/// A pod spec with an image, which the engine's PodSpec does not have.
json::object pod_spec(const engine::snapshot::PodSpec& spec, const std::string& image) {
    json::object out = kubernetes::objects::encode_pod_spec(spec);
    out["containers"].as_array().front().as_object()["image"] = image;
    return out;
}

json::object manifest_metadata(const std::string& name, const Labels& labels,
                               const Labels& annotations) {
    json::object out{{"name", name}};
    if (!labels.empty()) out["labels"] = encode_labels(labels);
    if (!annotations.empty()) out["annotations"] = encode_labels(annotations);
    return out;
}

/// A selector by the label `app`; by all labels if there is no such label.
json::object manifest_selector(const Labels& labels) {
    const auto app = labels.find("app");
    const Labels own = app == labels.end() ? labels : Labels{*app};
    return kubernetes::objects::encode_selector({.match_labels = own});
}

json::object template_of(const engine::snapshot::PodSpec& spec, const Labels& labels,
                         const Labels& annotations, const std::string& name) {
    json::object metadata{{"labels", encode_labels(labels)}};
    if (!annotations.empty()) metadata["annotations"] = encode_labels(annotations);
    return {{"metadata", std::move(metadata)}, {"spec", pod_spec(spec, name + ":1")}};
}

/// Annotations that set the start-up and the run time of the pods. A Job without a duration never
/// ends.
Labels annotations_of(const PodBatch& batch) {
    constexpr Duration for_ever = std::chrono::hours(24 * 365);
    Labels out = batch.pod.annotations;
    out.emplace(control_plane::start_up_annotation, format_duration(batch.start_up));
    if (workload_of(batch) == "jobs.batch")
        out.emplace(control_plane::run_for_annotation,
                    format_duration(batch.duration.value_or(for_ever)));
    return out;
}

json::value share_of(const PodShare& share) {
    if (share.is_percent) return json::string(std::to_string(share.amount) + "%");
    return share.amount;
}

json::object job_spec(int count, json::object pod_template) {
    pod_template["spec"].as_object()["restartPolicy"] = "Never";
    return {{"parallelism", count}, {"completions", count}, {"template", std::move(pod_template)}};
}

}  // namespace

std::string workload_of(const PodBatch& batch) {
    switch (batch.controller) {
        case Controller::replica_set: return "deployments.apps";
        case Controller::stateful_set: return "statefulsets.apps";
        case Controller::job: return "jobs.batch";
        case Controller::none: return batch.duration ? "jobs.batch" : "";
    }
    return "";
}

Manifest make_manifest(const PodBatch& batch) {
    const engine::snapshot::PodObject& pod = batch.pod;
    const std::string resource = workload_of(batch);
    const int count = batch.count.value_or(1);
    json::object pods = template_of(pod.spec, pod.labels, annotations_of(batch), pod.name);
    json::object spec;
    if (resource == "jobs.batch") {
        spec = job_spec(count, std::move(pods));
    } else {
        spec = {{"replicas", count},
                {"selector", manifest_selector(pod.labels)},
                {"template", std::move(pods)}};
    }
    if (resource == "statefulsets.apps") spec["serviceName"] = pod.name;
    return {resource,
            pod.ns,
            {{"metadata", manifest_metadata(pod.name, pod.labels, {})}, {"spec", std::move(spec)}}};
}

Manifest make_pod(const PodBatch& batch, const std::string& name) {
    const engine::snapshot::PodObject& pod = batch.pod;
    return {"pods",
            pod.ns,
            {{"metadata", manifest_metadata(name, pod.labels, annotations_of(batch))},
             {"spec", pod_spec(pod.spec, pod.name + ":1")}}};
}

Manifest make_manifest(const engine::snapshot::DaemonSetObject& set) {
    json::object spec{{"selector", manifest_selector(set.labels)},
                      {"template", template_of(set.spec, set.labels, set.annotations, set.name)}};
    return {"daemonsets.apps",
            set.ns,
            {{"metadata", manifest_metadata(set.name, set.labels, {})}, {"spec", std::move(spec)}}};
}

Manifest make_manifest(const Budget& budget) {
    json::object spec{{"selector", kubernetes::objects::encode_selector(budget.selector)}};
    if (budget.min_available) spec["minAvailable"] = share_of(*budget.min_available);
    if (budget.max_unavailable) spec["maxUnavailable"] = share_of(*budget.max_unavailable);
    return {"poddisruptionbudgets.policy",
            budget.ns,
            {{"metadata", manifest_metadata(budget.name, {}, {})}, {"spec", std::move(spec)}}};
}

Manifest make_manifest(const engine::snapshot::ServiceObject& service) {
    json::object spec{{"selector", encode_labels(service.selector)},
                      {"ports", json::array{json::object{{"port", 80}}}}};
    return {"services",
            service.ns,
            {{"metadata", manifest_metadata(service.name, {}, {})}, {"spec", std::move(spec)}}};
}

Manifest make_manifest(const engine::snapshot::NodeObject& node) {
    engine::snapshot::NodeObject own = node;
    own.ready = true;
    own.labels.emplace(well_known::hostname_label, node.name);
    return {"nodes", "", kubernetes::objects::encode_node(own)};
}

}  // namespace capstan::simulator::live
