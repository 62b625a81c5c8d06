#include "engine/scale_up/spread_quotas.hpp"

#include <algorithm>

#include "engine/scale_up/water_fill.hpp"
#include "engine/scheduling/tally.hpp"

namespace capstan::engine {
namespace {

/// Whether the scheduler will look at the domain: one without nodes holds nobody back.
bool takes_part(const SpreadDomains::Domain& domain, const DomainOutlook& outlook) {
    return domain.exists || outlook.will_exist || (outlook.can_grow && outlook.most > domain.count);
}

int most_of(const SpreadDomains::Domain& domain, const DomainOutlook& outlook) {
    return outlook.can_grow ? outlook.most : std::min(domain.count + outlook.spare, outlook.most);
}

std::vector<int> fill(const SpreadDomains& spread, std::span<const DomainOutlook> outlook, int pods,
                      int limit) {
    std::vector<Basin> basins;
    for (std::size_t d = 0; d < spread.domains.size(); ++d) {
        const SpreadDomains::Domain& domain = spread.domains[d];
        const int most =
            takes_part(domain, outlook[d]) ? std::min(most_of(domain, outlook[d]), limit) : 0;
        basins.push_back({domain.count, most});
    }
    return water_fill(basins, pods);
}

}  // namespace

std::vector<int> spread_quotas(const SpreadDomains& spread, std::span<const DomainOutlook> outlook,
                               int pods) {
    int limit = unbounded;
    for (std::size_t d = 0; d < spread.domains.size(); ++d) {
        const SpreadDomains::Domain& domain = spread.domains[d];
        if (!takes_part(domain, outlook[d])) continue;
        const int most = std::max(most_of(domain, outlook[d]), domain.count);
        if (most < unbounded - spread.max_skew) limit = std::min(limit, most + spread.max_skew);
    }
    std::vector<int> quotas = fill(spread, outlook, pods, limit);
    int domains = 0;
    for (std::size_t d = 0; d < quotas.size(); ++d) {
        const bool exists = spread.domains[d].exists || outlook[d].will_exist;
        domains += exists || quotas[d] > 0 ? 1 : 0;
    }
    // With too few domains the scheduler takes the least to be none at all.
    if (domains >= spread.min_domains) return quotas;
    return fill(spread, outlook, pods, std::min(limit, spread.max_skew));
}

}  // namespace capstan::engine
