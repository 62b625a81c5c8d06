/// Whether new nodes of two groups have the same resources.
#pragma once

#include <cstdint>

#include <capstan/similarity.hpp>

#include "config.hpp"

namespace capstan::similarity {

/// |a - b| is at most that share of the larger one. Exact, without rounding; equal amounts are
/// always within.
bool is_within(Tolerance tolerance, std::int64_t a, std::int64_t b) noexcept;

/// Agrees when capacity, allocatable and free each name the same resources and no amount is further
/// apart than allowed; the first one that is gives the reason. Absent is not zero. Never decides.
class ResourcesCheck {
public:
    explicit ResourcesCheck(ResourcesConfig config) : config_(config) {}
    Similarity similar(const Call& call, const TemplateView& a, const TemplateView& b) const;
    /// A hash of all that must be exactly equal.
    std::uint64_t bucket(const Call& call, const TemplateView& node) const;

private:
    ResourcesConfig config_;
};

}  // namespace capstan::similarity
