#include "engine/scheduling/placement_state.hpp"

#include <algorithm>
#include <utility>

#include <capstan/assert.hpp>

#include "engine/scheduling/pod_bounds.hpp"

namespace capstan::engine::scheduling {

void SpreadQuotas::log_change(std::uint32_t pod_group) {
    if (pod_group >= of_.size()) of_.resize(pod_group + 1);
    changes_.push_back({.pod_group = pod_group, .before = of_[pod_group]});
}

void SpreadQuotas::set(std::uint32_t pod_group, std::uint32_t domain, int pods,
                       std::size_t domains) {
    CAPSTAN_ASSERT(domain < domains, "there is no such domain");
    log_change(pod_group);
    Quotas& own = of_[pod_group];
    if (!own.is_set) own.left.assign(domains, 0);
    own.is_set = true;
    own.left[domain] = pods;
}

void SpreadQuotas::end(std::uint32_t pod_group) {
    log_change(pod_group);
    of_[pod_group] = {};
}

void SpreadQuotas::undo() {
    CAPSTAN_ASSERT(!changes_.empty(), "a quota is undone that was not set");
    Change& last = changes_.back();
    of_[last.pod_group] = std::move(last.before);
    changes_.pop_back();
}

namespace {

bool may_have_constraints(const snapshot::Cluster& cluster,
                          std::span<const PodGroupId> pod_groups) {
    const auto has_constraints = [&](PodGroupId id) {
        const snapshot::PodGroupRow& row = cluster.equivalence_group(id);
        return !row.spec->pod_affinity.empty() || !cluster.spread(id).empty() ||
               !row.spec->ports.empty() || has_volumes(row);
    };
    if (std::any_of(pod_groups.begin(), pod_groups.end(), has_constraints)) return true;
    for (PodGroupId id = 0; id < cluster.pod_group_count(); ++id) {
        if (!cluster.equivalence_group(id).spec->pod_anti_affinity.empty()) return true;
    }
    return false;
}

}  // namespace

std::vector<PodGroupId> find_others(const snapshot::Cluster& cluster,
                                    std::span<const PodGroupId> pod_groups,
                                    std::span<const TemplateNode> template_nodes,
                                    const std::vector<bool>& absent) {
    if (!may_have_constraints(cluster, pod_groups)) return {};
    std::vector<bool> there(cluster.pod_group_count());
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        for (const PodIndex pod : cluster.pods_on(node))
            there[cluster.equivalence_group_of(pod)] = true;
    }
    for (PodGroupId id = 0; id < absent.size(); ++id) {
        if (absent[id]) there[id] = false;
    }
    for (const TemplateNode& template_node : template_nodes) {
        for (const PodGroupId daemon : template_node.daemons) there[daemon] = true;
    }
    for (const PodGroupId pod_group : pod_groups) there[pod_group] = false;
    std::vector<PodGroupId> out;
    for (PodGroupId id = 0; id < there.size(); ++id) {
        if (there[id]) out.push_back(id);
    }
    return out;
}

void count_bound(TopologyCounts& topology_counts, const snapshot::Cluster& cluster,
                 const InterPodIndex& inter_pod, NodeIndex node, const TopologyCounts::Place& place,
                 int times) {
    for (const PodIndex pod : cluster.pods_on(node)) {
        const auto counters = inter_pod.added_by(cluster.equivalence_group_of(pod));
        if (counters.empty() || inter_pod.is_absent(cluster.equivalence_group_of(pod))) continue;
        const bool deleted = cluster.pod(pod).deleted;
        for (const CounterId id : counters) {
            if (!deleted || !inter_pod.counters[id].spread) topology_counts.count(id, place, times);
        }
    }
}

void count_daemons(TopologyCounts& topology_counts, const InterPodIndex& inter_pod,
                   const TemplateNode& template_node, const TopologyCounts::Place& place,
                   int times) {
    for (const PodGroupId daemon : template_node.daemons) {
        for (const CounterId id : inter_pod.added_by(daemon))
            topology_counts.count(id, place, times);
    }
}

