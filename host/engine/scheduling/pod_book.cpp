#include "engine/scheduling/pod_book.hpp"

#include <algorithm>
#include <utility>

#include "engine/scheduling/shared_things.hpp"
#include "engine/scheduling/spread_lanes.hpp"

namespace capstan::engine {
namespace {

bool has(const std::vector<std::uint32_t>& ids, std::uint32_t id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// Compiles the terms of one subject after the other.
class TermCompiler {
public:
    TermCompiler(PodBook& book, const NodeProfiles& profiles)
        : book_(book), spread_lanes_(profiles, book.lanes) {}

    void compile(const Cluster& cluster, ClassId subject, const ClassTerms& terms, PodRules& out) {
        const PodSpec& spec = *cluster.equivalence_group(subject).spec;
        if (!spec.pod_affinity.empty()) add_together(spec, terms, out.together);
        add_apart(terms, out.apart);
        const SpreadLanes::Constraints spread = cluster.spread(subject);
        for (std::size_t i = 0; i < terms.spread.size(); ++i) {
            const LaneId lane = spread_lanes_.find(spec, spread, spread[i]);
            out.spread.push_back(make_spread(spread[i], lane, terms.spread[i], terms));
            out.spread.back().is_default = spec.spread.empty();
        }
        find_wide(out);
    }

private:
    CounterId counter(Counted what, std::uint32_t which, std::string_view key) {
        const LaneId lane = book_.lanes.labelled(key);
        return book_.counters.add(what, which, lane, book_.lanes[lane]);
    }
    void add_together(const PodSpec& spec, const ClassTerms& terms, Together& out) {
        out.counts_itself = has(terms.in, terms.together);
        for (const PodTerm& term : spec.pod_affinity) {
            const CounterId id = counter(Counted::in_set, terms.together, term.topology_key);
            if (!has(out.counters, id)) out.counters.push_back(id);
        }
    }
    void add_apart(const ClassTerms& terms, std::vector<Forbidden>& out) {
        for (const TermId id : terms.apart) {
            const ApartTerm& term = book_.terms.apart[id];
            out.push_back({.counter = counter(Counted::in_set, term.set, term.key),
                           .counts_itself = has(terms.in, term.set)});
        }
        for (const PodSetId set : terms.in) {
            for (const TermId id : book_.terms.apart_from_set[set]) {
                out.push_back(
                    {.counter = counter(Counted::with_term, id, book_.terms.apart[id].key),
                     .counts_itself = has(terms.apart, id),
                     .others_term = true});
            }
        }
    }
    SpreadRule make_spread(const SpreadConstraint& constraint, LaneId lane, PodSetId set,
                           const ClassTerms& terms) {
        return {.counter = book_.counters.add(Counted::in_set, set, lane, book_.lanes[lane], true),
                .max_skew = constraint.max_skew,
                .min_domains = constraint.min_domains.value_or(1),
                .counts_itself = has(terms.in, set)};
    }
    void find_wide(PodRules& rules) const {
        for (std::uint32_t i = 0; i < rules.spread.size(); ++i) {
            if (book_.counters[rules.spread[i].counter].per_node) continue;
            if (rules.wide) {
                rules.wide.reset();
                return;
            }
            rules.wide = i;
        }
        if (!rules.wide) return;
        const LaneId lane = book_.counters[rules.spread[*rules.wide].counter].lane;
        rules.wide_domains = book_.lanes[lane].domain_of;
        std::sort(rules.wide_domains.begin(), rules.wide_domains.end());
        auto& domains = rules.wide_domains;
        domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
        std::erase(domains, no_domain);
    }

    PodBook& book_;
    SpreadLanes spread_lanes_;
};

std::vector<CounterId> find_adds(const PodBook& book, const SharedThings& things,
                                 const Cluster& cluster, ClassId equivalence_group) {
    std::vector<CounterId> out;
    const auto add = [&](Counted what, std::uint32_t which) {
        const auto counters = book.counters.counting(what, which);
        out.insert(out.end(), counters.begin(), counters.end());
    };
    const ClassTerms* terms = book.terms.find(equivalence_group);
    // Of subjects it is known which sets they are in.
    const bool is_known = terms != nullptr && !terms->in.empty();
    const auto in = is_known || book.terms.sets.empty()
                        ? std::vector<PodSetId>()
                        : book.terms.sets.holding(cluster, equivalence_group);
    for (const PodSetId set : is_known ? terms->in : in) add(Counted::in_set, set);
    if (terms != nullptr) {
        for (const TermId term : terms->apart) add(Counted::with_term, term);
    }
    things.visit(equivalence_group, add);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace

PodBook::PodBook(PodTerms the_terms, const PodBookSources& from)
    : terms(std::move(the_terms)), lanes(from.profiles), rules_of(from.subjects.size(), no_rules) {
    TermCompiler compiler(*this, from.profiles);
    SharedThings things(*this, from);
    for (std::uint32_t subject = 0; subject < from.subjects.size(); ++subject) {
        const ClassId id = from.subjects[subject];
        PodRules found;
        if (const ClassTerms* own = terms.find(id)) compiler.compile(from.cluster, id, *own, found);
        things.compile(id, found);
        if (found.empty()) continue;
        rules_of[subject] = static_cast<std::uint32_t>(rules.size());
        rules.push_back(std::move(found));
    }
    if (counters.size() == 0) return;
    adds.resize(from.cluster.class_count());
    for (const auto classes : {from.subjects, from.others}) {
        for (const ClassId id : classes) {
            if (adds[id].empty()) adds[id] = find_adds(*this, things, from.cluster, id);
        }
    }
    things.read_limits();
    adders.resize(counters.size(), 0);
    for (const ClassId id : from.subjects) {
        for (const CounterId counter : adds[id]) ++adders[counter];
    }
}

}  // namespace capstan::engine
