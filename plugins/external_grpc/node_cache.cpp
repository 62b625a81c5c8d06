#include "node_cache.hpp"

#include <utility>

#include <capstan/json.hpp>

namespace capstan::external_grpc {
namespace {

constexpr const char* what_to_add = "grants = { kube = [\"nodes:list,watch\"] }";

Labels texts_of(const Json& object, std::string_view key) {
    Labels out;
    const Json* const texts = object.find({"metadata", key});
    if (texts == nullptr) return out;
    for (const auto& [name, value] : texts->members()) out.emplace(name, value.text());
    return out;
}

}  // namespace

void KnownNodes::start() {
    if (host_.service<capstan_kube>(CAPSTAN_SERVICE_KUBE) == nullptr) {
        host_.info(std::string("removal requests contain only machine ids; to include the node's "
                               "name, labels and annotations, add ") +
                   what_to_add);
        return;
    }
    const KubeSelection all(KubeResource("", "v1", "nodes", "Node"));
    watch_.emplace(host_, all, [this](const KubeEvent& event) { handle_event(event); });
}

NodeReference KnownNodes::reference(const MachineId& machine) const {
    const auto at = by_provider_id_.find(machine.value());
    return at != by_provider_id_.end() ? at->second : NodeReference{.provider_id = machine.value()};
}

void KnownNodes::handle_event(const KubeEvent& event) {
    if (event.type == KubeEvent::Type::trouble) {
        const Error why = event.error != nullptr ? from_abi(*event.error) : Error{};
        if (std::exchange(last_error_, why.message) == why.message) return;
        host_.debug("nodes cannot be watched: " + why.message + "; add " + what_to_add);
        return;
    }
    last_error_.clear();
    if (event.type == KubeEvent::Type::synced) return;
    const Result<Json> node = parse_json(event.object);
    if (!node) return;
    NodeReference seen{.provider_id = node->text_at({"spec", "providerID"}),
                       .name = node->text_at({"metadata", "name"}),
                       .labels = texts_of(*node, "labels"),
                       .annotations = texts_of(*node, "annotations")};
    if (seen.provider_id.empty()) return;
    if (event.type != KubeEvent::Type::deleted) {
        std::string id = seen.provider_id;
        by_provider_id_.insert_or_assign(std::move(id), std::move(seen));
        return;
    }
    // Another Node object with the same provider id may have been created meanwhile.
    const auto at = by_provider_id_.find(seen.provider_id);
    if (at != by_provider_id_.end() && at->second.name == seen.name) by_provider_id_.erase(at);
}

}  // namespace capstan::external_grpc