TopologyCounts count_bound_on_all_nodes(const snapshot::Cluster& cluster,
                                        const InterPodIndex& inter_pod,
                                        const NodeProfiles& profiles) {
    TopologyCounts topology_counts(inter_pod.counters, inter_pod.topologies);
    if (inter_pod.counters.size() == 0) return topology_counts;
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        const TopologyCounts::Place place{.slot = node, .profile = profiles.of_node(node)};
        topology_counts.push(place);
        count_bound(topology_counts, cluster, inter_pod, node, place, 1);
    }
    return topology_counts;
}

Placement::State::State(const CompiledPredicates::PredicateData& the_predicates)
    : predicates(&the_predicates),
      capacity(the_predicates.requests.columns().size()),
      topology_counts(the_predicates.bound_counts) {
    const snapshot::Cluster& cluster = predicates->cluster;
    const auto columns = predicates->requests.columns();
    std::vector<std::int64_t> row(columns.size());
    slots.reserve(cluster.node_count());
    for (NodeIndex node = 0; node < cluster.node_count(); ++node) {
        std::transform(columns.begin(), columns.end(), row.begin(),
                       [&](ResourceIndex resource) { return predicates->free_on(node, resource); });
        capacity.push(row);
        slots.push_back({.profile = predicates->profiles.of_node(node)});
    }
}

Slot Placement::State::add(TemplateNodeId template_node, int nodes) {
    CAPSTAN_ASSERT(template_node < predicates->template_nodes.size(), "there is no such template");
    CAPSTAN_ASSERT(nodes > 0, "a slot without nodes");
    const auto slot = static_cast<Slot>(slots.size());
    slots.push_back({.nodes = nodes,
                     .profile = predicates->profiles.of_template_node(template_node),
                     .template_node = template_node});
    capacity.push(predicates->template_node_row(template_node));
    if (counts()) {
        topology_counts.push(place_of(slot));
        count_daemons(topology_counts, predicates->pods, predicates->template_nodes[template_node],
                      place_of(slot), 1);
    }
    log.push_back({.kind = Record::Kind::added, .slot = slot});
    return slot;
}

Slot Placement::State::split(Slot from, int nodes) {
    CAPSTAN_ASSERT(from < slots.size(), "there is no such slot");
    CAPSTAN_ASSERT(nodes > 0 && nodes < slots[from].nodes, "a split leaves no node on one side");
    const auto slot = static_cast<Slot>(slots.size());
    slots[from].nodes -= nodes;
    slots.push_back(slots[from]);
    slots[slot].nodes = nodes;
    // A copy, because `push` may move the row that `row` is a view of.
    const auto row = capacity.row(from);
    capacity.push(std::vector<std::int64_t>(row.begin(), row.end()));
    if (counts()) topology_counts.split(from);
    log.push_back({.kind = Record::Kind::split, .slot = slot, .other = from, .count = nodes});
    return slot;
}

void Placement::State::close(Slot slot) {
    CAPSTAN_ASSERT(slot < slots.size(), "there is no such slot");
    if (slots[slot].closed) return;
    slots[slot].closed = true;
    count_all_on(slot, -1);
    log.push_back({.kind = Record::Kind::closed, .slot = slot});
}

void Placement::State::set_draining(Slot slot, bool is_draining) {
    CAPSTAN_ASSERT(slot < slots.size(), "there is no such slot");
    CAPSTAN_ASSERT(slots[slot].closed, "an open slot is drained");
    if (slots[slot].draining == is_draining) return;
    change_draining(slot, is_draining);
    log.push_back({.kind = Record::Kind::draining, .slot = slot});
}

void Placement::State::change_draining(Slot slot, bool is_draining) {
    slots[slot].draining = is_draining;
    if (counts()) topology_counts.count_draining(place_of(slot), is_draining ? 1 : -1);
}

