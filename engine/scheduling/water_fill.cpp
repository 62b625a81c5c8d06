#include "engine/scheduling/water_fill.hpp"

#include <algorithm>
#include <cstdint>

#include <capstan/assert.hpp>

namespace capstan::engine::scheduling {
namespace {

int added_at(const DomainLoad& domain, int level) {
    return std::max(std::min(level, domain.most) - domain.count, 0);
}

}  // namespace

std::vector<int> water_fill(std::span<const DomainLoad> domains, int pods) {
    const auto needed = [&](int level) {
        std::int64_t sum = 0;
        for (const DomainLoad& domain : domains) sum += added_at(domain, level);
        return sum;
    };
    // The highest level that the pods reach everywhere.
    int low = 0, high = pods;
    for (const DomainLoad& domain : domains) high = std::max(high, domain.count);
    high = high > std::numeric_limits<int>::max() - pods ? high : high + pods;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (needed(middle) <= pods) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    std::vector<int> out;
    for (const DomainLoad& domain : domains) out.push_back(added_at(domain, low));
    int rest = pods - static_cast<int>(needed(low));
    CAPSTAN_ASSERT(rest >= 0, "more pods are spread than there are");
    for (std::size_t i = 0; i < domains.size() && rest > 0; ++i) {
        if (domains[i].count <= low && low < domains[i].most) ++out[i], --rest;
    }
    return out;
}

}  // namespace capstan::engine::scheduling
