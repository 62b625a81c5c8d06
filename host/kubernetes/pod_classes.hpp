/// Groups pods into pod equivalence groups.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <capstan/pod.hpp>

namespace capstan::kubernetes {

/// Collects pods into equivalence groups: pods that differ in nothing but their name are one group
/// with a count. Groups are in the order in which their first pod came.
class PodClasses {
public:
    /// Adds `pod.count` pods. Returns the index of their group.
    std::uint32_t add(PodEquivalenceGroup pod);
    const std::vector<PodEquivalenceGroup>& classes() const noexcept { return classes_; }
    std::vector<PodEquivalenceGroup> take() && { return std::move(classes_); }

private:
    std::vector<PodEquivalenceGroup> classes_;
    std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
};

}  // namespace capstan::kubernetes
