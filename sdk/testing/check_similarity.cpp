// What holds for similarity checks alone: symmetry, buckets, equivalence, reasons.
#include <capstan/abi/similarity.h>
#include <capstan/testing/responses.hpp>
#include <capstan/to_abi.hpp>

#include "check_subject.hpp"
#include "template_pairs.hpp"

CAPSTAN_NAMESPACE_BEGIN
namespace testing {

namespace {

constexpr int pairs = 200;

/// Calls `look` with each pair, crossing, until it complains.
Outcome for_each_pair(
    const Subject& subject,
    const std::function<std::string(const capstan_similarity&, const capstan_template&,
                                    const capstan_template&)>& look) {
    return with_started(subject, [&](Session& session) {
        int n = 0;
        for (const TemplatePair& pair : template_pairs(subject.options.seed, pairs)) {
            AbiArena arena;
            const capstan_template a = arena.to_abi(pair.a), b = arena.to_abi(pair.b);
            const std::string complaint = look(session.table_as<capstan_similarity>(), a, b);
            ++n;
            if (!complaint.empty()) {
                return failed("pair " + std::to_string(n) + " of seed " +
                              std::to_string(subject.options.seed) + ": " + complaint);
            }
        }
        return passed();
    });
}

std::string verdict_name(std::int32_t verdict) {
    if (verdict == CAPSTAN_SIMILARITY_AGREES) return "agrees";
    return verdict == CAPSTAN_SIMILARITY_DECIDED ? "decided" : "differs";
}

Outcome check_symmetric(const Subject& subject) {
    return for_each_pair(subject,
                         [](const auto& check, const auto& a, const auto& b) -> std::string {
                             const SimilarityResponse there = ask(check, a, b, FakeCall()),
                                                      back = ask(check, b, a, FakeCall());
                             if (there.status == back.status && there.verdict == back.verdict)
                                 return {};
                             return "(a, b) " + verdict_name(there.verdict) + ": " + there.because +
                                    "; (b, a) " + verdict_name(back.verdict) + ": " + back.because;
                         });
}

Outcome check_buckets(const Subject& subject) {
    return with_instance(subject, [&](Session& session) {
        const auto& table = session.table_as<capstan_similarity>();
        if (!CAPSTAN_HAS(&table, capstan_similarity, bucket))
            return not_applicable("the class has no buckets");
        return for_each_pair(
            subject, [](const auto& check, const auto& a, const auto& b) -> std::string {
                const HashResponse of_a = ask_bucket(check, a, FakeCall()),
                                   again = ask_bucket(check, a, FakeCall());
                if (of_a.hash != again.hash) return "one template has two buckets";
                const HashResponse of_b = ask_bucket(check, b, FakeCall());
                if (!of_a.is_good() || !of_b.is_good()) return {};
                const SimilarityResponse answer = ask(check, a, b, FakeCall());
                const bool agrees = answer.is_good() && answer.verdict == CAPSTAN_SIMILARITY_AGREES;
                return agrees && of_a.hash != of_b.hash
                           ? "similar, but in different buckets: " + answer.because
                           : "";
            });
    });
}

Outcome check_equivalence(const Subject& subject) {
    return with_instance(subject, [&](Session& session) {
        const auto& table = session.table_as<capstan_similarity>();
        if (!CAPSTAN_HAS(&table, capstan_similarity, equivalence))
            return not_applicable("the class does not tell which templates are equivalent");
        return for_each_pair(
            subject, [](const auto& check, const auto& a, const auto& b) -> std::string {
                const HashResponse of_a = ask_equivalence(check, a, FakeCall()),
                                   again = ask_equivalence(check, a, FakeCall()),
                                   of_b = ask_equivalence(check, b, FakeCall());
                if (of_a.hash != again.hash) return "one template has two hashes";
                if (!of_a.is_good() || !of_b.is_good() || of_a.hash != of_b.hash) return {};
                const SimilarityResponse itself = ask(check, a, a, FakeCall()),
                                         other = ask(check, a, b, FakeCall());
                if (!itself.is_good() || !other.is_good() || itself.verdict == other.verdict)
                    return {};
                return "equivalent, but with itself a template " + verdict_name(itself.verdict) +
                       " and with the other it " + verdict_name(other.verdict) + ": " +
                       other.because;
            });
    });
}

Outcome check_reasons(const Subject& subject) {
    return for_each_pair(subject,
                         [](const auto& check, const auto& a, const auto& b) -> std::string {
                             const SimilarityResponse answer = ask(check, a, b, FakeCall());
                             return answer.is_good() && answer.because.empty()
                                        ? verdict_name(answer.verdict) + " without a reason"
                                        : "";
                         });
}

}  // namespace

void add_similarity_checks(std::vector<Check>& checks, const SubjectPtr& subject) {
    if (!subject->is(CAPSTAN_KIND_SIMILARITY)) return;
    add(checks, subject, "similarity/symmetric", check_symmetric);
    add(checks, subject, "similarity/buckets", check_buckets);
    add(checks, subject, "similarity/equivalence", check_equivalence);
    add(checks, subject, "similarity/reasons", check_reasons);
}

}  // namespace testing
CAPSTAN_NAMESPACE_END
