#include "simulation/control_plane/workloads/daemon_sets.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <capstan/well_known.hpp>

#include "engine/scheduling/predicates/node_affinity.hpp"
#include "engine/scheduling/predicates/taint_toleration.hpp"
#include "kubernetes/object_decode.hpp"
#include "kubernetes/pod_decode.hpp"
#include "simulation/control_plane/context/object_fields.hpp"
#include "simulation/control_plane/workloads/pod_control.hpp"
#include "simulation/control_plane/workloads/replica_sets.hpp"

namespace capstan::simulation::control_plane {
namespace {

struct Borne {
    std::string_view taint, effect;
};

constexpr Borne borne[] = {
    {well_known::not_ready_taint, "NoExecute"},
    {well_known::unreachable_taint, "NoExecute"},
    {well_known::disk_pressure_taint, "NoSchedule"},
    {well_known::memory_pressure_taint, "NoSchedule"},
    {well_known::pid_pressure_taint, "NoSchedule"},
    {well_known::unschedulable_taint, "NoSchedule"},
};

void add_tolerations(json::object& spec) {
    json::value& list = spec["tolerations"];
    if (!list.is_array()) list.emplace_array();
    for (const Borne& row : borne)
        list.get_array().push_back(json::object{{"key", api_server::json_view(row.taint)},
                                                {"operator", "Exists"},
                                                {"effect", api_server::json_view(row.effect)}});
}

json::object name_term(std::string_view node) {
    return {{"matchFields",
             json::array{json::object{{"key", "metadata.name"},
                                      {"operator", "In"},
                                      {"values", json::array{api_server::json_view(node)}}}}}};
}

/// Every required term is held to that node; the name itself is a term where there are none.
void pin(json::object& spec, std::string_view node) {
    constexpr std::string_view path =
        "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    json::array terms;
    if (const json::array* own = api_server::find_array(spec, path))
        for (const json::value& item : *own) {
            json::object term = item.is_object() ? item.get_object() : json::object();
            term["matchFields"] = name_term(node)["matchFields"];
            terms.push_back(std::move(term));
        }
    if (terms.empty()) terms.push_back(name_term(node));
    api_server::set_value(spec, path, std::move(terms));
}

}  // namespace

engine::snapshot::PodSpec daemon_spec(const json::object& set) {
    const json::object* written = api_server::find_object(set, "spec.template.spec");
    json::object spec = written == nullptr ? json::object() : *written;
    add_tolerations(spec);
    const json::value document = std::move(spec);
    kubernetes::JsonProblems problems(document);
    return kubernetes::decode_pod_spec(problems.root()).spec;
}

DaemonVerdict judge_daemon(const engine::snapshot::PodSpec& spec, const json::object& node) {
    const json::value document = node;
    kubernetes::JsonProblems problems(document);
    const auto decoded = kubernetes::decode_node(problems.root());
    if (!decoded ||
        !engine::scheduling::selects(spec, {.name = decoded->name, .labels = decoded->labels}))
        return DaemonVerdict::goes;
    std::vector<Taint> taints = decoded->taints;
    const bool may_run = engine::scheduling::find_untolerated_taint(spec, taints) == nullptr;
    std::erase_if(taints, [](const Taint& taint) { return taint.effect != Effect::no_execute; });
    const bool may_stay = engine::scheduling::find_untolerated_taint(spec, taints) == nullptr;
    return may_run ? DaemonVerdict::runs : may_stay ? DaemonVerdict::stays : DaemonVerdict::goes;
}

json::object make_daemon_pod(const Workload& set, std::string_view node,
                             std::string_view revision_hash) {
    json::object pod = make_pod(set);
    set_label(pod, revision_label, revision_hash);
    json::object& spec = api_server::make_object(pod, "spec");
    add_tolerations(spec);
    pin(spec, node);
    return pod;
}

std::string daemon_node(const json::object& pod) {
    if (const std::string_view bound = api_server::text_at(pod, "spec.nodeName"); !bound.empty())
        return std::string(bound);
    const json::array* terms = api_server::find_array(
        pod,
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
        "nodeSelectorTerms");
    if (terms == nullptr || terms->empty() || !terms->at(0).is_object()) return {};
    const json::array* fields = api_server::find_array(terms->at(0).get_object(), "matchFields");
    if (fields == nullptr || fields->empty() || !fields->at(0).is_object()) return {};
    const json::array* names = api_server::find_array(fields->at(0).get_object(), "values");
    if (names == nullptr || names->empty() || !names->at(0).is_string()) return {};
    return std::string(api_server::view(names->at(0).get_string()));
}

/// A set as it is looked at.
struct DaemonSets::Look {
    struct Place {
        DaemonVerdict verdict = DaemonVerdict::goes;  ///< of a node that is not there, too
        std::vector<api_server::ApiObject> pods{};
    };
    Workload set{};
    api_server::ApiObject revision{};
    std::map<std::string, Place> places{};  ///< by node
    Duration min_ready{};
    Time now{};

