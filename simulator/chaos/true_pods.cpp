#include "simulator/chaos/true_pods.hpp"

#include <capstan/well_known.hpp>

namespace capstan::simulator::chaos {

void TruePods::observe(const Fact& fact) {
    switch (fact.kind) {
        case FactKind::pod_arrived: add(fact); break;
        case FactKind::pod_bound:
            if (!pods_.contains(fact.pod)) add(fact);
            pods_.find(fact.pod)->second.node = fact.node;
            on_[std::string(fact.node)].insert(std::string(fact.pod));
            break;
        case FactKind::pod_evicted:
        case FactKind::pod_deleted:
            if (const auto at = pods_.find(fact.pod); at != pods_.end())
                at->second.is_ending = true;
            break;
        case FactKind::pod_gone: remove(fact.pod); break;
        case FactKind::node_joined:
            if (fact.node_object != nullptr && fact.node_object->ready)
                ready_.insert(std::string(fact.node));
            break;
        case FactKind::node_ready: ready_.insert(std::string(fact.node)); break;
        case FactKind::node_unready:
        case FactKind::node_gone:
            if (const auto at = ready_.find(fact.node); at != ready_.end()) ready_.erase(at);
            break;
        default: break;
    }
    if (!fact.batch.empty()) wanted_.insert_or_assign(std::string(fact.batch), fact.count);
}

const TruePod* TruePods::find(std::string_view pod) const {
    const auto at = pods_.find(pod);
    return at == pods_.end() ? nullptr : &at->second;
}

const std::set<std::string, std::less<>>& TruePods::on(std::string_view node) const {
    static const std::set<std::string, std::less<>> none;
    const auto at = on_.find(node);
    return at == on_.end() ? none : at->second;
}

int TruePods::wanted(std::string_view batch) const {
    const auto at = wanted_.find(batch);
    return at == wanted_.end() ? 0 : at->second;
}

void TruePods::add(const Fact& fact) {
    std::shared_ptr<const engine::snapshot::PodObject>& object =
        templates_[std::string(fact.batch)];
    if (!object)
        object = fact.pod_object != nullptr
                     ? std::make_shared<const engine::snapshot::PodObject>(*fact.pod_object)
                     : std::make_shared<const engine::snapshot::PodObject>();
    pods_.insert_or_assign(
        std::string(fact.pod),
        TruePod{.batch = std::string(fact.batch), .arrived = fact.at, .object = object});
}

void TruePods::remove(std::string_view pod) {
    const auto at = pods_.find(pod);
    if (at == pods_.end()) return;
    if (const auto node = on_.find(at->second.node); node != on_.end()) {
        if (const auto there = node->second.find(pod); there != node->second.end())
            node->second.erase(there);
        if (node->second.empty()) on_.erase(node);
    }
    pods_.erase(at);
}

bool stays_on_node(const engine::snapshot::PodObject& pod) {
    return pod.owner.kind == "DaemonSet" ||
           pod.annotations.contains(std::string(well_known::mirror_pod_annotation));
}

bool is_preemptible(const engine::snapshot::PodObject& pod, int cutoff) {
    return pod.spec.priority && *pod.spec.priority < cutoff && !pod.spec.never_preempts;
}

}  // namespace capstan::simulator::chaos
