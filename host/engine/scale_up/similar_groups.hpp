/// Which node templates count as the same, by several checks together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/policies.hpp"

namespace capstan::engine {

struct NamedCheck {
    std::string name;
    SimilarityCheck* check = nullptr;  ///< borrowed; outlives its use
};

/// Asks every check in order until the answer is settled: one `decided` makes the two similar
/// whatever the others say; otherwise all must agree. A check that fails makes them differ, since
/// growing one group too few is the smaller harm. Without any check nothing is similar to anything.
/// The reason starts with the name of the check that settled it.
Similarity compare(const std::vector<NamedCheck>& checks, const NodeTemplate& a,
                   const NodeTemplate& b, const Circumstances& circumstances);

/// Which of many node templates are similar, asked for one at a time: each pair is compared once at
/// most, and only if somebody asks. Only templates of one bucket can agree, so of two buckets only
/// those checks are asked that may decide. Similarity with tolerances is not transitive, so each
/// template has a list of its own. Borrows the circumstances, and the checks themselves.
class SimilarGroups {
public:
    SimilarGroups(std::vector<NamedCheck> checks, std::vector<NodeTemplate> templates,
                  const Circumstances& circumstances);

    /// Those of `others` that are similar to `one`, in their order; itself never is. Indices into
    /// the templates.
    std::vector<std::size_t> find(std::size_t one, std::span<const std::size_t> others);
    /// A sentence for each check that has failed, with its first error.
    std::vector<std::string> failures() const;

private:
    enum class Pair : std::uint8_t { unknown, similar, different };
    bool are_similar(std::size_t a, std::size_t b);
    bool compare(std::size_t a, std::size_t b);

    std::vector<NamedCheck> checks_, deciding_;
    std::vector<NodeTemplate> templates_;
    const Circumstances* circumstances_;
    std::vector<std::size_t> buckets_{};           // by template
    std::vector<std::vector<Pair>> pairs_{};       // by the lower, then by what the other has more
    std::map<std::string, std::string> failed_{};  // by check
};

/// For each template the ascending indices of the others that are similar to it.
/// `failures`: where it is not NULL, SimilarGroups::failures are added.
std::vector<std::vector<std::size_t>> similar_groups(const std::vector<NamedCheck>& checks,
                                                     const std::vector<NodeTemplate>& templates,
                                                     const Circumstances& circumstances,
                                                     std::vector<std::string>* failures = nullptr);

}  // namespace capstan::engine
