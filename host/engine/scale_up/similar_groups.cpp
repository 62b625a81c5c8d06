#include "engine/scale_up/similar_groups.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
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
using Failures = std::map<std::string, std::string>;

Similarity compare(const std::vector<NamedCheck>& checks, const NodeTemplate& a,
                   const NodeTemplate& b, const Circumstances& circumstances, Failures& failures) {
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

/// Compares pairs, and keeps who is similar to whom.
class Pairs {
public:
    Pairs(const std::vector<NodeTemplate>& templates, const Circumstances& circumstances)
        : templates_(templates), circumstances_(circumstances), similar_(templates.size()) {}

    void compare_all(const std::vector<std::size_t>& members,
                     const std::vector<NamedCheck>& checks) {
        for (auto a = members.begin(); a != members.end(); ++a) {
            for (auto b = std::next(a); b != members.end(); ++b) {
                const Similarity s = ask(checks, *a, *b);
                if (s.verdict != SimilarityVerdict::differs) join(*a, *b);
            }
        }
    }
    /// Of members of two buckets, where to agree is not enough.
    void decide_all(const std::vector<std::size_t>& ones, const std::vector<std::size_t>& others,
                    const std::vector<NamedCheck>& checks) {
        for (const std::size_t a : ones) {
            for (const std::size_t b : others) {
                const Similarity s = ask(checks, std::min(a, b), std::max(a, b));
                if (s.verdict == SimilarityVerdict::decided) join(a, b);
            }
        }
    }
    std::vector<std::vector<std::size_t>> take() {
        for (auto& list : similar_) std::ranges::sort(list);
        return std::move(similar_);
    }
    const Failures& failures() const noexcept { return failures_; }

private:
    Similarity ask(const std::vector<NamedCheck>& checks, std::size_t a, std::size_t b) {
        return compare(checks, templates_[a], templates_[b], circumstances_, failures_);
    }
    void join(std::size_t a, std::size_t b) {
        similar_[a].push_back(b);
        similar_[b].push_back(a);
    }

    const std::vector<NodeTemplate>& templates_;
    const Circumstances& circumstances_;
    std::vector<std::vector<std::size_t>> similar_;
    Failures failures_;
};

}  // namespace

Similarity compare(const std::vector<NamedCheck>& checks, const NodeTemplate& a,
                   const NodeTemplate& b, const Circumstances& circumstances) {
    if (checks.empty()) return differs("no similarity check is configured");
    Failures failures;
    return compare(checks, a, b, circumstances, failures);
}

std::vector<std::vector<std::size_t>> similar_groups(const std::vector<NamedCheck>& checks,
                                                     const std::vector<NodeTemplate>& templates,
                                                     const Circumstances& circumstances,
                                                     std::vector<std::string>* failures) {
    Pairs pairs(templates, circumstances);
    if (checks.empty()) return pairs.take();
    std::map<BucketKey, std::vector<std::size_t>> buckets;
    for (std::size_t i = 0; i < templates.size(); ++i)
        buckets[bucket_key(checks, templates[i], circumstances)].push_back(i);
    const std::vector<NamedCheck> deciding = those_that_may_decide(checks);
    for (auto bucket = buckets.begin(); bucket != buckets.end(); ++bucket) {
        pairs.compare_all(bucket->second, checks);
        if (deciding.empty()) continue;
        for (auto other = std::next(bucket); other != buckets.end(); ++other)
            pairs.decide_all(bucket->second, other->second, deciding);
    }
    if (failures != nullptr) {
        for (const auto& [check, error] : pairs.failures())
            failures->push_back("similarity check " + check + " failed: " + error);
    }
    return pairs.take();
}

}  // namespace capstan::engine