    std::string_view hash() const { return api_server::label_of(*revision, revision_label); }
    bool is_updated(const json::object& pod) const {
        return api_server::label_of(pod, revision_label) == hash();
    }
    bool serves(const json::object& pod) const {
        return availability(pod, min_ready, now).is_available;
    }
    std::int64_t desired() const {
        return std::ranges::count_if(
            places, [](const auto& place) { return place.second.verdict == DaemonVerdict::runs; });
    }
};

DaemonSets::DaemonSets(ControlContext& context)
    : context_(context),
      queue_(context.loop(), [this](const std::string& key) { reconcile(key); }) {
    watch_workloads(context, "daemonsets.apps", "pods", queue_);
    context.feed().listen("nodes", [this](const api_server::Change&) {
        for (const api_server::ApiObject& set :
             context_.store().list(context_.kind("daemonsets.apps")).items)
            queue_.add(api_server::object_key(*set));
    });
}

void DaemonSets::reconcile(const std::string& key) {
    Look look{.set = {&context_.kind("daemonsets.apps"), context_.find("daemonsets.apps", key),
                      "daemonset-controller"}};
    if (look.set.object == nullptr) return;
    look.now = context_.now();
    look.min_ready = context_.paced_s(number_or(*look.set.object, "spec.minReadySeconds", 0));
    look.revision = present_revision(context_, look.set);
    if (look.revision == nullptr) return;
    const engine::snapshot::PodSpec spec = daemon_spec(*look.set.object);
    for (const api_server::ApiObject& node : context_.store().list(context_.kind("nodes")).items)
        look.places[std::string(api_server::text_at(*node, "metadata.name"))].verdict =
            judge_daemon(spec, *node);
    for (api_server::ApiObject& pod : claim(context_, look.set, "pods"))
        if (!is_leaving(*pod)) look.places[daemon_node(*pod)].pods.push_back(std::move(pod));
    if (!is_leaving(*look.set.object)) {
        settle(look);
        if (api_server::text_at(*look.set.object, "spec.updateStrategy.type") != "OnDelete")
            roll(look);
    }
    write_counts(key, look);
}

/// One pod where one is to be, none where none may stay; what ended is made again.
void DaemonSets::settle(Look& look) {
    for (auto& [node, place] : look.places) {
        std::vector<api_server::ApiObject> order = in_removal_order(place.pods);
        std::size_t keep = place.verdict == DaemonVerdict::goes ? 0 : 1;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const bool is_last = i + keep == order.size();
            if (is_last && !has_ended(*order[i])) break;
            delete_pod(context_, look.set, *order[i]);
            std::erase(place.pods, order[i]);
        }
        if (place.verdict != DaemonVerdict::runs || !place.pods.empty()) continue;
        if (api_server::ApiObject made =
                create_pod(context_, look.set, make_daemon_pod(look.set, node, look.hash())))
            place.pods.push_back(std::move(made));
    }
}

/// Old pods go, as many as may be missing at once; those that do not serve count as missing.
void DaemonSets::roll(const Look& look) {
    const std::int64_t most =
        portion_at(*look.set.object, "spec.updateStrategy.rollingUpdate.maxUnavailable",
                   look.desired(), Rounding::up)
            .value_or(1);
    std::int64_t missing = 0;
    std::vector<api_server::ApiObject> old;
    for (const auto& [node, place] : look.places) {
        if (place.verdict != DaemonVerdict::runs) continue;
        const api_server::ApiObject pod = place.pods.empty() ? nullptr : place.pods.front();
        if (pod == nullptr || !look.serves(*pod)) ++missing;
        if (pod == nullptr || look.is_updated(*pod)) continue;
        if (look.serves(*pod)) {
            old.push_back(pod);
        } else {
            delete_pod(context_, look.set, *pod);
        }
    }
    for (std::size_t i = 0; i < old.size() && missing < most; ++i, ++missing)
        delete_pod(context_, look.set, *old[i]);
}

void DaemonSets::write_counts(const std::string& key, const Look& look) {
    std::int64_t current = 0, misplaced = 0, updated = 0, ready = 0, available = 0;
    for (const auto& [node, place] : look.places) {
        if (place.pods.empty()) continue;
        const json::object& pod = *place.pods.front();
        if (place.verdict != DaemonVerdict::runs) {
            ++misplaced;
            continue;
        }
        const Availability is = availability(pod, look.min_ready, look.now);
        if (is.still) queue_.add_after(key, *is.still);
        ++current;
        updated += look.is_updated(pod) ? 1 : 0;
        ready += is_ready(pod) ? 1 : 0;
        available += is.is_available ? 1 : 0;
    }
    const std::int64_t desired = look.desired();
    write_status(context_, look.set, [&](json::object& whole) {
        json::object& status = api_server::make_object(whole, "status");
        status["observedGeneration"] = number_or(whole, "metadata.generation", 0);
        status["desiredNumberScheduled"] = desired;
        status["currentNumberScheduled"] = current;
        status["numberMisscheduled"] = misplaced;
        status["updatedNumberScheduled"] = updated;
        status["numberReady"] = ready;
        status["numberAvailable"] = available;
        status["numberUnavailable"] = desired - available;
    });
    forget_old_revisions(context_, look.set,
                         {std::string(api_server::text_at(*look.revision, "metadata.name"))});
}

}  // namespace capstan::simulation::control_plane
