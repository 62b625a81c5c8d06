#include "engine/scale_up/spread_plan.hpp"

#include <algorithm>
#include <optional>

#include <capstan/assert.hpp>

#include "engine/scale_up/packing.hpp"
#include "engine/scheduling/topology_counts.hpp"
#include "engine/scheduling/water_fill.hpp"

namespace capstan::engine::scale_up {
namespace {

/// Whether the domain will have nodes: the scheduler ignores a domain without nodes.
bool takes_part(const scheduling::SpreadDomains::Domain& domain, const DomainOutlook& outlook) {
    return domain.exists || outlook.will_exist || (outlook.can_grow && outlook.most > domain.count);
}

int most_of(const scheduling::SpreadDomains::Domain& domain, const DomainOutlook& outlook) {
    return outlook.can_grow ? outlook.most : std::min(domain.count + outlook.spare, outlook.most);
}

std::vector<int> fill(const scheduling::SpreadDomains& spread,
                      std::span<const DomainOutlook> outlook, int pods, int limit) {
    std::vector<scheduling::DomainLoad> basins;
    for (std::size_t d = 0; d < spread.domains.size(); ++d) {
        const scheduling::SpreadDomains::Domain& domain = spread.domains[d];
        const int most =
            takes_part(domain, outlook[d]) ? std::min(most_of(domain, outlook[d]), limit) : 0;
        basins.push_back({domain.count, most});
    }
    return scheduling::water_fill(basins, pods);
}

}  // namespace

std::vector<int> spread_quotas(const scheduling::SpreadDomains& spread,
                               std::span<const DomainOutlook> outlook, int pods) {
    CAPSTAN_ASSERT(outlook.size() == spread.domains.size(), "the outlook is of another constraint");
    int limit = scheduling::unbounded;
    for (std::size_t d = 0; d < spread.domains.size(); ++d) {
        const scheduling::SpreadDomains::Domain& domain = spread.domains[d];
        if (!takes_part(domain, outlook[d])) continue;
        const int most = std::max(most_of(domain, outlook[d]), domain.count);
        if (most < scheduling::unbounded - spread.max_skew)
            limit = std::min(limit, most + spread.max_skew);
    }
    std::vector<int> quotas = fill(spread, outlook, pods, limit);
    int domains = 0;
    for (std::size_t d = 0; d < quotas.size(); ++d) {
        const bool exists = spread.domains[d].exists || outlook[d].will_exist;
        domains += exists || quotas[d] > 0 ? 1 : 0;
    }
    // With fewer domains than minDomains the scheduler takes the minimum count to be zero.
    if (domains >= spread.min_domains) return quotas;
    return fill(spread, outlook, pods, std::min(limit, spread.max_skew));
}

namespace {

bool is_unopened(const scheduling::SpreadDomains::Domain& domain, const DomainOutlook& outlook) {
    return !domain.exists && !outlook.will_exist && outlook.can_grow && outlook.most > domain.count;
}

/// Quotas, the pods that they place, and the new nodes that they take.
struct Opening {
    std::vector<int> quotas{};
    std::int64_t pods = 0, nodes = 0;
};

Opening measure(std::span<const DomainOutlook> outlook, std::vector<int> quotas) {
    Opening out{.quotas = std::move(quotas)};
    for (std::size_t d = 0; d < outlook.size(); ++d) {
        out.pods += out.quotas[d];
        const int per_node = std::max(outlook[d].per_node, 1);
        const int on_new = std::max(out.quotas[d] - outlook[d].spare, 0);
        out.nodes += (on_new + per_node - 1) / per_node;
    }
    return out;
}

/// The best of the openings, by the number of domains that each opens.
std::size_t find_best(const std::vector<Opening>& openings) {
    const std::int64_t pods = std::ranges::max_element(openings, {}, &Opening::pods)->pods;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Opening& opening : openings)
        if (opening.pods == pods) least = std::min(least, opening.nodes);
    std::size_t out = 0;
    for (std::size_t i = 0; i < openings.size(); ++i)
        if (openings[i].pods == pods && openings[i].nodes * 4 <= least * 5) out = i;
    return out;
}

}  // namespace

