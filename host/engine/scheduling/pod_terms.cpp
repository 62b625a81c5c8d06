#include "engine/scheduling/pod_terms.hpp"

#include <algorithm>

#include "engine/snapshot/label_finder.hpp"

namespace capstan::engine {
namespace {

bool has_terms(const Cluster& cluster, ClassId id, bool is_subject) noexcept {
    const PodSpec& spec = *cluster.equivalence_group(id).spec;
    return !spec.pod_anti_affinity.empty() ||
           (is_subject && (!spec.pod_affinity.empty() || !cluster.spread(id).empty()));
}

void read_key(const std::string& key, NodeReading& reading) {
    if (key == hostname_label)
        reading.has_hostname = true;
    else
        reading.labels.insert(key);
}

}  // namespace

PodTerms::PodTerms(const Cluster& cluster, std::span<const ClassId> subjects,
                   std::span<const ClassId> others)
    : terms_of_(cluster.class_count(), no_terms) {
    const auto read_all = [&](std::span<const ClassId> classes, bool is_subject) {
        for (const ClassId id : classes) {
            if (terms_of_[id] == no_terms && has_terms(cluster, id, is_subject))
                of(id) = read(cluster, id, is_subject);
        }
    };
    read_all(subjects, true);
    read_all(others, false);
    if (sets.empty()) return;

    std::vector<bool> has_subject(sets.size());
    for (const ClassId subject : subjects) {
        auto in = sets.holding(cluster, subject);
        if (in.empty()) continue;
        for (const PodSetId set : in) has_subject[set] = true;
        of(subject).in = std::move(in);
    }
    apart_from_set.resize(sets.size());
    for (TermId id = 0; id < apart.size(); ++id) {
        if (has_subject[apart[id].set]) apart_from_set[apart[id].set].push_back(id);
    }
}

ClassTerms PodTerms::read(const Cluster& cluster, ClassId equivalence_group, bool is_subject) {
    const ClassRow& row = cluster.equivalence_group(equivalence_group);
    ClassTerms out;
    for (const PodTerm& term : row.spec->pod_anti_affinity) {
        const TermId id =
            add({.set = sets.add({make_selector(cluster, row, term)}), .key = term.topology_key});
        if (std::find(out.apart.begin(), out.apart.end(), id) == out.apart.end())
            out.apart.push_back(id);
    }
    if (!is_subject) return out;
    std::vector<PodSelector> together;
    for (const PodTerm& term : row.spec->pod_affinity)
        together.push_back(make_selector(cluster, row, term));
    if (!together.empty()) out.together = sets.add(std::move(together));
    for (const SpreadConstraint& constraint : cluster.spread(equivalence_group))
        out.spread.push_back(sets.add({make_selector(cluster, row, constraint)}));
    return out;
}

TermId PodTerms::add(ApartTerm term) {
    const auto [at, is_new] = index_.try_emplace(term, static_cast<TermId>(apart.size()));
    if (is_new) apart.push_back(std::move(term));
    return at->second;
}

ClassTerms& PodTerms::of(ClassId equivalence_group) {
    std::uint32_t& at = terms_of_[equivalence_group];
    if (at == no_terms) {
        at = static_cast<std::uint32_t>(terms_.size());
        terms_.emplace_back();
    }
    return terms_[at];
}

const ClassTerms* PodTerms::find(ClassId equivalence_group) const noexcept {
    const std::uint32_t at = terms_of_[equivalence_group];
    return at == no_terms ? nullptr : &terms_[at];
}

void PodTerms::read_by(const Cluster& cluster, std::span<const ClassId> subjects,
                       NodeReading& reading) const {
    for (const ClassId subject : subjects) {
        const PodSpec& spec = *cluster.equivalence_group(subject).spec;
        for (const PodTerm& term : spec.pod_affinity) read_key(term.topology_key, reading);
        for (const PodTerm& term : spec.pod_anti_affinity) read_key(term.topology_key, reading);
        for (const SpreadConstraint& constraint : cluster.spread(subject))
            read_key(constraint.topology_key, reading);
    }
    for (const auto& terms : apart_from_set) {
        for (const TermId term : terms) read_key(apart[term].key, reading);
    }
}

}  // namespace capstan::engine
