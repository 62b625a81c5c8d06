/// Which node templates count as the same, by several checks together.
#pragma once

#include <cstddef>
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

/// For each template the ascending indices of the others that are similar to it. Only templates of
/// one bucket can agree, so of two buckets only those checks are asked that may decide. Similarity
/// with tolerances is not transitive, so each template has a list of its own.
/// `failures`: where it is not NULL, a sentence is added for each check that failed, with its first
/// error.
std::vector<std::vector<std::size_t>> similar_groups(const std::vector<NamedCheck>& checks,
                                                     const std::vector<NodeTemplate>& templates,
                                                     const Circumstances& circumstances,
                                                     std::vector<std::string>* failures = nullptr);

}  // namespace capstan::engine
