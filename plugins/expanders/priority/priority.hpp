/// Keeps the options whose group has the highest priority.
#pragma once

#include <utility>

#include <capstan/expander.hpp>

#include "tiers.hpp"

namespace capstan::expanders {

/// A group has the highest of the priorities of which a pattern matches its id. Groups that none
/// matches are left out; when none matches any, or there are no tiers, all pass.
class Priority {
public:
    explicit Priority(Tiers tiers) : tiers_(std::move(tiers)) {}
    void filter(const Call& call, const ExpanderQuestion& question, const Keep& keep) const;
    /// Never at the same time as `filter`.
    void replace(Tiers tiers) { tiers_ = std::move(tiers); }

private:
    Tiers tiers_;
};

}  // namespace capstan::expanders
