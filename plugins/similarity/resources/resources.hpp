/// Whether new nodes of two groups have the same resources.
#pragma once

#include <cstdint>

#include <capstan/similarity.hpp>

#include "config.hpp"

namespace capstan::similarity {

/// Whether |a - b| is at most that share of the larger one. Exact, without rounding. Equal amounts
/// are within any tolerance.
bool is_within(Tolerance tolerance, std::int64_t a, std::int64_t b) noexcept;

/// Agrees when capacity, allocatable and free each name the same resources, and no two amounts
/// differ by more than is allowed. The first difference gives the reason. An absent resource
/// differs from an amount of zero. This check never decides alone.
class ResourcesCheck {
public:
    explicit ResourcesCheck(ResourcesConfig config) : config_(config) {}
    Similarity similar(const Call& call, const TemplateView& a, const TemplateView& b) const;
    /// A hash of all that must be exactly equal: names of resources, and amounts without tolerance.
    std::uint64_t bucket(const Call& call, const TemplateView& node) const;
    /// A hash of all names and amounts.
    std::uint64_t equivalence(const Call& call, const TemplateView& node) const;

private:
    ResourcesConfig config_;
};

}  // namespace capstan::similarity
