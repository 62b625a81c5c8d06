#include "engine/scale_up/spread_plan.hpp"

#include <algorithm>
#include <optional>

#include "engine/scale_up/packing.hpp"

namespace capstan::engine {
namespace {

/// Lets the class go anywhere, as if its constraint were not there.
void allow_everywhere(Placement& placement, Subject subject, const SpreadDomains& spread,
                      int pods) {
    for (std::uint32_t d = 0; d < spread.domains.size(); ++d) placement.allow(subject, d, pods);
}

bool obeys(const SpreadDomains& spread, const std::vector<int>& quotas) {
    int least = std::numeric_limits<int>::max(), domains = 0;
    for (const SpreadDomains::Domain& domain : spread.domains) {
        if (!domain.exists) continue;
        least = std::min(least, domain.count);
        ++domains;
    }
    if (domains < spread.min_domains) least = 0;
    for (std::size_t d = 0; d < quotas.size(); ++d) {
        const SpreadDomains::Domain& domain = spread.domains[d];
        if (quotas[d] > 0 && domain.exists && domain.count - least > spread.max_skew) return false;
    }
    return true;
}

}  // namespace

std::vector<SpreadTurn> find_turns(const Placement& placement, std::size_t count,
                                   const std::vector<bool>& has_zones) {
    std::vector<std::optional<SpreadDomains>> spreads(count);
    std::map<std::uint32_t, std::uint32_t> planned;  // subjects that are, by counter
    for (Subject s = 0; s < count; ++s) {
        if (!placement.rules().looks_at_pods(s)) continue;
        spreads[s] = placement.spread(s);
        if (spreads[s] && spreads[s]->counts_itself) ++planned[spreads[s]->counter];
    }
    std::vector<SpreadTurn> out(count, SpreadTurn::with_others);
    for (Subject s = 0; s < count; ++s) {
        if (has_zones[s] || !spreads[s]) continue;
        if (spreads[s]->counted_subjects == planned[spreads[s]->counter]) continue;
        out[s] =
            spreads[s]->counts_itself ? SpreadTurn::after_everything : SpreadTurn::after_others;
    }
    return out;
}

void SpreadPlan::find_growing(Subject subject, std::span<const ShapeId> shapes,
                              std::vector<DomainOutlook>& outlook) const {
    for (const ShapeId shape : shapes) {
        const std::optional<std::uint32_t> domain = placement_->domain_of(subject, shape);
        if (!domain || outlook[*domain].can_grow) continue;
        const Placement::Mark mark = placement_->mark();
        const Slot slot = placement_->add(shape, 1);
        outlook[*domain].can_grow = placement_->room(subject, slot, 1).in_all > 0;
        placement_->undo(mark);
    }
}

void SpreadPlan::find_spare(Subject subject, const SpreadDomains& spread, int pods,
                            const std::vector<bool>& passed_over,
                            std::vector<DomainOutlook>& outlook) const {
    const auto end = static_cast<Slot>(placement_->slot_count());
    Packing(*placement_, &passed_over).fill(subject, 0, end, pods);
    const SpreadDomains filled = *placement_->spread(subject);
    for (std::size_t d = 0; d < outlook.size(); ++d) {
        outlook[d].spare = filled.domains[d].count - spread.domains[d].count;
    }
}

std::vector<DomainOutlook> SpreadPlan::look(Subject subject, const SpreadDomains& spread, int pods,
                                            std::span<const ShapeId> shapes,
                                            const std::vector<bool>& passed_over) const {
    std::vector<DomainOutlook> outlook(spread.domains.size());
    const Placement::Mark mark = placement_->mark();
    allow_everywhere(*placement_, subject, spread, pods);
    find_growing(subject, shapes, outlook);
    const bool all_grow = std::ranges::all_of(outlook, &DomainOutlook::can_grow);
    if (!all_grow) find_spare(subject, spread, pods, passed_over, outlook);
    placement_->undo(mark);
    for (std::size_t d = 0; d < outlook.size(); ++d) {
        const auto known = hindsights_->find({spread.counter, spread.domains[d].value});
        if (known == hindsights_->end()) continue;
        outlook[d].most = known->second.most;
        outlook[d].will_exist = known->second.will_exist;
    }
    return outlook;
}

void SpreadPlan::plan(Subject subject, int pods, std::span<const ShapeId> shapes,
                      const std::vector<bool>& passed_over) {
    if ((*has_zones_)[subject]) return;
    std::optional<SpreadDomains> spread = placement_->spread(subject);
    if (!spread || !spread->counts_itself || pods == 0) return;
    const std::vector<DomainOutlook> outlook = look(subject, *spread, pods, shapes, passed_over);
    for (SpreadDomains::Domain& domain : spread->domains) {
        domain.count += extra_[{spread->counter, domain.value}];
    }
    std::vector<int> quotas = spread_quotas(*spread, outlook, pods);
    for (std::uint32_t d = 0; d < quotas.size(); ++d) {
        const Key key{spread->counter, spread->domains[d].value};
        extra_[key] += quotas[d];
        goal_[key] = spread->domains[d].count + quotas[d];
        placement_->allow(subject, d, quotas[d]);
    }
    planned_.emplace(subject, std::move(quotas));
}

bool SpreadPlan::keeps_apart(Subject subject, ShapeId a, ShapeId b) const {
    if (!is_planned(subject) && !(*has_zones_)[subject]) return false;
    return placement_->domain_of(subject, a) != placement_->domain_of(subject, b);
}

bool SpreadPlan::holds() const {
    return std::ranges::all_of(planned_, [&](const auto& planned) {
        return obeys(*placement_->spread(planned.first), planned.second);
    });
}

Hindsights SpreadPlan::learn() const {
    Hindsights out = *hindsights_;
    for (const auto& [subject, quotas] : planned_) {
        const SpreadDomains spread = *placement_->spread(subject);
        for (const SpreadDomains::Domain& domain : spread.domains) {
            const Key key{spread.counter, domain.value};
            Hindsight& hindsight = out[key];
            if (domain.count < goal_.at(key)) hindsight.most = domain.count;
            hindsight.will_exist = hindsight.will_exist || (domain.exists && goal_.at(key) == 0);
        }
    }
    return out;
}

void SpreadPlan::end() {
    for (const auto& [subject, quotas] : planned_) {
        placement_->disallow(subject);
        ended_.insert(subject);
    }
    forget();
}

void SpreadPlan::forget() {
    planned_.clear();
    extra_.clear();
    goal_.clear();
}

}  // namespace capstan::engine
