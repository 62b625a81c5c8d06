#include "kubernetes/pod_classes.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>

namespace capstan::kubernetes {
namespace {

class PodHash {
public:
    void add(std::string_view text) { mix(std::hash<std::string_view>{}(text)); }
    void add(const Labels& labels) {
        mix(labels.size());
        for (const auto& [key, value] : labels) {
            add(key);
            add(value);
        }
    }
    void add(const Resources& resources) {
        for (const auto& [resource, amount] : resources) {
            add(resource);
            mix(static_cast<std::size_t>(amount));
        }
    }
    std::size_t value() const { return value_; }

private:
    void mix(std::size_t more) {
        value_ ^= more + 0x9e3779b97f4a7c15 + (value_ << 6) + (value_ >> 2);
    }
    std::size_t value_ = 0;
};

/// A hash over the members that differ most often; belongs_to() compares all members.
std::size_t hash_of(const PodEquivalenceGroup& pod) {
    PodHash hash;
    hash.add(pod.ns);
    hash.add(pod.owner_name);
    hash.add(pod.labels);
    hash.add(pod.node_selector);
    hash.add(pod.requests);
    return hash.value();
}

/// Whether `pod` and `known` are equal except for `example` and `count`. The comparison sets both
/// members of `pod` to those of `known` and restores them afterwards, so that a new member of
/// PodEquivalenceGroup is compared without a change here.
bool belongs_to(const PodEquivalenceGroup& known, PodEquivalenceGroup& pod) {
    const std::uint32_t count = std::exchange(pod.count, known.count);
    std::string example = std::exchange(pod.example, known.example);
    const bool same = known == pod;
    pod.count = count;
    pod.example = std::move(example);
    return same;
}

}  // namespace

std::uint32_t PodClasses::add(PodEquivalenceGroup pod) {
    const std::size_t hash = hash_of(pod);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
        PodEquivalenceGroup& known = classes_[at->second];
        if (!belongs_to(known, pod)) continue;
        known.count += std::min(pod.count, std::numeric_limits<std::uint32_t>::max() - known.count);
        known.example = std::min(known.example, pod.example);
        return at->second;
    }
    const auto index = static_cast<std::uint32_t>(classes_.size());
    by_hash_.emplace(hash, index);
    classes_.push_back(std::move(pod));
    return index;
}

}  // namespace capstan::kubernetes