void Placement::State::place(PodGroupIndex pod_group, Slot slot, int per_node) {
    CAPSTAN_ASSERT(slot < slots.size(), "there is no such slot");
    CAPSTAN_ASSERT(pod_group < predicates->pod_groups.size(), "there is no such pod group");
    CAPSTAN_ASSERT(per_node >= 0, "fewer than no pods are placed");
    if (per_node == 0) return;
    CAPSTAN_ASSERT(!slots[slot].closed, "pods are placed on a closed slot");
    const auto number = static_cast<std::uint32_t>(log.size());
    log.push_back({.kind = Record::Kind::placed,
                   .slot = slot,
                   .other = slots[slot].last_placed,
                   .pod_group = pod_group,
                   .count = per_node});
    if (counts() && !has_host_domains(slot)) topology_counts.add_host_domains(place_of(slot));
    slots[slot].last_placed = number;
    change_pods(pod_group, slot, per_node);
}

void Placement::State::change_pods(PodGroupIndex pod_group, Slot slot, int per_node) {
    capacity.take(slot, predicates->requests.needs(pod_group), per_node);
    for (const CounterId id : predicates->pods.added_by(predicates->pod_groups[pod_group]))
        topology_counts.count(id, place_of(slot), per_node);
    if (!spread_quotas.has(pod_group)) return;
    if (const auto domain = spread_domain(pod_group, slots[slot].profile))
        spread_quotas.use(pod_group, *domain, per_node * slots[slot].nodes);
}

void Placement::State::count_all_on(Slot slot, int times) {
    if (!counts()) return;
    const TopologyCounts::Place place = place_of(slot);
    const TemplateNodeId template_node = slots[slot].template_node;
    if (template_node == no_template_node)
        count_bound(topology_counts, predicates->cluster, predicates->pods, slot, place, times);
    else
        count_daemons(topology_counts, predicates->pods, predicates->template_nodes[template_node],
                      place, times);
    for (auto at = slots[slot].last_placed; at != no_record; at = log[at].other) {
        for (const CounterId id :
             predicates->pods.added_by(predicates->pod_groups[log[at].pod_group]))
            topology_counts.count(id, place, times * log[at].count);
    }
    topology_counts.count_nodes(place, times);
}

void Placement::State::allow(PodGroupIndex pod_group, std::uint32_t domain, int pods) {
    const PodRules* const own = predicates->pods.find(pod_group);
    CAPSTAN_ASSERT(own != nullptr, "pods without constraints are allowed in a domain");
    spread_quotas.set(pod_group, domain, pods, own->wide_domains.size());
    log.push_back({.kind = Record::Kind::spread_quotas});
}

void Placement::State::disallow(PodGroupIndex pod_group) {
    spread_quotas.end(pod_group);
    log.push_back({.kind = Record::Kind::spread_quotas});
}

void Placement::State::undo(std::size_t mark) {
    CAPSTAN_ASSERT(mark <= log.size(), "undone to a mark that is undone already");
    const std::size_t before = slots.size();
    while (log.size() > mark) {
        const Record record = log.back();
        log.pop_back();
        revert(record);
    }
    if (slots.size() != before) capacity.settle();
}

void Placement::State::revert(const Record& record) {
    // Such a record has no slot, and there may be no slots at all.
    if (record.kind == Record::Kind::spread_quotas) return spread_quotas.undo();
    SlotFacts& slot = slots[record.slot];
    switch (record.kind) {
        case Record::Kind::placed:
            change_pods(record.pod_group, record.slot, -record.count);
            slot.last_placed = record.other;
            if (counts() && !has_host_domains(record.slot))
                topology_counts.remove_host_domains(place_of(record.slot));
            return;
        case Record::Kind::split:
            CAPSTAN_ASSERT(record.slot + 1 == slots.size(), "a split is undone before later slots");
            slots[record.other].nodes += record.count;
            if (counts()) topology_counts.unsplit();
            return drop_last_slot();
        case Record::Kind::added:
            CAPSTAN_ASSERT(record.slot + 1 == slots.size(), "a slot is dropped before later ones");
            if (counts()) {
                const TopologyCounts::Place place = place_of(record.slot);
                count_daemons(topology_counts, predicates->pods,
                              predicates->template_nodes[slot.template_node], place, -1);
                topology_counts.pop(place);
            }
            return drop_last_slot();
        case Record::Kind::draining: return change_draining(record.slot, !slot.draining);
        case Record::Kind::closed: slot.closed = false; return count_all_on(record.slot, 1);
        case Record::Kind::spread_quotas: return;
    }
}

