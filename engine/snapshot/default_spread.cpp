#include "engine/snapshot/default_spread.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "engine/snapshot/cluster_state.hpp"
#include "engine/snapshot/hash_index.hpp"
#include "engine/snapshot/heap_bytes.hpp"

namespace capstan::engine::snapshot {
namespace {

/// The selector of the pods' controller, if the scheduler reads the selectors of its kind. NULL: it
/// is of another kind, does not exist, or has no selector.
const LabelSelector* find_selector(const Cluster& cluster, const PodGroupRow& pods) {
    const PodOwner& owner = *pods.owner;
    const bool is_set =
        (owner.kind == "ReplicaSet" || owner.kind == "StatefulSet") && owner.api_group == "apps";
    const bool is_replication = owner.kind == "ReplicationController" && owner.api_group.empty();
    if (!is_set && !is_replication) return nullptr;
    const std::string name =
        owner.kind + "/" + std::string(cluster.text(pods.ns)) + "/" + owner.name;
    const auto& controllers = cluster.objects().controllers;
    const auto at = controllers.find(name);
    if (at == controllers.end()) return nullptr;
    const std::optional<LabelSelector>& selector = at->second.selector;
    return selector ? &*selector : nullptr;
}

/// Makes `to` select only pods that both selectors select. Two values for one label select no pod.
void add_requirements(LabelSelector& to, const LabelSelector& more) {
    for (const auto& [key, value] : more.match_labels) {
        const auto [at, is_new] = to.match_labels.emplace(key, value);
        if (!is_new && at->second != value)
            to.match_expressions.push_back({.key = key, .op = Operator::in, .values = {value}});
    }
    to.match_expressions.insert(to.match_expressions.end(), more.match_expressions.begin(),
                                more.match_expressions.end());
}

/// Makes the default constraints of each equivalence group. Equal selectors share a list.
class DefaultSpreadMaker {
public:
    DefaultSpreadMaker(const Cluster& cluster, std::span<const DefaultSpread> defaults)
        : cluster_(cluster), defaults_(defaults), selectors_(cluster) {
        out_.lists.emplace_back();
    }

    DefaultSpreads run() {
        out_.by_pod_group.assign(cluster_.pod_group_count(), 0);
        for (PodGroupId id = 0; id < out_.by_pod_group.size(); ++id) {
            const PodGroupRow& row = cluster_.equivalence_group(id);
            if (!row.spec->spread.empty() || row.spec->has_soft_spread) continue;
            out_.by_pod_group[id] = list_for(selectors_.of(row));
        }
        return std::move(out_);
    }

private:
    std::uint32_t list_for(LabelSelector selector) {
        if (selector == LabelSelector{}) return 0;
        const std::uint64_t hash = hash_of(selector);
        const auto same = [&](std::uint32_t list) {
            return out_.lists[list].front().selector == selector;
        };
        if (const auto found = index_.find(hash, same)) return *found;
        const auto list = static_cast<std::uint32_t>(out_.lists.size());
        index_.insert(hash, list);
        auto& constraints = out_.lists.emplace_back();
        for (const DefaultSpread& each : defaults_) {
            constraints.push_back({.max_skew = each.max_skew,
                                   .topology_key = each.topology_key,
                                   .selector = selector});
        }
        return list;
    }

    const Cluster& cluster_;
    std::span<const DefaultSpread> defaults_;
    DefaultSelectors selectors_;
    DefaultSpreads out_;
    HashIndex index_;
};

}  // namespace

DefaultSelectors::DefaultSelectors(const Cluster& cluster) : cluster_(&cluster) {
    const auto& all = cluster.objects().services;
    std::unordered_map<std::uint64_t, int> uses;
    for (const auto& [name, service] : all) {
        for (const auto& [key, value] : service.selector) ++uses[hash_of(service.ns, key, value)];
    }
    for (const auto& [name, service] : all) {
        std::optional<std::uint64_t> rarest;
        for (const auto& [key, value] : service.selector) {
            const std::uint64_t label = hash_of(service.ns, key, value);
            if (!rarest || uses[label] < uses[*rarest]) rarest = label;
        }
        if (rarest) services_[*rarest].push_back(&service);
    }
}

LabelSelector DefaultSelectors::of(const PodGroupRow& pods) const {
    LabelSelector out;
    add_services(pods, out.match_labels);
    if (const LabelSelector* selector = find_selector(*cluster_, pods))
        add_requirements(out, *selector);
    return out;
}

/// Each of these selectors matches the labels of the pods, so no two of them are in conflict.
void DefaultSelectors::add_services(const PodGroupRow& pods, Labels& to) const {
    if (services_.empty()) return;
    const std::string_view ns = cluster_->text(pods.ns);
    for (const LabelPair& label : pods.labels) {
        const auto at =
            services_.find(hash_of(ns, cluster_->text(label.key), cluster_->text(label.value)));
        if (at == services_.end()) continue;
        for (const ServiceObject* service : at->second) {
            if (selects(*service, pods))
                to.insert(service->selector.begin(), service->selector.end());
        }
    }
}

bool DefaultSelectors::selects(const ServiceObject& service, const PodGroupRow& pods) const {
    if (service.ns != cluster_->text(pods.ns)) return false;
    return std::ranges::all_of(service.selector, [&](const auto& label) {
        const std::optional<Symbol> value = find_label(*cluster_, pods.labels, label.first);
        return value && cluster_->text(*value) == label.second;
    });
}

Cluster with_default_spread(const Cluster& cluster, std::span<const DefaultSpread> defaults) {
    if (defaults.empty()) return cluster;
    auto spreads =
        std::make_shared<const DefaultSpreads>(DefaultSpreadMaker(cluster, defaults).run());
    auto state = std::make_shared<Cluster::State>(*cluster.state_);
    state->bytes += spreads->bytes();
    state->default_spreads = std::move(spreads);
    return Cluster(std::move(state));
}

}  // namespace capstan::engine::snapshot
