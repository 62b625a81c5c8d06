#include "kubernetes/objects/object_decode.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/gzip.hpp"
#include "io/text_format.hpp"
#include "kubernetes/metadata.hpp"
#include "kubernetes/objects/in_tree_volumes.hpp"
#include "kubernetes/objects/pod_decode.hpp"
#include "kubernetes/resource_list.hpp"
#include "kubernetes/selectors.hpp"
#include "kubernetes/timestamps.hpp"

namespace capstan::kubernetes::objects {
namespace {

constexpr std::size_t piece_size = 256 * 1024;

/// Refuses a file that is empty, or is clearly not JSON.
Result<void> check_format(const std::string& name, std::string_view beginning) {
    if (io::is_blank(beginning))
        return fail(ErrorCode::invalid_argument, name + ": " + std::string(io::empty_file));
    const std::string_view format = io::recognize_format(beginning);
    if (format.empty() || format == "JSON") return {};
    return fail(ErrorCode::invalid_argument, name + ": is " + std::string(format) +
                                                 "; expects JSON, as from kubectl get ... -o json");
}

}  // namespace

Result<DecodeReport> decode_file(const std::filesystem::path& file,
                                 engine::snapshot::ClusterSink& sink, ObjectListener listener) {
    CAPSTAN_TRY(io::TextFile in, io::TextFile::open(file));
    ListDecoder decoder(sink, std::move(listener), file_mask());
    std::vector<char> piece(piece_size);
    for (bool is_first = true;; is_first = false) {
        CAPSTAN_TRY(const std::size_t size, in.read(piece));
        if (is_first) CAPSTAN_CHECK(check_format(in.name(), {piece.data(), size}));
        if (size == 0 || !decoder.feed({piece.data(), size})) break;
    }
    DecodeReport out = decoder.finish();
    if (out.cut_short) out.cut_short = within(in.name(), *std::move(out.cut_short));
    return out;
}

namespace {

/// A malformed selector counts as absent, as in the scheduler.
std::optional<LabelSelector> decode_pod_selector(const JsonCursor& selector,
                                                 std::string_view kind) {
    if (kind == "Job" || selector.is_absent()) return std::nullopt;
    const Complaints complaints(selector);
    std::optional<LabelSelector> out = kind == "ReplicationController"
                                           ? LabelSelector{.match_labels = selector.labels()}
                                           : decode_label_selector(selector);
    return complaints.any() ? std::nullopt : std::move(out);
}

/// A count, which is absent if it is no such number.
std::optional<int> find_count(const JsonCursor& place) {
    const auto count = place.integer(0, std::numeric_limits<std::int32_t>::max());
    return count ? std::optional(static_cast<int>(*count)) : std::nullopt;
}

/// The first condition of one of `types` that is True; absent: there is none.
std::optional<JsonCursor> find_true_condition(const JsonCursor& status,
                                              std::initializer_list<std::string_view> types) {
    for (const JsonCursor& condition : status["conditions"].items())
        if (condition["status"].text() == "True" &&
            std::ranges::count(types, condition["type"].text().value_or("")) > 0)
            return condition;
    return std::nullopt;
}

int decode_parallelism(const JsonCursor& job) {
    const JsonCursor spec = job["spec"], status = job["status"];
    const bool has_ended = find_true_condition(status, {"Complete", "Failed"}).has_value();
    if (has_ended || spec["suspend"].boolean().value_or(false)) return 0;
    const int parallelism = find_count(spec["parallelism"]).value_or(1);
    const auto completions = find_count(spec["completions"]);
    if (!completions) return parallelism;
    const int missing = *completions - find_count(status["succeeded"]).value_or(0);
    return std::clamp(missing, 0, parallelism);
}

/// Why the controller does not create its pods, see ControllerObject::failure.
std::string decode_failure(const JsonCursor& controller, bool is_job) {
    constexpr std::size_t longest = 500;
    const JsonCursor status = controller["status"];
    const auto condition = is_job ? find_true_condition(status, {"Failed", "Suspended"})
                                  : find_true_condition(status, {"ReplicaFailure"});
    if (!condition) return {};
    const std::string_view message = (*condition)["message"].text().value_or("");
    return std::string(message.empty() ? (*condition)["reason"].text().value_or("")
                                       : message.substr(0, longest));
}

}  // namespace

std::optional<engine::snapshot::ControllerObject> decode_controller(const JsonCursor& controller,
                                                                    std::string_view kind) {
    ObjectMetadata metadata = decode_named(controller);
    const Complaints complaints(controller);
    const auto replicas = find_count(controller["spec"]["replicas"]);
    if (!metadata.is_identified || complaints.any()) return std::nullopt;
    engine::snapshot::ControllerObject out{.kind = std::string(kind),
                                           .ns = std::move(metadata.ns),
                                           .name = std::move(metadata.name),
                                           .uid = std::move(metadata.uid),
                                           .replicas = replicas};
    out.selector = decode_pod_selector(controller["spec"]["selector"], kind);
    const bool is_job = kind == "Job";
    if (is_job) out.parallelism = decode_parallelism(controller);
    out.failure = decode_failure(controller, is_job);
    return out;
}

std::optional<engine::snapshot::DaemonSetObject> decode_daemon_set(const JsonCursor& daemon_set) {
    ObjectMetadata own = decode_named(daemon_set);
    const JsonCursor pod = daemon_set.required("spec").required("template");
    ObjectMetadata metadata = decode_metadata(pod["metadata"]);
    const bool has_containers = static_cast<bool>(pod.required("spec").required("containers"));
    DecodedPodSpec spec = decode_pod_spec(pod["spec"]);
    if (!own.is_identified || !metadata.is_identified || !has_containers || !spec.is_complete)
        return std::nullopt;
    return engine::snapshot::DaemonSetObject{.ns = std::move(own.ns),
                                             .name = std::move(own.name),
                                             .uid = std::move(own.uid),
                                             .spec = std::move(spec.spec),
                                             .labels = std::move(metadata.labels),
                                             .annotations = std::move(metadata.annotations)};
}

namespace {

template <class Integer>
Integer decode_count(const JsonCursor& place) {
    const auto number = place.integer(0, std::numeric_limits<Integer>::max());
    return static_cast<Integer>(number.value_or(0));
}

/// "maxUnavailable 0", see DisruptionBudgetObject::never_allows.
std::string decode_never_allows(const JsonCursor& spec) {
    const JsonCursor most = spec["maxUnavailable"], least = spec["minAvailable"];
    const bool is_none =
        most.is_text() ? most.text() == "0%" : most && most.integer(0, 1 << 30).value_or(1) == 0;
    if (is_none) return most.is_text() ? "maxUnavailable 0%" : "maxUnavailable 0";
    return least.is_text() && least.text() == "100%" ? "minAvailable 100%" : "";
}

}  // namespace

std::optional<engine::snapshot::DisruptionBudgetObject> decode_disruption_budget(
    const JsonCursor& budget) {
    const JsonCursor status = budget["status"];
    ObjectMetadata metadata = decode_named(budget);
    const Complaints complaints(budget);
    engine::snapshot::DisruptionBudgetObject out{
        .ns = std::move(metadata.ns),
        .name = std::move(metadata.name),
        .selector = decode_label_selector(budget["spec"]["selector"])};
    if (!metadata.is_identified || complaints.any()) return std::nullopt;
    out.disruptions_allowed = decode_count<int>(status["disruptionsAllowed"]);
    // The API server makes the same comparison before it evicts a pod.
    out.is_observed =
        decode_count<std::int64_t>(status["observedGeneration"]) >= metadata.generation;
    out.never_allows = decode_never_allows(budget["spec"]);
    return out;
}

namespace {

Taint decode_taint(const JsonCursor& place) {
    Taint out{.key = std::string(place.required("key").name().value_or("")),
              .value = std::string(place["value"].text().value_or(""))};
    const JsonCursor effect = place.required("effect");
    const std::optional<Effect> known = find_effect(effect.text().value_or(""));
    if (known) {
        out.effect = *known;
    } else if (effect.text()) {
        effect.expects("NoSchedule, PreferNoSchedule or NoExecute");
    }
    return out;
}

void decode_readiness(const JsonCursor& conditions, engine::snapshot::NodeObject& out) {
    const std::vector<JsonCursor> all = conditions.items();
    out.ready = all.empty();
    for (const JsonCursor& condition : all) {
        if (condition["type"].text() == "Suspended")
            out.suspended = condition["status"].text() == "True";
        if (condition["type"].text() != "Ready") continue;
        out.ready = condition["status"].text() == "True";
        out.ready_since = decode_timestamp(condition["lastTransitionTime"]).value_or(Time());
    }
}

/// The IP addresses and DNS names, of whichever of the five types.
std::vector<std::string> decode_addresses(const JsonCursor& addresses) {
    static constexpr std::array<std::string_view, 5> types{"ExternalDNS", "ExternalIP", "Hostname",
                                                           "InternalDNS", "InternalIP"};
    std::vector<std::string> out;
    for (const JsonCursor& item : addresses.items()) {
        const std::string_view type = item["type"].text().value_or("");
        const std::string_view address = item["address"].text().value_or("");
        if (!address.empty() && std::ranges::find(types, type) != types.end())
            out.emplace_back(address);
    }
    return out;
}

void decode_node_status(const JsonCursor& status, engine::snapshot::NodeObject& out) {
    const JsonCursor allocatable = status["allocatable"];
    out.capacity = rounded(decode_quantities(status["capacity"]));
    out.allocatable = allocatable ? rounded(decode_quantities(allocatable)) : out.capacity;
    decode_readiness(status["conditions"], out);
    out.addresses = decode_addresses(status["addresses"]);
}

}  // namespace

std::optional<engine::snapshot::NodeObject> decode_node(const JsonCursor& node) {
    ObjectMetadata metadata = decode_named(node);
    engine::snapshot::NodeObject out{.name = std::move(metadata.name),
                                     .labels = std::move(metadata.labels),
                                     .annotations = std::move(metadata.annotations),
                                     .created = metadata.created};
    const JsonCursor spec = node["spec"];
    const Complaints complaints(node);
    for (const JsonCursor& taint : spec["taints"].items())
        out.taints.push_back(decode_taint(taint));
    out.unschedulable = spec["unschedulable"].boolean().value_or(false);
    const bool is_complete = metadata.is_identified && !complaints.any();
    out.provider_id = spec["providerID"].text().value_or("");
    decode_node_status(node["status"], out);
    return is_complete ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<engine::snapshot::ServiceObject> decode_service(const JsonCursor& service) {
    const Complaints complaints(service);
    ObjectMetadata metadata = decode_named(service);
    engine::snapshot::ServiceObject out{.ns = std::move(metadata.ns),
                                        .name = std::move(metadata.name),
                                        .selector = service["spec"]["selector"].labels()};
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

namespace {

using namespace engine::snapshot;

std::string find_annotation(const ObjectMetadata& metadata, std::string_view key) {
    const auto at = metadata.annotations.find(key);
    return at != metadata.annotations.end() ? at->second : std::string();
}

/// The beta annotation takes precedence over the member, as in Kubernetes.
std::string decode_class_name(const ObjectMetadata& metadata, const JsonCursor& member) {
    std::string annotated = find_annotation(metadata, "volume.beta.kubernetes.io/storage-class");
    std::string named = decode_text(member);
    return annotated.empty() ? std::move(named) : std::move(annotated);
}

bool decode_is_block(const JsonCursor& mode) {
    const bool is_block = mode.text() == "Block";
    if (mode.text() && !is_block && mode.text() != "Filesystem")
        mode.expects("Block or Filesystem");
    return is_block;
}

/// One item of allowedTopologies as the equivalent node selector term.
NodeSelectorTerm decode_topology(const JsonCursor& term) {
    NodeSelectorTerm out;
    for (const JsonCursor& expression : term["matchLabelExpressions"].items())
        out.labels.push_back({.key = decode_text(expression.required("key")),
                              .op = Operator::in,
                              .values = decode_texts(expression["values"])});
    return out;
}

std::optional<int> decode_attach_limit(const JsonCursor& driver) {
    const auto count =
        driver["allocatable"]["count"].integer(0, std::numeric_limits<std::int32_t>::max());
    return count ? std::optional(static_cast<int>(*count)) : std::nullopt;
}

}  // namespace

std::optional<ClaimObject> decode_claim(const JsonCursor& claim) {
    const Complaints complaints(claim);
    const JsonCursor spec = claim["spec"];
    ObjectMetadata metadata = decode_named(claim);
    ClaimObject out{
        .ns = std::move(metadata.ns),
        .name = std::move(metadata.name),
        .volume = decode_text(spec["volumeName"]),
        .storage_class = decode_class_name(metadata, spec["storageClassName"]),
        .selected_node = find_annotation(metadata, "volume.kubernetes.io/selected-node"),
        .requested_bytes = decode_bytes(spec["resources"]["requests"]["storage"]),
        .access_modes = decode_texts(spec["accessModes"]),
        .block = decode_is_block(spec["volumeMode"]),
        .selector = decode_label_selector(spec["selector"]).value_or(LabelSelector{})};
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

std::optional<VolumeObject> decode_volume(const JsonCursor& volume) {
    const Complaints complaints(volume);
    const JsonCursor spec = volume["spec"], csi = spec["csi"], claim = spec["claimRef"];
    ObjectMetadata metadata = decode_named(volume);
    VolumeObject out{.name = std::move(metadata.name),
                     .node_affinity = decode_node_selector(spec["nodeAffinity"]["required"]),
                     .labels = std::move(metadata.labels),
                     .storage_class = decode_class_name(metadata, spec["storageClassName"]),
                     .driver = decode_text(csi["driver"]),
                     .handle = decode_text(csi["volumeHandle"]),
                     .capacity_bytes = decode_bytes(spec["capacity"]["storage"]),
                     .access_modes = decode_texts(spec["accessModes"]),
                     .claim_ns = decode_text(claim["namespace"]),
                     .claim_name = decode_text(claim["name"]),
                     .block = decode_is_block(spec["volumeMode"])};
    if (auto found = decode_in_tree_volume(spec, out.labels)) {
        out.driver = std::move(found->driver);
        out.handle = std::move(found->handle);
        out.in_tree = true;
    }
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

std::optional<StorageClassObject> decode_storage_class(const JsonCursor& storage_class) {
    const Complaints complaints(storage_class);
    const JsonCursor mode = storage_class["volumeBindingMode"];
    StorageClassObject out{.name = decode_named(storage_class).name,
                           .provisioner = decode_text(storage_class["provisioner"]),
                           .waits_for_consumer = mode.text() == "WaitForFirstConsumer"};
    out.migrated_to = find_csi_driver(out.provisioner);
    if (mode.text() && !out.waits_for_consumer && mode.text() != "Immediate")
        mode.expects("Immediate or WaitForFirstConsumer");
    for (const JsonCursor& term : storage_class["allowedTopologies"].items())
        out.allowed_topologies.push_back(decode_topology(term));
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

std::optional<CsiNodeObject> decode_csi_node(const JsonCursor& csi_node) {
    const Complaints complaints(csi_node);
    ObjectMetadata metadata = decode_named(csi_node);
    CsiNodeObject out{
        .name = std::move(metadata.name),
        .migrated = find_migrated_drivers(find_annotation(metadata, migrated_plugins_annotation))};
    for (const JsonCursor& driver : csi_node["spec"]["drivers"].items())
        out.limits.emplace(decode_text(driver.required("name")), decode_attach_limit(driver));
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

std::optional<CsiDriverObject> decode_csi_driver(const JsonCursor& driver) {
    const Complaints complaints(driver);
    CsiDriverObject out{
        .name = decode_named(driver).name,
        .storage_capacity = driver["spec"]["storageCapacity"].boolean().value_or(false)};
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

std::optional<CsiCapacityObject> decode_csi_capacity(const JsonCursor& capacity) {
    const Complaints complaints(capacity);
    ObjectMetadata metadata = decode_named(capacity);
    CsiCapacityObject out{.ns = std::move(metadata.ns),
                          .name = std::move(metadata.name),
                          .storage_class = decode_text(capacity["storageClassName"]),
                          .topology = decode_label_selector(capacity["nodeTopology"]),
                          .capacity_bytes = decode_bytes(capacity["capacity"])};
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace capstan::kubernetes::objects