DomainQuotas open_domains(const scheduling::SpreadDomains& spread,
                          std::span<const DomainOutlook> outlook, int pods) {
    std::vector<DomainOutlook> opened(outlook.begin(), outlook.end());
    std::vector<std::size_t> unopened;
    for (std::size_t d = 0; d < opened.size(); ++d) {
        if (!is_unopened(spread.domains[d], outlook[d])) continue;
        unopened.push_back(d);
        opened[d].can_grow = false;
    }
    std::vector<Opening> openings{measure(outlook, spread_quotas(spread, opened, pods))};
    for (const std::size_t d : unopened) {
        if (std::ssize(openings) > pods) break;
        opened[d].can_grow = true;
        openings.push_back(measure(outlook, spread_quotas(spread, opened, pods)));
    }
    const std::size_t chosen = find_best(openings);
    DomainQuotas out{.pods = std::move(openings[chosen].quotas)};
    // Pods of other pod groups count as well, so it has to be known which domains get these.
    if (chosen == 0 || chosen == unopened.size() || spread.counted_pod_groups > 1) return out;
    int share = 0;
    for (const std::size_t d : unopened) share = std::max(share, out.pods[d]);
    out.is_alternative.resize(out.pods.size());
    for (const std::size_t d : unopened) {
        out.pods[d] = share;
        out.is_alternative[d] = true;
    }
    return out;
}

namespace {

/// Allows the pods in any domain, as if the constraint were not there.
void allow_everywhere(scheduling::Placement& placement, PodGroupIndex pod_group,
                      const scheduling::SpreadDomains& spread, int pods) {
    for (std::uint32_t d = 0; d < spread.domains.size(); ++d) placement.allow(pod_group, d, pods);
}

bool obeys(const scheduling::SpreadDomains& spread, const std::vector<int>& quotas) {
    int least = std::numeric_limits<int>::max(), domains = 0;
    for (const scheduling::SpreadDomains::Domain& domain : spread.domains) {
        if (!domain.exists) continue;
        least = std::min(least, domain.count);
        ++domains;
    }
    if (domains < spread.min_domains) least = 0;
    for (std::size_t d = 0; d < quotas.size(); ++d) {
        const scheduling::SpreadDomains::Domain& domain = spread.domains[d];
        if (quotas[d] > 0 && domain.exists && domain.count - least > spread.max_skew) return false;
    }
    return true;
}

}  // namespace

std::vector<SpreadTurn> find_turns(const scheduling::Placement& placement, std::size_t count,
                                   const std::vector<bool>& has_zones) {
    std::vector<std::optional<scheduling::SpreadDomains>> spreads(count);
    std::map<std::uint32_t, std::uint32_t> planned;  // pod groups that are, by counter
    for (PodGroupIndex s = 0; s < count; ++s) {
        if (!placement.predicates().has_inter_pod_constraints(s)) continue;
        std::optional<scheduling::SpreadDomains>& spread = spreads[s];
        spread = placement.spread(s);
        if (spread && spread->counts_itself) ++planned[spread->counter];
    }
    std::vector<SpreadTurn> out(count, SpreadTurn::with_others);
    for (PodGroupIndex s = 0; s < count; ++s) {
        const std::optional<scheduling::SpreadDomains>& spread = spreads[s];
        if (has_zones[s] || !spread) continue;
        if (spread->counted_pod_groups == planned[spread->counter]) continue;
        out[s] = spread->counts_itself ? SpreadTurn::after_everything : SpreadTurn::after_others;
    }
    return out;
}

scheduling::SpreadDomains planned_domains(const scheduling::Placement& placement,
                                          PodGroupIndex pod_group) {
    std::optional<scheduling::SpreadDomains> out = placement.spread(pod_group);
    CAPSTAN_ASSERT(out, "a pod group without a spread constraint is planned");
    return *std::move(out);
}

void SpreadPlan::find_growing(PodGroupIndex pod_group, int pods,
                              std::span<const TemplateNodeId> template_nodes,
                              std::vector<DomainOutlook>& outlook) const {
    for (const TemplateNodeId template_node : template_nodes) {
        const std::optional<std::uint32_t> domain = placement_->domain_of(pod_group, template_node);
        if (!domain || outlook[*domain].can_grow) continue;
        const scheduling::Placement::Mark mark = placement_->mark();
        const scheduling::Slot slot = placement_->add(template_node, 1);
        const int room = placement_->room(pod_group, slot, pods).in_all;
        placement_->undo(mark);
        if (room == 0) continue;
        outlook[*domain].can_grow = true;
        outlook[*domain].per_node = room;
    }
}

void SpreadPlan::find_spare(PodGroupIndex pod_group, const scheduling::SpreadDomains& spread,
                            int pods, const std::vector<bool>& passed_over,
                            std::vector<DomainOutlook>& outlook) const {
    const auto end = static_cast<scheduling::Slot>(placement_->slot_count());
    // Each domain may take all of the pods.
    const std::int64_t most = std::int64_t{pods} * std::ssize(outlook);
    Packing(*placement_, &passed_over)
        .fill(pod_group, 0, end,
              static_cast<int>(std::min<std::int64_t>(most, std::numeric_limits<int>::max())));
    const scheduling::SpreadDomains filled = planned_domains(*placement_, pod_group);
    for (std::size_t d = 0; d < outlook.size(); ++d) {
        outlook[d].spare = filled.domains[d].count - spread.domains[d].count;
    }
}

