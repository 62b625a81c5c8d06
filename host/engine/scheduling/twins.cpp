#include "engine/scheduling/twins.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "engine/scheduling/compiled.hpp"

namespace capstan::engine {

namespace {

/// Of those that `takes_part`; the others are their own.
template <class TakesPart>
std::vector<Subject> lowest_alike(const Rules& rules, TakesPart takes_part) {
    const Rules::Compiled& compiled = rules.compiled();
    const auto before = [&](Subject a, Subject b) {
        if (compiled.demand_of[a] != compiled.demand_of[b])
            return compiled.demand_of[a] < compiled.demand_of[b];
        const auto as_pair = [](const Request& r) { return std::pair(r.resource, r.amount); };
        const auto of_a = rules.requests(a), of_b = rules.requests(b);
        return std::ranges::lexicographical_compare(of_a, of_b, {}, as_pair, as_pair);
    };
    std::vector<Subject> lowest(rules.subjects().size());
    std::iota(lowest.begin(), lowest.end(), 0u);
    std::vector<Subject> sorted;
    std::ranges::copy_if(lowest, std::back_inserter(sorted), takes_part);
    std::ranges::sort(sorted, [&](Subject a, Subject b) {
        if (before(a, b) || before(b, a)) return before(a, b);
        return a < b;
    });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (!before(sorted[i - 1], sorted[i])) lowest[sorted[i]] = lowest[sorted[i - 1]];
    }
    return lowest;
}

}  // namespace

std::vector<Subject> find_alike(const Rules& rules) {
    return lowest_alike(rules, [](Subject) { return true; });
}

std::vector<Subject> find_twins(const Rules& rules) {
    return lowest_alike(rules, [&](Subject s) { return !rules.looks_at_pods(s); });
}

bool is_welcome(const Rules& rules, Subject subject, NodeIndex node) {
    const Rules::Compiled& compiled = rules.compiled();
    const ProfileId profile = compiled.profiles.of_node(node);
    return compiled.demands.verdict(compiled.demand_of[subject], profile) == Predicate::none;
}

bool is_only_spread(const Rules& rules, Subject subject) noexcept {
    const PodRules* own = rules.compiled().pods.find(subject);
    if (own == nullptr || !own->wide || own->spread.size() != 1) return false;
    return own->ports.empty() && own->claims.empty() && own->apart.empty() &&
           own->together.counters.empty() && own->attach.empty();
}

}  // namespace capstan::engine
