/// Whether new nodes of two groups have the same labels.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <capstan/similarity.hpp>

#include "config.hpp"

namespace capstan::similarity {

/// Decides that groups are similar when a label of `same` has the same value, not empty, on both
/// nodes. Otherwise agrees when every label that is not ignored (in label mode: each label of
/// `only`) is on both nodes with the same value; the value may be empty.
class LabelsCheck {
public:
    explicit LabelsCheck(LabelsConfig config) : config_(std::move(config)) {}
    Similarity similar(const Call& call, const TemplateView& a, const TemplateView& b) const;
    /// A hash of the labels that are compared.
    std::uint64_t bucket(const Call& call, const TemplateView& node) const;
    /// The same, and the labels of `same`.
    std::uint64_t equivalence(const Call& call, const TemplateView& node) const;
    bool may_decide() const { return !config_.same.empty(); }

private:
    bool is_compared(std::string_view key) const;

    LabelsConfig config_;
};

}  // namespace capstan::similarity
