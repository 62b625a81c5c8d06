#include "engine/scale_up/similar_groups.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace capstan::engine {
namespace {

/// The buckets of one template, one per check that has them: a part of the key under which it is
/// looked up.
using BucketKey = std::vector<std::uint64_t>;

BucketKey bucket_key(const std::vector<NamedCheck>& checks, const NodeTemplate& node,
                     const Circumstances& circumstances) {
    BucketKey key;
    for (const NamedCheck& c : checks) {
        // A check without buckets, or one that fails now, parts nothing; `compare` meets the
        // failure again.
        key.push_back(c.check->bucket(node, circumstances).value_or(0));
    }
    return key;
}

std::vector<NamedCheck> those_that_may_decide(const std::vector<NamedCheck>& checks) {
    std::vector<NamedCheck> out;
    std::ranges::copy_if(checks, std::back_inserter(out),
                         [](const NamedCheck& c) { return c.check->may_decide(); });
    return out;
}

/// Errors by the name of the check, the first of each.
using CheckErrors = std::map<std::string, std::string>;

Similarity settle(const std::vector<NamedCheck>& checks, const NodeTemplate& a,
                  const NodeTemplate& b, const Circumstances& circumstances,
                  CheckErrors& failures) {
    Similarity settled = agrees("every check agrees");
    for (const NamedCheck& c : checks) {
        if (settled.verdict == SimilarityVerdict::differs && !c.check->may_decide()) continue;
        Result<Similarity> answer = c.check->similar(a, b, circumstances);
        if (!answer) {
            failures.try_emplace(c.name, answer.error().message);
            answer = differs("failed: " + answer.error().message);
        }
        answer->because.insert(0, c.name + ": ");
        if (answer->verdict == SimilarityVerdict::decided) return *std::move(answer);
        if (answer->verdict == SimilarityVerdict::differs &&
            settled.verdict == SimilarityVerdict::agrees) {
            settled = *std::move(answer);
        }
    }
    return settled;
}

}  // namespace

Similarity compare(const std::vector<NamedCheck>& checks, const NodeTemplate& a,
                   const NodeTemplate& b, const Circumstances& circumstances) {
    if (checks.empty()) return differs("no similarity check is configured");
    CheckErrors failures;
    return settle(checks, a, b, circumstances, failures);
}

SimilarGroups::SimilarGroups(std::vector<NamedCheck> checks, std::vector<NodeTemplate> templates,
                             const Circumstances& circumstances)
    : checks_(std::move(checks)),
      deciding_(those_that_may_decide(checks_)),
      templates_(std::move(templates)),
      circumstances_(&circumstances),
      pairs_(templates_.size()) {
    if (checks_.empty()) return;
    std::map<BucketKey, std::size_t> numbers;
    for (const NodeTemplate& node : templates_) {
        const BucketKey key = bucket_key(checks_, node, circumstances);
        buckets_.push_back(numbers.try_emplace(key, numbers.size()).first->second);
    }
}

std::vector<std::size_t> SimilarGroups::find(std::size_t one, std::span<const std::size_t> others) {
    std::vector<std::size_t> out;
    if (checks_.empty()) return out;
    for (const std::size_t other : others) {
        if (other == one || (buckets_[one] != buckets_[other] && deciding_.empty())) continue;
        if (are_similar(std::min(one, other), std::max(one, other))) out.push_back(other);
    }
    return out;
}

bool SimilarGroups::are_similar(std::size_t a, std::size_t b) {
    std::vector<Pair>& known = pairs_[a];
    if (known.empty()) known.resize(templates_.size() - a);
    Pair& pair = known[b - a];
    if (pair == Pair::unknown) pair = compare(a, b) ? Pair::similar : Pair::different;
    return pair == Pair::similar;
}

/// In two buckets to agree is not enough.
bool SimilarGroups::compare(std::size_t a, std::size_t b) {
    const bool is_one_bucket = buckets_[a] == buckets_[b];
    const Similarity found = settle(is_one_bucket ? checks_ : deciding_, templates_[a],
                                    templates_[b], *circumstances_, failed_);
    return is_one_bucket ? found.verdict != SimilarityVerdict::differs
                         : found.verdict == SimilarityVerdict::decided;
}

std::vector<std::string> SimilarGroups::failures() const {
    std::vector<std::string> out;
    for (const auto& [check, error] : failed_)
        out.push_back("similarity check " + check + " failed: " + error);
    return out;
}

std::vector<std::vector<std::size_t>> similar_groups(const std::vector<NamedCheck>& checks,
                                                     const std::vector<NodeTemplate>& templates,
                                                     const Circumstances& circumstances,
                                                     std::vector<std::string>* failures) {
    SimilarGroups groups(checks, templates, circumstances);
    std::vector<std::size_t> all(templates.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<std::vector<std::size_t>> out;
    for (const std::size_t one : all) out.push_back(groups.find(one, all));
    if (failures != nullptr) std::ranges::copy(groups.failures(), std::back_inserter(*failures));
    return out;
}

}  // namespace capstan::engine