std::vector<DomainOutlook> SpreadPlan::look(PodGroupIndex pod_group,
                                            const scheduling::SpreadDomains& spread, int pods,
                                            std::span<const TemplateNodeId> template_nodes,
                                            const std::vector<bool>& passed_over) const {
    std::vector<DomainOutlook> outlook(spread.domains.size());
    const scheduling::Placement::Mark mark = placement_->mark();
    allow_everywhere(*placement_, pod_group, spread, pods);
    find_growing(pod_group, pods, template_nodes, outlook);
    bool needs_spare = false;
    for (std::size_t d = 0; d < outlook.size(); ++d)
        needs_spare = needs_spare || !outlook[d].can_grow || !spread.domains[d].exists;
    if (needs_spare) find_spare(pod_group, spread, pods, passed_over, outlook);
    placement_->undo(mark);
    for (std::size_t d = 0; d < outlook.size(); ++d) {
        const auto known = learned_limits_->find({spread.counter, spread.domains[d].value});
        if (known == learned_limits_->end()) continue;
        outlook[d].most = known->second.most;
        outlook[d].will_exist = known->second.will_exist;
    }
    return outlook;
}

void SpreadPlan::plan(PodGroupIndex pod_group, int pods,
                      std::span<const TemplateNodeId> template_nodes,
                      const std::vector<bool>& passed_over) {
    if ((*has_zones_)[pod_group]) return;
    std::optional<scheduling::SpreadDomains> spread = placement_->spread(pod_group);
    if (!spread || !spread->counts_itself || pods == 0) return;
    const std::vector<DomainOutlook> outlook =
        look(pod_group, *spread, pods, template_nodes, passed_over);
    for (scheduling::SpreadDomains::Domain& domain : spread->domains) {
        domain.count += extra_[{spread->counter, domain.value}];
    }
    DomainQuotas quotas = open_domains(*spread, outlook, pods);
    for (std::uint32_t d = 0; d < quotas.pods.size(); ++d) {
        const Key key{spread->counter, spread->domains[d].value};
        // An alternative may get no pods.
        const int expected =
            quotas.is_alternative.empty() || !quotas.is_alternative[d] ? quotas.pods[d] : 0;
        extra_[key] += expected;
        goal_[key] = spread->domains[d].count + expected;
        placement_->allow(pod_group, d, quotas.pods[d]);
    }
    planned_.emplace(pod_group, std::move(quotas));
}

bool SpreadPlan::keeps_apart(PodGroupIndex pod_group, TemplateNodeId a, TemplateNodeId b) const {
    if (!is_planned(pod_group) && !(*has_zones_)[pod_group]) return false;
    const std::optional<std::uint32_t> of_a = placement_->domain_of(pod_group, a),
                                       of_b = placement_->domain_of(pod_group, b);
    const auto planned = planned_.find(pod_group);
    const auto is_alternative = [&](const std::optional<std::uint32_t>& domain) {
        const std::vector<bool>& is = planned->second.is_alternative;
        return domain && !is.empty() && is[*domain];
    };
    if (planned != planned_.end() && is_alternative(of_a) && is_alternative(of_b)) return false;
    return of_a != of_b;
}

bool SpreadPlan::holds() const {
    return std::ranges::all_of(planned_, [&](const auto& planned) {
        return obeys(planned_domains(*placement_, planned.first), planned.second.pods);
    });
}

LearnedLimits SpreadPlan::learn() const {
    LearnedLimits out = *learned_limits_;
    for (const auto& [pod_group, quotas] : planned_) {
        const scheduling::SpreadDomains spread = planned_domains(*placement_, pod_group);
        for (const scheduling::SpreadDomains::Domain& domain : spread.domains) {
            const Key key{spread.counter, domain.value};
            DomainLimit& limit = out[key];
            if (domain.count < goal_.at(key)) limit.most = domain.count;
            limit.will_exist = limit.will_exist || (domain.exists && goal_.at(key) == 0);
        }
    }
    return out;
}

void SpreadPlan::end() {
    for (const auto& [pod_group, quotas] : planned_) {
        placement_->disallow(pod_group);
        ended_.insert(pod_group);
    }
    forget();
}

void SpreadPlan::forget() {
    planned_.clear();
    extra_.clear();
    goal_.clear();
}

}  // namespace capstan::engine::scale_up
