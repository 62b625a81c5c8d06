#include "engine/scheduling/compiled_predicates.hpp"

#include <utility>

#include "engine/scheduling/predicate_data.hpp"

namespace capstan::engine::scheduling {

CompiledPredicates::CompiledPredicates(snapshot::Cluster cluster,
                                       std::vector<PodGroupId> pod_groups,
                                       std::vector<TemplateNode> template_nodes,
                                       std::vector<bool> absent,
                                       std::span<const NodePromise> promises,
                                       std::span<const RefusedShape> refused)
    : data_(std::make_unique<PredicateData>(std::move(cluster), std::move(pod_groups),
                                            std::move(template_nodes), std::move(absent), promises,
                                            refused)) {}
CompiledPredicates::CompiledPredicates(CompiledPredicates&&) noexcept = default;
CompiledPredicates& CompiledPredicates::operator=(CompiledPredicates&&) noexcept = default;
CompiledPredicates::~CompiledPredicates() = default;

const snapshot::Cluster& CompiledPredicates::cluster() const noexcept { return data_->cluster; }
std::span<const PodGroupId> CompiledPredicates::pod_groups() const noexcept {
    return data_->pod_groups;
}
std::span<const TemplateNode> CompiledPredicates::template_nodes() const noexcept {
    return data_->template_nodes;
}
TemplateNodeId CompiledPredicates::equivalent(TemplateNodeId template_node) const noexcept {
    return data_->equivalent[template_node];
}
TemplateNodeId CompiledPredicates::same_except_capacity(
    TemplateNodeId template_node) const noexcept {
    return data_->same_except_capacity[template_node];
}

std::span<const std::int64_t> CompiledPredicates::free(
    TemplateNodeId template_node) const noexcept {
    return data_->template_node_row(template_node);
}

bool CompiledPredicates::has_inter_pod_constraints(PodGroupIndex pod_group) const noexcept {
    return data_->pods.find(pod_group) != nullptr;
}

std::span<const snapshot::Request> CompiledPredicates::requests(
    PodGroupIndex pod_group) const noexcept {
    return data_->requests.requests(pod_group);
}

}  // namespace capstan::engine::scheduling
