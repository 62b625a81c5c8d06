#include "node_message.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include <core_v1.pb.h>
#include <capstan/ascii.hpp>
#include <capstan/hash.hpp>
#include <capstan/quantity.hpp>
#include <capstan/sentence.hpp>

namespace capstan::external_grpc {
namespace {

namespace core = k8s::io::api::core::v1;

using Texts = google::protobuf::Map<std::string, std::string>;
using Quantities = google::protobuf::Map<std::string, core::Quantity>;

Labels labels_of(const Texts& texts) { return {texts.begin(), texts.end()}; }

Result<Resources> resources_of(const Quantities& quantities) {
    Labels written;
    for (const auto& [resource, quantity] : quantities)
        written.emplace(resource, quantity.string());
    return parse_resources(written);
}

/// A taint with an effect unknown to Kubernetes is left out, since it keeps no pod off.
std::vector<Taint> taints_of(const core::NodeSpec& spec) {
    std::vector<Taint> out;
    for (const core::Taint& taint : spec.taints()) {
        const std::optional<Effect> effect = find_effect(taint.effect());
        if (effect) out.push_back({.key = taint.key(), .value = taint.value(), .effect = *effect});
    }
    return out;
}

void add_pairs(Hash& hash, const Labels& labels) {
    hash.add(static_cast<std::int64_t>(labels.size()));
    for (const auto& [key, value] : labels) {
        hash.add(key);
        hash.add(value);
    }
}

void add_amounts(Hash& hash, const Resources& amounts) {
    hash.add(static_cast<std::int64_t>(amounts.size()));
    for (const auto& [resource, amount] : amounts) {
        hash.add(resource);
        hash.add(amount);
    }
}

/// The name is not hashed, since servers generate one for each answer.
std::string fingerprint_of(const NodeTemplate& node) {
    Hash hash;
    add_pairs(hash, node.labels);
    add_pairs(hash, node.annotations);
    for (const Taint& taint : node.taints) hash.add(to_string(taint));
    add_amounts(hash, node.capacity);
    add_amounts(hash, node.allocatable);
    return hex_text(hash.value());
}

void write_amounts(const Resources& from, Quantities& to) {
    for (const auto& [resource, amount] : from)
        to[resource].set_string(format_amount(resource, amount));
}

}  // namespace

Result<NodeTemplate> parse_node(std::string_view bytes) {
    core::Node node;
    if (!node.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return fail(ErrorCode::unavailable, "the node cannot be read as a v1.Node");
    const auto read = [](const char* what, const Quantities& written) -> Result<Resources> {
        Result<Resources> out = resources_of(written);
        if (!out) return fail(ErrorCode::unavailable, what + (": " + out.error().message));
        return out;
    };
    NodeTemplate out;
    out.name = node.metadata().name();
    out.labels = labels_of(node.metadata().labels());
    out.annotations = labels_of(node.metadata().annotations());
    out.taints = taints_of(node.spec());
    CAPSTAN_TRY(out.capacity, read("capacity", node.status().capacity()));
    CAPSTAN_TRY(out.allocatable, read("allocatable", node.status().allocatable()));
    if (out.allocatable.empty()) out.allocatable = out.capacity;
    out.free = out.allocatable;
    out.fingerprint = fingerprint_of(out);
    return out;
}

std::string node_bytes(const std::string& name, const NodeTemplate& from) {
    core::Node node;
    core::ObjectMeta& metadata = *node.mutable_metadata();
    metadata.set_name(name);
    metadata.mutable_labels()->insert(from.labels.begin(), from.labels.end());
    metadata.mutable_annotations()->insert(from.annotations.begin(), from.annotations.end());
    for (const Taint& taint : from.taints) {
        core::Taint& out = *node.mutable_spec()->add_taints();
        out.set_key(taint.key);
        out.set_value(taint.value);
        out.set_effect(std::string(name_of(taint.effect)));
    }
    write_amounts(from.capacity, *node.mutable_status()->mutable_capacity());
    write_amounts(from.allocatable, *node.mutable_status()->mutable_allocatable());
    return node.SerializeAsString();
}

}  // namespace capstan::external_grpc
