#include "engine/scheduling/node_demands.hpp"

#include <optional>
#include <string>
#include <utility>

#include "engine/scheduling/predicates/dynamic_resources.hpp"
#include "engine/scheduling/predicates/node_affinity.hpp"
#include "engine/scheduling/predicates/node_unschedulable.hpp"
#include "engine/scheduling/predicates/taint_toleration.hpp"
#include "engine/scheduling/predicates/volume_binding.hpp"
#include "engine/snapshot/fast_hash.hpp"

namespace capstan::engine {
namespace {

void add_requirements(FastHash& hash, const std::vector<Requirement>& requirements) noexcept {
    hash.add(requirements.size());
    for (const Requirement& requirement : requirements) {
        hash.add(requirement.key);
        for (const std::string& value : requirement.values) hash.add(value);
    }
}

std::uint64_t demand_hash(const NodeDemand& demand) noexcept {
    FastHash hash;
    for (const Toleration& toleration : demand.spec->tolerations) {
        hash.add(toleration.key);
        hash.add(toleration.value);
    }
    for (const auto& [key, value] : demand.spec->node_selector) {
        hash.add(key);
        hash.add(value);
    }
    for (const NodeSelectorTerm& term : demand.spec->affinity_required) {
        add_requirements(hash, term.labels);
        add_requirements(hash, term.fields);
    }
    for (const VolumeCondition& condition : demand.volumes.conditions) {
        hash.add(condition.sentence);
        for (const NodeSelectorTerm& term : condition.any_of) add_requirements(hash, term.labels);
    }
    return hash.value();
}

bool is_same_demand(const NodeDemand& a, const NodeDemand& b) {
    return a.spec->tolerations == b.spec->tolerations &&
           a.spec->node_selector == b.spec->node_selector &&
           a.spec->affinity_required == b.spec->affinity_required &&
           a.spec->uses_resource_claims == b.spec->uses_resource_claims &&
           a.volumes.refusal == b.volumes.refusal && a.volumes.conditions == b.volumes.conditions;
}

void read_by(const std::vector<NodeSelectorTerm>& terms, NodeReading& reading) {
    for (const NodeSelectorTerm& term : terms) {
        for (const Requirement& requirement : term.labels) reading.labels.insert(requirement.key);
        if (!term.fields.empty()) reading.name = true;
    }
}

}  // namespace

Refusal ask(const NodeDemand& demand, const NodeFacts& node) {
    const PodSpec& pod = *demand.spec;
    const auto refused = [](Predicate predicate, std::optional<std::string>&& sentence,
                            std::string_view subject = {}) {
        return Refusal{predicate, *std::move(sentence), std::string(subject)};
    };
    if (auto why = check_node_unschedulable(pod, node))
        return refused(Predicate::node_unschedulable, std::move(why));
    if (auto why = check_taint_toleration(pod, node))
        return refused(Predicate::taint_toleration, std::move(why),
                       find_untolerated_taint(pod, node.taints)->key);
    if (auto why = check_node_affinity(pod, node))
        return refused(Predicate::node_affinity, std::move(why), find_unmet_key(pod, node));
    if (auto why = check_volume_binding(demand.volumes, node)) return *std::move(why);
    if (auto why = check_dynamic_resources(pod))
        return refused(Predicate::dynamic_resources, std::move(why));
    return {};
}

DemandId NodeDemands::add(NodeDemand demand) {
    const auto hash = demand_hash(demand);
    const auto same = [&](std::uint32_t id) { return is_same_demand(demands_[id], demand); };
    if (const auto found = index_.find(hash, same)) return *found;
    const auto id = static_cast<DemandId>(demands_.size());
    index_.insert(hash, id);
    demands_.push_back(std::move(demand));
    verdicts_.emplace_back();
    return id;
}

void NodeDemands::read_by(NodeReading& reading) const {
    for (const NodeDemand& demand : demands_) {
        for (const auto& [key, value] : demand.spec->node_selector) reading.labels.insert(key);
        engine::read_by(demand.spec->affinity_required, reading);
        for (const VolumeCondition& condition : demand.volumes.conditions)
            engine::read_by(condition.any_of, reading);
    }
}

void NodeDemands::set_profiles(const NodeProfiles& profiles) { profiles_ = &profiles; }

Predicate NodeDemands::find_verdict(DemandId id, ProfileId profile) const {
    std::vector<Predicate>& row = verdicts_[id];
    if (row.empty()) row.assign(profiles_->size(), unknown);
    return row[profile] = ask(demands_[id], (*profiles_)[profile].facts()).predicate;
}

}  // namespace capstan::engine
