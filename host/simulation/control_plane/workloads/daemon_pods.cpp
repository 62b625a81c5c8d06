#include "simulation/control_plane/workloads/daemon_pods.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/scheduling/predicates/node_affinity.hpp"
#include "engine/scheduling/predicates/taint_toleration.hpp"
#include "kubernetes/node_decode.hpp"
#include "kubernetes/pod_spec_decode.hpp"
#include "simulation/control_plane/pod_facts.hpp"
#include "simulation/control_plane/workloads/revisions.hpp"

namespace capstan::simulation {
namespace {

struct Borne {
    std::string_view taint, effect;
};

constexpr Borne borne[] = {
    {"node.kubernetes.io/not-ready", "NoExecute"},
    {"node.kubernetes.io/unreachable", "NoExecute"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"},
    {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},
    {"node.kubernetes.io/unschedulable", "NoSchedule"},
};

void add_tolerations(json::object& spec) {
    json::value& list = spec["tolerations"];
    if (!list.is_array()) list.emplace_array();
    for (const Borne& row : borne)
        list.get_array().push_back(json::object{{"key", json_view(row.taint)},
                                                {"operator", "Exists"},
                                                {"effect", json_view(row.effect)}});
}

json::object name_term(std::string_view node) {
    return {{"matchFields", json::array{json::object{{"key", "metadata.name"},
                                                     {"operator", "In"},
                                                     {"values", json::array{json_view(node)}}}}}};
}

/// Every required term is held to that node; the name itself is a term where there are none.
void pin(json::object& spec, std::string_view node) {
    constexpr std::string_view path =
        "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    json::array terms;
    if (const json::array* own = find_array(spec, path))
        for (const json::value& item : *own) {
            json::object term = item.is_object() ? item.get_object() : json::object();
            term["matchFields"] = name_term(node)["matchFields"];
            terms.push_back(std::move(term));
        }
    if (terms.empty()) terms.push_back(name_term(node));
    set_value(spec, path, std::move(terms));
}

}  // namespace

engine::PodSpec daemon_spec(const json::object& set) {
    const json::object* written = find_object(set, "spec.template.spec");
    json::object spec = written == nullptr ? json::object() : *written;
    add_tolerations(spec);
    const json::value document = std::move(spec);
    kubernetes::JsonProblems problems(document);
    return kubernetes::decode_pod_spec(problems.root()).spec;
}

DaemonVerdict judge_daemon(const engine::PodSpec& spec, const json::object& node) {
    const json::value document = node;
    kubernetes::JsonProblems problems(document);
    const auto decoded = kubernetes::decode_node(problems.root());
    if (!decoded || !engine::selects(spec, {.name = decoded->name, .labels = decoded->labels}))
        return DaemonVerdict::goes;
    std::vector<Taint> taints = decoded->taints;
    const bool may_run = engine::find_untolerated_taint(spec, taints) == nullptr;
    std::erase_if(taints, [](const Taint& taint) { return taint.effect != Effect::no_execute; });
    const bool may_stay = engine::find_untolerated_taint(spec, taints) == nullptr;
    return may_run ? DaemonVerdict::runs : may_stay ? DaemonVerdict::stays : DaemonVerdict::goes;
}

json::object make_daemon_pod(const Workload& set, std::string_view node,
                             std::string_view revision_hash) {
    json::object pod = make_pod(set);
    set_label(pod, revision_label, revision_hash);
    json::object& spec = make_object(pod, "spec");
    add_tolerations(spec);
    pin(spec, node);
    return pod;
}

std::string daemon_node(const json::object& pod) {
    if (const std::string_view bound = text_at(pod, "spec.nodeName"); !bound.empty())
        return std::string(bound);
    const json::array* terms =
        find_array(pod,
                   "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                   "nodeSelectorTerms");
    if (terms == nullptr || terms->empty() || !terms->at(0).is_object()) return {};
    const json::array* fields = find_array(terms->at(0).get_object(), "matchFields");
    if (fields == nullptr || fields->empty() || !fields->at(0).is_object()) return {};
    const json::array* names = find_array(fields->at(0).get_object(), "values");
    if (names == nullptr || names->empty() || !names->at(0).is_string()) return {};
    return std::string(view(names->at(0).get_string()));
}

}  // namespace capstan::simulation
