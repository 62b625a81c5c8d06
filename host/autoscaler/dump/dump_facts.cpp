#include "autoscaler/dump/dump_facts.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <boost/json/serialize.hpp>

#include "kubernetes/base/json_path.hpp"
#include "kubernetes/json_cursor.hpp"
#include "kubernetes/metadata.hpp"
#include "kubernetes/objects/object_decode.hpp"
#include "kubernetes/selectors.hpp"

namespace capstan::autoscaler::dump {
namespace {

using kubernetes::JsonCursor;
using kubernetes::JsonProblems;
using kubernetes::base::text_at;

constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();

struct NeededKind {
    std::string_view kind, resource;
};

constexpr std::array needed_kinds{NeededKind{"Node", "nodes"},
                                  NeededKind{"Pod", "pods"},
                                  NeededKind{"PodDisruptionBudget", "pdb"},
                                  NeededKind{"DaemonSet", "ds"},
                                  NeededKind{"ReplicaSet", "rs"},
                                  NeededKind{"ReplicationController", "rc"},
                                  NeededKind{"StatefulSet", "sts"},
                                  NeededKind{"Deployment", "deploy"},
                                  NeededKind{"Job", "jobs"},
                                  NeededKind{"PersistentVolumeClaim", "pvc"},
                                  NeededKind{"PersistentVolume", "pv"},
                                  NeededKind{"StorageClass", "sc"},
                                  NeededKind{"CSINode", "csinodes"},
                                  NeededKind{"CSIDriver", "csidrivers"},
                                  NeededKind{"CSIStorageCapacity", "csistoragecapacities"},
                                  NeededKind{"Namespace", "ns"},
                                  NeededKind{"Service", "svc"}};

std::string id_of(std::string_view ns, std::string_view kind, std::string_view name) {
    return std::string(ns) + "/" + std::string(kind) + "/" + std::string(name);
}

/// Reads a bound of a budget: "50%" or 3. Empty: it is absent, or neither.
std::optional<PodShare> read_bound(const JsonCursor& place) {
    if (place.is_absent()) return std::nullopt;
    if (!place.is_text()) {
        const auto whole = place.integer(0, largest);
        return whole ? std::optional(PodShare(static_cast<int>(*whole))) : std::nullopt;
    }
    const std::string_view text = place.text().value_or("");
    int percent = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (read.ec == std::errc() && percent >= 0 && text.ends_with('%') &&
        read.ptr == text.data() + text.size() - 1)
        return PodShare(percent, true);
    place.expects("a whole number or a percentage");
    return std::nullopt;
}

std::string object_name(const kubernetes::ObjectMetadata& metadata) {
    return metadata.ns + "/" + metadata.name;
}

}  // namespace

void DumpFacts::add(std::string_view kind, const boost::json::value& object) {
    time_.add(kind, object);
    if (kind == dump_header_kind) return read_header(object);
    kinds_.emplace(kind);
    if (kind == "Pod") return read_pod(object);
    if (kind == "PodDisruptionBudget") return read_budget(object);
    if (kind == "ConfigMap") return read_config_map(object);
    if (kind == "Balancer") plugin_objects_.push_back(boost::json::serialize(object));
    const bool has_scale = kind == "ReplicaSet" || kind == "ReplicationController" ||
                           kind == "StatefulSet" || kind == "Deployment";
    if (has_scale) read_controller(kind, object);
}

void DumpFacts::read_header(const boost::json::value& header) {
    JsonProblems problems(header);
    const kubernetes::ObjectMetadata metadata = kubernetes::decode_named(problems.root());
    for (const auto& [kind, outcome] : metadata.annotations) {
        if (outcome == asked_for) kinds_.insert(kind);
    }
}

/// A pod that does not say whether it is ready counts as ready.
void DumpFacts::read_pod(const boost::json::value& pod) {
    JsonProblems problems(pod);
    const JsonCursor place = problems.root();
    if (place["spec"]["nodeName"].text().value_or("").empty()) return;
    for (const JsonCursor& condition : place["status"]["conditions"].items()) {
        if (condition["type"].text() == "Ready" && condition["status"].text() != "True")
            unready_.insert(object_name(kubernetes::decode_named(place)));
    }
}

void DumpFacts::read_budget(const boost::json::value& budget) {
    JsonProblems problems(budget);
    const JsonCursor place = problems.root();
    const kubernetes::ObjectMetadata metadata = kubernetes::decode_named(place);
    const auto selector = kubernetes::decode_label_selector(place["spec"]["selector"]);
    if (!metadata.is_identified || !selector || !problems.empty()) return;
    budgets_.push_back(
        {.ns = metadata.ns,
         .name = metadata.name,
         .selector = *selector,
         .min_available = read_bound(place["spec"]["minAvailable"]),
         .max_unavailable = read_bound(place["spec"]["maxUnavailable"]),
         .lets_unready_go = place["spec"]["unhealthyPodEvictionPolicy"].text() == "AlwaysAllow"});
    for (const kubernetes::JsonProblem& problem : problems.kept()) {
        problems_.push_back("PodDisruptionBudget " + object_name(metadata) + ": " +
                            problem.pointer + " " + problem.what +
                            "; treated as allowing no disruptions");
    }
}

void DumpFacts::read_controller(std::string_view kind, const boost::json::value& controller) {
    JsonProblems problems(controller);
    const JsonCursor place = problems.root();
    const kubernetes::ObjectMetadata metadata = kubernetes::decode_named(place);
    if (!metadata.is_identified) return;
    std::string id = id_of(metadata.ns, kind, metadata.name);
    // 1 is the API's default.
    const auto replicas = place["spec"]["replicas"].integer(0, largest).value_or(1);
    if (replicas == 0) read_idle(kind, id, place);
    std::string above = id;
    for (const JsonCursor& owner : place["metadata"]["ownerReferences"].items()) {
        if (owner["controller"].boolean().value_or(false))
            above = id_of(metadata.ns, owner["kind"].text().value_or(""),
                          owner["name"].text().value_or(""));
    }
    controllers_.insert_or_assign(std::move(id),
                                  ScaledController{std::move(above), static_cast<int>(replicas)});
}

/// Its pods will look like its template, which is where that of a DaemonSet is, too.
void DumpFacts::read_idle(std::string_view kind, const std::string& id,
                          const JsonCursor& controller) {
    const bool is_deployment = kind == "Deployment";
    if (!is_deployment && kind != "StatefulSet") return;
    auto read = kubernetes::objects::decode_daemon_set(controller);
    if (!read) return;
    idle_.push_back(
        {.scaled = {.id = id, .wanted = 0},
         .controller = is_deployment ? Controller::replica_set : Controller::stateful_set,
         .pod_template = {.ns = read->ns,
                          .name = read->name,
                          .spec = std::move(read->spec),
                          .labels = std::move(read->labels),
                          .annotations = std::move(read->annotations),
                          .owner = {.kind = is_deployment ? "ReplicaSet" : "StatefulSet",
                                    .api_group = "apps",
                                    .name = read->name,
                                    .uid = read->uid}}});
}

/// The field mask keeps two keys of a ConfigMap's data: status and priorities.
void DumpFacts::read_config_map(const boost::json::value& config_map) {
    const std::string_view status = text_at(config_map, "data.status");
    if (!status.empty()) statuses_.emplace(text_at(config_map, "metadata.name"), status);
    if (!text_at(config_map, "data.priorities").empty())
        plugin_objects_.push_back(boost::json::serialize(config_map));
}

std::string DumpFacts::status(const std::string& config_map) const {
    const auto found = statuses_.find(config_map);
    return found == statuses_.end() ? std::string() : found->second;
}

void DumpFacts::add_to(Objects& objects) {
    objects.unready = std::move(unready_);
    objects.idle = std::move(idle_);
    for (const auto& [id, own] : controllers_) {
        const auto above = controllers_.find(own.id);
        // If the dump lacks the owning controller, the pods' own controller counts.
        objects.scaled[id] = above == controllers_.end()
                                 ? ScaledController{id, own.wanted}
                                 : ScaledController{own.id, above->second.wanted};
    }
}

std::vector<std::string> find_absent_kinds(const DumpFacts& facts) {
    std::vector<std::string> out;
    for (const NeededKind& needed : needed_kinds) {
        if (!facts.has_kind(needed.kind)) out.emplace_back(needed.resource);
    }
    return out;
}

std::string dump_command() {
    std::string out = "kubectl get ";
    for (const NeededKind& needed : needed_kinds)
        out += (&needed == &needed_kinds.front() ? "" : ",") + std::string(needed.resource);
    return out + " -A -o json";
}

}  // namespace capstan::autoscaler::dump
