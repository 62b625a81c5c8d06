#include "simulation/control_plane/workloads/job_pods.hpp"

#include <string>

#include "simulation/control_plane/pod_facts.hpp"
#include "simulation/control_plane/workloads/job_progress.hpp"

namespace capstan::simulation {
namespace {

constexpr std::string_view index_key = "batch.kubernetes.io/job-completion-index";
constexpr std::string_view uid_key = "batch.kubernetes.io/controller-uid";

}  // namespace

bool is_indexed(const json::object& job) {
    return text_at(job, "spec.completionMode") == "Indexed";
}

void complete_job(ControlContext& context, const json::object& job) {
    if (find_object(job, "spec.selector") != nullptr) return;
    const std::string_view uid = text_at(job, "metadata.uid");
    const std::string_view name = text_at(job, "metadata.name");
    context.edit("jobs.batch", job, [&](json::object& fresh) {
        json::object& spec = make_object(fresh, "spec");
        make_object(make_object(spec, "selector"), "matchLabels")[json_view(uid_key)] =
            json_view(uid);
        json::object& pod = make_object(spec, "template");
        for (const std::string_view key : {uid_key, std::string_view("controller-uid")})
            set_label(pod, key, uid);
        for (const char* key : {"batch.kubernetes.io/job-name", "job-name"})
            set_label(pod, key, name);
    });
}

json::object make_job_pod(const Workload& job, std::optional<std::int64_t> index) {
    json::object pod = make_pod(job);
    json::object& metadata = make_object(pod, "metadata");
    json::value& finalizers = metadata["finalizers"];
    if (!finalizers.is_array()) finalizers.emplace_array();
    finalizers.get_array().push_back(json_view(job_finalizer));
    if (!index) return pod;
    const std::string number = std::to_string(*index);
    const std::string name = std::string(text_at(*job.object, "metadata.name")) + "-" + number;
    metadata["generateName"] = name + "-";
    set_annotation(pod, index_key, number);
    set_label(pod, index_key, number);
    make_object(pod, "spec")["hostname"] = name;
    return pod;
}

std::optional<std::int64_t> find_index(const json::object& pod) {
    const auto indexes = parse_indexes(annotation_of(pod, index_key));
    return indexes.size() == 1 ? std::optional(indexes.front()) : std::nullopt;
}

}  // namespace capstan::simulation
