#include "engine/scheduling/topology_counts.hpp"

#include <algorithm>

#include <capstan/assert.hpp>
#include <capstan/well_known.hpp>

#include "engine/scheduling/predicates/node_affinity.hpp"
#include "engine/scheduling/predicates/taint_toleration.hpp"
#include "engine/snapshot/label_finder.hpp"

namespace capstan::engine::scheduling {

Topologies::Key& Topologies::read(std::string_view key) {
    if (const auto at = keys_.find(key); at != keys_.end()) return at->second;
    Key out;
    const auto find = [&](std::size_t profile) {
        const Labels& labels = (*profiles_)[static_cast<ProfileId>(profile)].labels;
        const auto at = labels.find(key);
        return at != labels.end() ? &at->second : nullptr;
    };
    const bool per_node = key == well_known::hostname_label;
    for (std::size_t profile = 0; profile < profiles_->size() && !per_node; ++profile) {
        if (const std::string* value = find(profile)) out.values.push_back(*value);
    }
    std::sort(out.values.begin(), out.values.end());
    out.values.erase(std::unique(out.values.begin(), out.values.end()), out.values.end());
    for (std::size_t profile = 0; profile < profiles_->size(); ++profile) {
        const std::string* value = find(profile);
        const auto number = [&] {
            const auto at = std::lower_bound(out.values.begin(), out.values.end(), *value);
            return static_cast<std::int32_t>(at - out.values.begin());
        };
        out.domain_of.push_back(!value ? no_domain : per_node ? 0 : number());
    }
    return keys_.emplace(key, std::move(out)).first->second;
}

const DomainByProfile& Topologies::domains_of(std::string_view key) { return read(key).domain_of; }

TopologyId Topologies::labelled(std::string_view key) {
    Key& label = read(key);
    if (!label.all) label.all = add(key, label.domain_of);
    return *label.all;
}

TopologyId Topologies::add(std::string_view key, DomainByProfile domain_of, bool without_tainted) {
    const Key& label = read(key);
    const bool per_node = key == well_known::hostname_label;
    const auto domains = static_cast<std::uint32_t>(per_node ? 1 : label.values.size());
    return add(TopologyDomains{.key = std::string(key),
                               .per_node = per_node,
                               .domains = domains,
                               .without_tainted = without_tainted,
                               .domain_of = std::move(domain_of)});
}

TopologyId Topologies::add(TopologyDomains topology) {
    std::vector<TopologyId>& same = index_[{topology.key, topology.domain_of}];
    for (const TopologyId id : same) {
        if (topologies_[id] == topology) return id;
    }
    same.push_back(static_cast<TopologyId>(topologies_.size()));
    topologies_.push_back(std::move(topology));
    return same.back();
}

CounterId CounterTable::add(Counted what, std::uint32_t which, TopologyId topology,
                            const TopologyDomains& facts, bool spread) {
    auto& sources = by_source_[static_cast<std::size_t>(what)];
    if (which >= sources.size()) sources.resize(which + 1);
    for (const CounterId id : sources[which]) {
        if (counters_[id].topology == topology && counters_[id].spread == spread) return id;
    }
    const auto id = static_cast<CounterId>(counters_.size());
    sources[which].push_back(id);
    Counter counter{.what = what,
                    .which = which,
                    .topology = topology,
                    .per_node = facts.per_node,
                    .spread = spread};
    if (!facts.per_node) {
        counter.at = cells_;
        cells_ += facts.domains;
    } else if (spread) {
        counter.at = level_tables_++;
    }
    counters_.push_back(counter);
    return id;
}

std::span<const CounterId> CounterTable::counting(Counted what,
                                                  std::uint32_t which) const noexcept {
    const auto& sources = by_source_[static_cast<std::size_t>(what)];
    if (which >= sources.size()) return {};
    return sources[which];
}

namespace {

/// Whether the policies of the constraint may exclude nodes for this pod.
bool has_node_policies(const snapshot::PodSpec& pod,
                       const snapshot::SpreadConstraint& constraint) noexcept {
    const bool has_selectors = !pod.node_selector.empty() || !pod.affinity_required.empty();
    return constraint.honor_taints || (constraint.honor_affinity && has_selectors);
}

std::string text_of_keys(SpreadTopologies::Constraints all,
                         const snapshot::SpreadConstraint& constraint) {
    std::string out = constraint.topology_key;
    for (const snapshot::SpreadConstraint& other : all) out += '\n' + other.topology_key;
    return out;
}

}  // namespace

TopologyId SpreadTopologies::find(const snapshot::PodSpec& pod, Constraints all,
                                  const snapshot::SpreadConstraint& constraint) {
    if (has_node_policies(pod, constraint))
        return topologies_.add(constraint.topology_key, eligible(pod, all, constraint),
                               constraint.honor_taints);
    const std::string keys = text_of_keys(all, constraint);
    const auto at = without_policies_.find(keys);
    if (at != without_policies_.end()) return at->second;
    const TopologyId topology =
        topologies_.add(constraint.topology_key, eligible(pod, all, constraint));
    without_policies_.emplace(keys, topology);
    return topology;
}

bool SpreadTopologies::is_eligible(const snapshot::PodSpec& pod, Constraints all,
                                   const snapshot::SpreadConstraint& constraint,
                                   ProfileId profile) {
    const NodeFacts node = profiles_[profile].facts();
    return std::all_of(all.begin(), all.end(),
                       [&](const snapshot::SpreadConstraint& other) {
                           return node.labels.contains(other.topology_key);
                       }) &&
           (!constraint.honor_affinity || selects(pod, node)) &&
           (!constraint.honor_taints || find_untolerated_taint(pod, node.taints) == nullptr);
}

DomainByProfile SpreadTopologies::eligible(const snapshot::PodSpec& pod, Constraints all,
                                           const snapshot::SpreadConstraint& constraint) {
    DomainByProfile out = topologies_.domains_of(constraint.topology_key);
    for (ProfileId profile = 0; profile < out.size(); ++profile) {
        if (out[profile] != no_domain && !is_eligible(pod, all, constraint, profile))
            out[profile] = no_domain;
    }
    return out;
}

TopologyCounts::TopologyCounts(const CounterTable& counters, const Topologies& topologies)
    : counters_(&counters),
      topologies_(&topologies),
      cells_(counters.cells()),
      totals_(counters.size()),
      levels_(counters.level_tables()),
      spread_topology_(topologies.size()) {
    for (CounterId id = 0; id < counters.size(); ++id) {
        if (counters[id].spread) spread_topology_[counters[id].topology] = true;
    }
    std::uint32_t end = 0;
    for (TopologyId topology = 0; topology < topologies.size(); ++topology) {
        first_.push_back(end);
        end += topologies[topology].domains;
    }
    nodes_.resize(end);
    draining_.resize(end);
}

void TopologyCounts::push(const Place& place) {
    on_slot_.emplace_back();
    count_nodes(place, 1);
}

void TopologyCounts::pop(const Place& place) {
    on_slot_.pop_back();
    count_nodes(place, -1);
}

void TopologyCounts::split(std::uint32_t from) {
    auto copy = on_slot_[from];
    on_slot_.push_back(std::move(copy));
}

void TopologyCounts::count_nodes(const Place& place, int sign) {
    add_domains(place, sign, false);
    if (place.has_host_domains) add_domains(place, sign, true);
}

void TopologyCounts::count_draining(const Place& place, int sign) {
    for (TopologyId topology = 0; topology < topologies_->size(); ++topology) {
        const TopologyDomains& facts = (*topologies_)[topology];
        const std::int32_t domain = facts.domain_of[place.profile];
        if (!spread_topology_[topology] || domain == no_domain || facts.without_tainted) continue;
        draining_[first_[topology] + static_cast<std::uint32_t>(domain)] +=
            std::int64_t{sign} * place.nodes;
    }
}

void TopologyCounts::count_host_domains(const Place& place, int sign) {
    add_domains(place, sign, true);
    for (const Entry& entry : on_slot_[place.slot]) {
        const Counter& counter = (*counters_)[entry.counter];
        if (counter.spread) change_level(counter.at, 0, entry.count, sign * place.nodes);
    }
}

void TopologyCounts::add_domains(const Place& place, int sign, bool per_node) {
    for (TopologyId topology = 0; topology < topologies_->size(); ++topology) {
        const std::int32_t domain = (*topologies_)[topology].domain_of[place.profile];
        if (!spread_topology_[topology] || domain == no_domain) continue;
        if ((*topologies_)[topology].per_node != per_node) continue;
        nodes_[first_[topology] + static_cast<std::uint32_t>(domain)] +=
            std::int64_t{sign} * place.nodes;
    }
}

void TopologyCounts::count(CounterId id, const Place& place, int per_node) {
    const std::int32_t domain = this->domain(id, place.profile);
    if (domain == no_domain) return;
    const Counter& counter = (*counters_)[id];
    totals_[id] += std::int64_t{per_node} * place.nodes;
    if (!counter.per_node) {
        cells_[counter.at + static_cast<std::uint32_t>(domain)] += per_node * place.nodes;
        return;
    }
    const int now = change_entry(id, place.slot, per_node);
    if (counter.spread && place.has_host_domains)
        change_level(counter.at, now - per_node, now, place.nodes);
}

int TopologyCounts::change_entry(CounterId id, std::uint32_t slot, int by) {
    std::vector<Entry>& entries = on_slot_[slot];
    const auto at = std::lower_bound(
        entries.begin(), entries.end(), id,
        [](const Entry& entry, CounterId wanted) { return entry.counter < wanted; });
    if (at == entries.end() || at->counter != id) {
        CAPSTAN_ASSERT(by > 0, "fewer than no pods are on a node");
        entries.insert(at, {id, by});
        return by;
    }
    const int now = at->count += by;
    CAPSTAN_ASSERT(now >= 0, "fewer than no pods are on a node");
    if (now == 0) entries.erase(at);
    return now;
}

void TopologyCounts::change_level(std::uint32_t table, int from, int to, int nodes) {
    std::vector<std::int64_t>& level = levels_[table];
    const auto highest = static_cast<std::size_t>(std::max(from, to));
    if (highest > level.size()) level.resize(highest);
    if (from > 0) level[static_cast<std::size_t>(from) - 1] -= nodes;
    if (to > 0) level[static_cast<std::size_t>(to) - 1] += nodes;
}

int TopologyCounts::at(CounterId id, std::uint32_t slot, ProfileId profile) const noexcept {
    const Counter& counter = (*counters_)[id];
    if (!counter.per_node) {
        const std::int32_t domain = this->domain(id, profile);
        return domain == no_domain ? 0 : cells_[counter.at + static_cast<std::uint32_t>(domain)];
    }
    const std::vector<Entry>& entries = on_slot_[slot];
    const auto at = std::lower_bound(
        entries.begin(), entries.end(), id,
        [](const Entry& entry, CounterId wanted) { return entry.counter < wanted; });
    return at != entries.end() && at->counter == id ? at->count : 0;
}

DomainCounts TopologyCounts::domain_counts(CounterId id, const Place& place) const noexcept {
    const Counter& counter = (*counters_)[id];
    if (counter.per_node) return domain_counts_of_node(counter, id, place);
    const std::int32_t own = domain(id, place.profile);
    const auto domains = static_cast<std::int32_t>((*topologies_)[counter.topology].domains);
    DomainCounts out{.here = in_domain(id, own), .least_other = unbounded, .domains = 0};
    for (std::int32_t other = 0; other < domains; ++other) {
        const bool remains = nodes_in(id, other) > 0;
        if (!remains && draining_[place_in_nodes(id, other)] == 0) continue;
        if (remains) ++out.domains;
        if (other != own) out.least_other = std::min(out.least_other, in_domain(id, other));
    }
    return out;
}

DomainCounts TopologyCounts::domain_counts_of_node(const Counter& counter, CounterId id,
                                                   const Place& place) const {
    const std::vector<std::int64_t>& level = levels_[counter.at];
    const std::int64_t itself = place.has_host_domains ? 1 : 0;  // whether nodes_ includes it
    const std::int64_t others = nodes_[first_[counter.topology]] - itself;
    DomainCounts out{.here = at(id, place.slot, place.profile),
                     .least_other = unbounded,
                     .domains = static_cast<int>(others + 1)};
    std::int64_t occupied = 0;
    for (const std::int64_t nodes : level) occupied += nodes;
    const bool has_empty = others - occupied + (out.here > 0 ? itself : 0) > 0;
    if (has_empty || draining_[place_in_nodes(id, 0)] > 0) {
        out.least_other = 0;
        return out;
    }
    for (std::size_t i = 0; i < level.size(); ++i) {
        const int count = static_cast<int>(i) + 1;
        if (level[i] - (out.here == count ? itself : 0) <= 0) continue;
        out.least_other = count;
        break;
    }
    return out;
}

}  // namespace capstan::engine::scheduling
