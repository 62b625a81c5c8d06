#include "engine/scale_up/similar_groups.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

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

bool any_may_decide(const std::vector<NamedCheck>& checks) {
    return std::ranges::any_of(checks, [](const NamedCheck& c) { return c.check->may_decide(); });
}

}  // namespace

Similarity compare(const std::vector<NamedCheck>& checks, const NodeTemplate& a,
                   const NodeTemplate& b, const Circumstances& circumstances) {
    if (checks.empty()) return differs("no similarity check is configured");
    Similarity settled = agrees("every check agrees");
    for (const NamedCheck& c : checks) {
        if (settled.verdict == SimilarityVerdict::differs && !c.check->may_decide()) continue;
        Result<Similarity> answer = c.check->similar(a, b, circumstances);
        if (!answer) answer = differs("failed: " + answer.error().message);
        answer->because.insert(0, c.name + ": ");
        if (answer->verdict == SimilarityVerdict::decided) return *std::move(answer);
        if (answer->verdict == SimilarityVerdict::differs &&
            settled.verdict == SimilarityVerdict::agrees) {
            settled = *std::move(answer);
        }
    }
    return settled;
}

std::vector<std::vector<std::size_t>> similar_groups(const std::vector<NamedCheck>& checks,
                                                     const std::vector<NodeTemplate>& templates,
                                                     const Circumstances& circumstances) {
    const bool use_buckets = !any_may_decide(checks);
    std::map<BucketKey, std::vector<std::size_t>> buckets;
    for (std::size_t i = 0; i < templates.size(); ++i) {
        buckets[use_buckets ? bucket_key(checks, templates[i], circumstances) : BucketKey()]
            .push_back(i);
    }
    std::vector<std::vector<std::size_t>> similar(templates.size());
    for (const auto& [key, members] : buckets) {
        for (auto a = members.begin(); a != members.end(); ++a) {
            for (auto b = std::next(a); b != members.end(); ++b) {
                const Similarity s = compare(checks, templates[*a], templates[*b], circumstances);
                if (s.verdict == SimilarityVerdict::differs) continue;
                similar[*a].push_back(*b);
                similar[*b].push_back(*a);
            }
        }
    }
    for (auto& list : similar) std::ranges::sort(list);
    return similar;
}

}  // namespace capstan::engine
