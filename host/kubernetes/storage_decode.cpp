#include "kubernetes/storage_decode.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/metadata.hpp"
#include "kubernetes/node_selection.hpp"
#include "kubernetes/resource_list.hpp"
#include "kubernetes/selectors.hpp"

namespace capstan::kubernetes {
namespace {

using namespace engine;

std::string find_annotation(const ObjectMetadata& metadata, std::string_view key) {
    const auto at = metadata.annotations.find(key);
    return at != metadata.annotations.end() ? at->second : std::string();
}

/// The annotation is older than the member and goes before it, as in Kubernetes.
std::string decode_class_name(const ObjectMetadata& metadata, const JsonPlace& member) {
    std::string annotated = find_annotation(metadata, "volume.beta.kubernetes.io/storage-class");
    std::string named = decode_text(member);
    return annotated.empty() ? std::move(named) : std::move(annotated);
}

bool decode_is_block(const JsonPlace& mode) {
    const bool is_block = mode.text() == "Block";
    if (mode.text() && !is_block && mode.text() != "Filesystem")
        mode.expects("Block or Filesystem");
    return is_block;
}

/// One item of allowedTopologies, as the node selector term it means.
NodeSelectorTerm decode_topology(const JsonPlace& term) {
    NodeSelectorTerm out;
    for (const JsonPlace& expression : term["matchLabelExpressions"].items())
        out.labels.push_back({.key = decode_text(expression.required("key")),
                              .op = Operator::in,
                              .values = decode_texts(expression["values"])});
    return out;
}

std::optional<int> decode_attach_limit(const JsonPlace& driver) {
    const auto count =
        driver["allocatable"]["count"].integer(0, std::numeric_limits<std::int32_t>::max());
    return count ? std::optional(static_cast<int>(*count)) : std::nullopt;
}

}  // namespace

std::optional<ClaimObject> decode_claim(const JsonPlace& claim) {
    const Complaints complaints(claim);
    const JsonPlace spec = claim["spec"];
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

std::optional<VolumeObject> decode_volume(const JsonPlace& volume) {
    const Complaints complaints(volume);
    const JsonPlace spec = volume["spec"], csi = spec["csi"], claim = spec["claimRef"];
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
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

std::optional<StorageClassObject> decode_storage_class(const JsonPlace& storage_class) {
    const Complaints complaints(storage_class);
    const JsonPlace mode = storage_class["volumeBindingMode"];
    StorageClassObject out{.name = decode_named(storage_class).name,
                           .provisioner = decode_text(storage_class["provisioner"]),
                           .waits_for_consumer = mode.text() == "WaitForFirstConsumer"};
    if (mode.text() && !out.waits_for_consumer && mode.text() != "Immediate")
        mode.expects("Immediate or WaitForFirstConsumer");
    for (const JsonPlace& term : storage_class["allowedTopologies"].items())
        out.allowed_topologies.push_back(decode_topology(term));
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

std::optional<CsiNodeObject> decode_csi_node(const JsonPlace& csi_node) {
    const Complaints complaints(csi_node);
    CsiNodeObject out{.name = decode_named(csi_node).name};
    for (const JsonPlace& driver : csi_node["spec"]["drivers"].items())
        out.limits.emplace(decode_text(driver.required("name")), decode_attach_limit(driver));
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

std::optional<CsiDriverObject> decode_csi_driver(const JsonPlace& driver) {
    const Complaints complaints(driver);
    CsiDriverObject out{
        .name = decode_named(driver).name,
        .storage_capacity = driver["spec"]["storageCapacity"].boolean().value_or(false)};
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

std::optional<CsiCapacityObject> decode_csi_capacity(const JsonPlace& capacity) {
    const Complaints complaints(capacity);
    ObjectMetadata metadata = decode_named(capacity);
    CsiCapacityObject out{.ns = std::move(metadata.ns),
                          .name = std::move(metadata.name),
                          .storage_class = decode_text(capacity["storageClassName"]),
                          .topology = decode_label_selector(capacity["nodeTopology"]),
                          .capacity_bytes = decode_bytes(capacity["capacity"])};
    return complaints.any() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace capstan::kubernetes