void Placement::State::drop_last_slot() {
    slots.pop_back();
    capacity.pop();
}

const AttachLimit& Placement::State::attach_limit(Slot slot, std::uint32_t driver) const noexcept {
    const TemplateNodeId template_node = slots[slot].template_node;
    return template_node == no_template_node
               ? predicates->pods.node_limit(slot, driver)
               : predicates->pods.template_node_limit(template_node, driver);
}

std::optional<std::uint32_t> Placement::State::spread_domain(PodGroupIndex pod_group,
                                                             ProfileId profile) const noexcept {
    const PodRules& own = *predicates->pods.find(pod_group);
    CAPSTAN_ASSERT(own.wide, "a pod group without a wide constraint has spread domains");
    const Counter& counter = predicates->pods.counters[own.spread[*own.wide].counter];
    const std::int32_t domain = predicates->pods.topologies[counter.topology].domain_of[profile];
    const auto at = std::lower_bound(own.wide_domains.begin(), own.wide_domains.end(), domain);
    if (domain == no_domain) return std::nullopt;
    CAPSTAN_ASSERT(at != own.wide_domains.end() && *at == domain, "there is no such domain");
    return static_cast<std::uint32_t>(at - own.wide_domains.begin());
}

std::int64_t Placement::State::free_for(PodGroupIndex pod_group, Slot slot,
                                        std::size_t request) const noexcept {
    const std::uint32_t column = predicates->requests.needs(pod_group)[request].column;
    const std::int64_t free = capacity.free(slot, column);
    if (!predicates->leaves_absent[pod_group] || slots[slot].template_node != no_template_node)
        return free;
    const ResourceIndex resource = predicates->requests.requests(pod_group)[request].resource;
    return free - predicates->absent_request(slot, resource);
}

int Placement::State::fitting(PodGroupIndex pod_group, Slot slot, int wanted) const noexcept {
    const auto needs = predicates->requests.needs(pod_group);
    std::int64_t out = capacity.times(slot, needs, wanted);
    for (std::size_t i = 0; predicates->leaves_absent[pod_group] && i < needs.size(); ++i) {
        const std::int64_t free = std::max<std::int64_t>(free_for(pod_group, slot, i), 0);
        out = std::min(out, free / needs[i].amount);
    }
    return static_cast<int>(out);
}

Room Placement::State::room(PodGroupIndex pod_group, Slot slot, int wanted) const {
    const SlotFacts& facts = slots[slot];
    if (wanted <= 0 || facts.closed || verdict(pod_group, slot) != Predicate::none) return {};
    int per_node = fitting(pod_group, slot, wanted);
    if (per_node == 0) return {};
    auto in_all = std::min(std::int64_t{per_node} * facts.nodes, std::int64_t{wanted});
    if (const PodRules* own = predicates->pods.find(pod_group)) {
        const PodBound bound = bound_of(*this, pod_group, slot, *own);
        per_node = static_cast<int>(std::min(std::int64_t{per_node}, bound.per_node));
        in_all = std::min({in_all, bound.in_all, std::int64_t{per_node} * facts.nodes});
        if (bound.one_node) in_all = std::min(in_all, std::int64_t{per_node});
        if (in_all <= 0) return {};
        per_node = static_cast<int>(std::min(std::int64_t{per_node}, in_all));
    }
    return {.per_node = per_node, .in_all = static_cast<int>(in_all)};
}

}  // namespace capstan::engine::scheduling
