#include "pod_message.hpp"

#include <string_view>
#include <vector>

#include <capstan/quantity.hpp>

namespace capstan::external_grpc {
namespace {

namespace core = k8s::io::api::core::v1;

void write_requirement(const Requirement& from, core::NodeSelectorRequirement& to) {
    to.set_key(from.key);
    to.set_operator_(std::string(name_of(from.op)));
    for (const std::string& value : from.values) to.add_values(value);
}

void write_term(const NodeSelectorTerm& from, core::NodeSelectorTerm& to) {
    for (const Requirement& each : from.labels) write_requirement(each, *to.add_matchexpressions());
    for (const Requirement& each : from.fields) write_requirement(each, *to.add_matchfields());
}

void write_affinity(const PodEquivalenceGroup& pods, core::PodSpec& spec) {
    if (pods.affinity_required.empty() && pods.affinity_preferred.empty()) return;
    core::NodeAffinity& to = *spec.mutable_affinity()->mutable_nodeaffinity();
    for (const NodeSelectorTerm& term : pods.affinity_required)
        write_term(
            term,
            *to.mutable_requiredduringschedulingignoredduringexecution()->add_nodeselectorterms());
    for (const NodeSelectorTerm& term : pods.affinity_preferred) {
        auto& preferred = *to.add_preferredduringschedulingignoredduringexecution();
        preferred.set_weight(term.weight);
        write_term(term, *preferred.mutable_preference());
    }
}

void write_toleration(const Toleration& from, core::Toleration& to) {
    to.set_key(from.key);
    to.set_operator_(from.op == Toleration::Op::exists ? "Exists" : "Equal");
    to.set_value(from.value);
    if (from.effect) to.set_effect(std::string(name_of(*from.effect)));
}

void write_spec(const PodEquivalenceGroup& pods, core::PodSpec& to) {
    core::Container& container = *to.add_containers();
    container.set_name("all");
    for (const auto& [resource, amount] : pods.requests)
        (*container.mutable_resources()->mutable_requests())[resource].set_string(
            format_amount(resource, amount));
    to.mutable_nodeselector()->insert(pods.node_selector.begin(), pods.node_selector.end());
    write_affinity(pods, to);
    for (const Toleration& each : pods.tolerations) write_toleration(each, *to.add_tolerations());
    to.set_schedulername(pods.scheduler);
    to.set_priority(pods.priority);
}

void write_metadata(const PodEquivalenceGroup& pods, core::ObjectMeta& to) {
    to.set_namespace_(pods.ns);
    to.mutable_labels()->insert(pods.labels.begin(), pods.labels.end());
    to.mutable_annotations()->insert(pods.annotations.begin(), pods.annotations.end());
    if (pods.owner_kind.empty()) return;
    core::OwnerReference& owner = *to.add_ownerreferences();
    owner.set_kind(pods.owner_kind);
    owner.set_name(pods.owner_name);
    owner.set_controller(true);
}

}  // namespace

PodMessages::PodMessages(const PodEquivalenceGroup& pods) : example_(pods.example) {
    write_metadata(pods, *pod_.mutable_metadata());
    write_spec(pods, *pod_.mutable_spec());
}

std::string PodMessages::bytes(std::uint32_t number) {
    pod_.mutable_metadata()->set_name(number == 1 ? example_
                                                  : example_ + "." + std::to_string(number));
    return pod_.SerializeAsString();
}

}  // namespace capstan::external_grpc
